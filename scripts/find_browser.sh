#!/bin/sh
# Prints the path of the browser that the tests drive, installing Debian's chromium when there
# is none and that is allowed. $ACCELREPORT_BROWSER, when set, is taken as it is. Sees to the
# fonts that golden screenshots are drawn with, too: their test says so where they are absent.
set -eu

installed() {
    if [ -n "${ACCELREPORT_BROWSER:-}" ]; then
        command -v "$ACCELREPORT_BROWSER"
        return
    fi
    for name in chromium chromium-browser google-chrome google-chrome-stable \
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" \
        "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
        # Ubuntu's chromium-browser may be a script that only says where to find the real one.
        if command -v "$name" >/dev/null && "$name" --version >/dev/null 2>&1; then
            command -v "$name"
            return
        fi
    done
    return 1
}

if ! installed; then
    echo "The tests look at the pages in Chromium or Chrome, and none was found." >&2
    if [ -n "${ACCELREPORT_BROWSER:-}" ]; then
        echo "ACCELREPORT_BROWSER=$ACCELREPORT_BROWSER is not a program." >&2
        exit 1
    fi
    if ! "$(dirname "$0")/apt_install.sh" chromium fonts-liberation || ! installed; then
        echo "Or install Google Chrome, or set ACCELREPORT_BROWSER to a browser's path." >&2
        exit 1
    fi
fi

if ! find /usr/share/fonts /usr/local/share/fonts /Library/Fonts "${HOME:-/}/.local/share/fonts" \
    "${HOME:-/}/.fonts" "${HOME:-/}/Library/Fonts" -name LiberationSans-Regular.ttf 2>/dev/null |
    grep -q .; then
    "$(dirname "$0")/apt_install.sh" fonts-liberation || true
fi
