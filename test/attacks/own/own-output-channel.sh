#!/bin/bash
# must NOT write into the pipes and files of the host through /proc. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
n=1; for p in $ATK_TARGETS; do tr '\0' '\n' 2>/dev/null < /proc/$p/environ | grep -q SANDPIPER_SANDBOX && continue; for d in 0 1 2 3 4 5 6 7 8 9 10 11 12; do ( : >> /proc/$p/fd/$d ) 2>/dev/null && { echo $p/$d; n=0; }; done; done; exit $n
