#!/bin/sh
set -eu
cat task.json | claude -p --tools Read > result.json
