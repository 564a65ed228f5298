#!/bin/bash
# must NOT reach secrets through tools that answer for others: at, cron, systemd-run, sudo, su, pkexec. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: sleep 0.3; [ -e "$ATK_OUT/atk_others" ]
. "${SBX_ENV:-./attack.env}" || exit 77
c="touch $ATK_OUT/atk_others"; n=1
echo "$c" | timeout 2 at now 2>/dev/null && n=0; (echo "* * * * * $c" | timeout 2 crontab -) 2>/dev/null && { crontab -r; n=0; }
timeout 2 systemd-run --user sh -c "$c" 2>/dev/null && n=0; [ "$(id -u)" = 0 ] || { timeout 2 sudo -n sh -c "$c" 2>/dev/null && n=0; timeout 2 su -c "$c" </dev/null 2>/dev/null && n=0; }; exit $n
