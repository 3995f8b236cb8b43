#!/bin/sh
# After an installation (deb: configure; rpm: 1) or an upgrade (deb: configure and the version before; rpm: 2).
set -e

data=/var/lib/analytics-box
if ! getent passwd analytics-box >/dev/null; then
    useradd --system --user-group --home-dir "$data" --no-create-home --shell /usr/sbin/nologin analytics-box
fi
if [ ! -d "$data" ]; then
    install -d -m 0700 -o analytics-box -g analytics-box "$data"
fi
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    systemctl try-restart --no-block analytics-box.service ||
        echo "analytics-box did not restart; journalctl -u analytics-box says why" >&2
fi
if [ "$1" = 1 ] || { [ "$1" = configure ] && [ -z "$2" ]; }; then
    cat <<'TEXT'
Analytics Box is installed. Settings are in /etc/analytics-box/analytics-box.toml. Start it, then read its setup link:
  systemctl enable --now analytics-box
  journalctl -u analytics-box
TEXT
fi
