#!/bin/bash
# must NOT enter another process's namespaces. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
need nsenter
for p in $ATK_TARGETS 1; do for n in user mnt net pid; do timeout 2 nsenter --target $p --$n sh -c "cat '$ATK_OUT/secret.txt'" 2>/dev/null | atk_check && exit 0; done; done; exit 1
