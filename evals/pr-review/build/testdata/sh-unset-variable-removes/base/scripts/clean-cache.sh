#!/bin/sh
# Removes build output that is older than a week.
set -eu

cache="${BUILD_CACHE:?BUILD_CACHE names the folder of the build cache}"

find "$cache" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +
