#!/bin/sh
exec claude -p --tools "" < task.json > result.json
