#!/bin/bash
# must NOT name another common folder or a worktree's configuration for the repository. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: cd "$ATK_WS"; r=1; for f in .git/commondir .git/config.worktree; do [ -e $f ] && { rm -f $f; r=0; }; done; [ $r = 0 ]
. "${SBX_ENV:-./attack.env}" || exit 77
n=1; echo ../atk_m > .git/commondir 2>/dev/null && n=0; printf '[core]\n\tfsmonitor = "touch atk"\n' > .git/config.worktree 2>/dev/null && n=0; exit $n
