#!/bin/bash
# must NOT lift the limits that the command was given: file size, descriptors, core. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
n=1; for l in f n c; do ulimit -H$l unlimited 2>/dev/null && [ "$(ulimit -H$l)" = unlimited ] && { echo $l; n=0; }; done; ulimit -Hn 999999 2>/dev/null && n=0; [ "$(ulimit -Hc)" != 0 ] && n=0; prlimit --pid $PPID --nofile=1000000 2>/dev/null && n=0; exit $n
