#!/bin/sh
# The command `analytics-box` of an installed package, with the settings of its service. root becomes the service's
# user, so that nothing in the data directory belongs to root.
export ANALYTICS_BOX_CONFIG="${ANALYTICS_BOX_CONFIG:-/etc/analytics-box/analytics-box.toml}"
if [ "$(id -u)" -eq 0 ]; then
    exec runuser -u analytics-box -- /usr/lib/analytics-box/analytics-box "$@"
fi
exec /usr/lib/analytics-box/analytics-box "$@"
