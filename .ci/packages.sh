#!/bin/sh
# Installs what a list of Debian packages lacks; asks for root only when something is missing.
# usage: packages.sh PACKAGE...
set -eu
missing=
for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $package"
done
[ -n "$missing" ] || exit 0
root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "missing packages:$missing; install them as root" >&2; exit 1; }
    root=sudo
fi
echo "installing:$missing"
$root apt-get update -qq
# shellcheck disable=SC2086 # the list is meant to be split
DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing >/dev/null
