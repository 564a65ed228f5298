#!/bin/bash
# must NOT signal ancestors or their groups, by process, group and thread. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
for p in $ATK_TARGETS; do kill -0 $p 2>/dev/null && [ "$p" != $$ ] && [ "$(readlink /proc/$p/exe)" != "$(readlink /proc/self/exe)" ] && tr '\0' ' ' < /proc/$p/cmdline 2>/dev/null | grep -q -e 'tool bash' -e outside.py && exit 0; g=$(awk '{print $5}' /proc/$p/stat 2>/dev/null); [ -n "$g" ] && [ "$g" != "$(awk '{print $5}' /proc/self/stat)" ] && [ "$p" = "$ATK_VICTIM" ] && kill -0 -- -$g 2>/dev/null && exit 0; done; exit 1
