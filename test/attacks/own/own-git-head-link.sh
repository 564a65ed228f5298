#!/bin/bash
# must NOT make files that git itself writes into links to files outside, which a later git of the user reads or overwrites. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: cd "$ATK_WS"; r=1; for f in .git/COMMIT_EDITMSG .git/MERGE_MSG .git/logs/HEAD .git/ORIG_HEAD; do [ -L $f ] && { rm -f $f; r=0; echo $f; }; done; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
n=1; for f in COMMIT_EDITMSG MERGE_MSG ORIG_HEAD; do rm -f .git/$f; ln -s "$ATK_OUT/victim_hl" .git/$f 2>/dev/null && n=0; done; exit $n
