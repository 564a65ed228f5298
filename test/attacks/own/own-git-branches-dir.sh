#!/bin/bash
# must NOT give a remote name another address through the old folder of branches. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: ls "$ATK_WS"/.git/branches/atk "$ATK_WS"/.git/remotes/atk 2>/dev/null | grep -q .; r=$?; rm -f "$ATK_WS"/.git/branches/atk "$ATK_WS"/.git/remotes/atk; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
mkdir -p .git/branches .git/remotes 2>/dev/null; n=1; echo "$ATK_OUT" > .git/branches/atk 2>/dev/null && n=0; echo "URL: $ATK_OUT" > .git/remotes/atk 2>/dev/null && n=0; exit $n
