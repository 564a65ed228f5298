#!/bin/bash
# must NOT write into the host's root through /proc of an ancestor. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ -e "$ATK_OUT/atk_hostroot" ]
. "${SBX_ENV:-./attack.env}" || exit 77
n=1; for p in $ATK_TARGETS 1 self; do for l in root cwd; do echo x > "/proc/$p/$l$ATK_OUT/atk_hostroot" 2>/dev/null && n=0; done; done; exit $n
