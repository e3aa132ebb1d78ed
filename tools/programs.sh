#!/bin/sh
# Install Chromium, Node.js and nginx for the tests, on Debian and if no password is needed.
set -eu
PATH="$PATH:/usr/sbin"
lacks() {
    for program in "$@"; do
        ! command -v "$program" >/dev/null || return 1
    done
}
missing=""
if lacks chromium-headless-shell chromium google-chrome; then missing="chromium-headless-shell fonts-dejavu-core"; fi
if lacks node; then missing="$missing nodejs"; fi
if lacks nginx; then missing="$missing nginx-light"; fi
if [ -z "$missing" ] || lacks apt-get; then exit 0; fi
sudo=""
if [ "$(id -u)" -ne 0 ]; then
    sudo="sudo -n"
    $sudo true 2>/dev/null || exit 0
fi
echo "Installing for the tests:" $missing
$sudo apt-get update -qq
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
