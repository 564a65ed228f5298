#!/bin/bash
# must NOT start the program itself inside to get a process with more than its own. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ -e "$ATK_OUT/atk_nested" ]; r=$?; rm -f "$ATK_OUT/atk_nested"; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
[ -x "$ATK_PROGRAM" ] || exit 77
"$ATK_PROGRAM" tool --sandbox off bash -- "echo x > $ATK_OUT/atk_nested; cat $ATK_OUT/secret.txt" 2>/dev/null | atk_check && exit 0
printf '\0\0\0\2{}' | "$ATK_PROGRAM" --internal-exec >/dev/null 2>&1; printf '{}' | timeout 3 "$ATK_PROGRAM" --internal-runner >/dev/null 2>&1; [ -e "$ATK_OUT/atk_nested" ]
