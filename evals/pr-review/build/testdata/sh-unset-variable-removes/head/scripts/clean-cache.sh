#!/bin/sh
# Removes build output that is older than a week, and the output of a branch when its name is given.
set -e

branch=$1
cache=$BUILD_CACHE

if [ -n "$branch" ]; then
  rm -rf "$cache/"$branch
fi

find "$cache" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +
