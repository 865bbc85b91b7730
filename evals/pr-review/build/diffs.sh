#!/bin/sh
# Makes diff.patch of every stored case from its base and head tree, as git prints it. Run it in this folder.
set -eu

for trees in testdata/*; do
  id=${trees##*/}
  scratch=$(mktemp -d)
  git -C "$scratch" init --quiet
  cp -R "$trees/base/." "$scratch/"
  git -C "$scratch" add --all
  git -C "$scratch" -c user.name=build -c user.email=build@example.org commit --quiet --allow-empty -m base
  git -C "$scratch" rm -r --quiet --ignore-unmatch .
  cp -R "$trees/head/." "$scratch/"
  git -C "$scratch" add --all
  for split in tune held_out; do
    if [ -d "../$split/$id" ]; then
      git -C "$scratch" -c core.abbrev=7 diff --cached --no-color --no-ext-diff --no-renames --src-prefix=a/ --dst-prefix=b/ HEAD >"../$split/$id/diff.patch"
    fi
  done
  rm -rf "$scratch"
done
