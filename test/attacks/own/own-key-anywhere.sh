#!/bin/bash
# must NOT find the key in the environment of any process, in the command line of an ancestor or in its own variables. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
for p in /proc/[0-9]*; do cat $p/environ 2>/dev/null; done | atk_check && exit 0
for p in $ATK_TARGETS; do [ $p = "$ATK_VICTIM" ] || cat /proc/$p/cmdline 2>/dev/null; done | atk_check && exit 0; env | atk_check && exit 0; set | atk_check
