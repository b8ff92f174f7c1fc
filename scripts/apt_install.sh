#!/bin/sh
# Installs Debian or Ubuntu packages when that needs no question: as root, or where sudo asks
# for no password. Anywhere else it ends with 1 and says what to type, and changes nothing.
set -eu

if ! command -v apt-get >/dev/null; then
    echo "Not a Debian or Ubuntu machine: please install $* with its own package manager." >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "Please type: sudo apt install $*" >&2
    exit 1
fi

echo "Installing with apt: $*" >&2
export DEBIAN_FRONTEND=noninteractive
# Standard output belongs to the caller; what goes wrong is told on standard error.
$as_root apt-get update -qq </dev/null >/dev/null
$as_root apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
