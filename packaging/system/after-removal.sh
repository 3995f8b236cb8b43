#!/bin/sh
# After the package has gone (deb: remove, purge; rpm: 0). The data and its user stay, whatever happens.
set -e

case $1 in
    remove | purge | 0)
        if [ -d /run/systemd/system ]; then
            systemctl daemon-reload
        fi
        if [ -d /var/lib/analytics-box ]; then
            echo "The data of Analytics Box is still in /var/lib/analytics-box. To delete it: rm -r /var/lib/analytics-box"
        fi
        ;;
esac
