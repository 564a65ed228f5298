#!/bin/bash
# must NOT let a link left in the private cache lead the next session out. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ -e "$ATK_OUT/atk_cachelink" ]
. "${SBX_ENV:-./attack.env}" || exit 77
ln -sfn "$ATK_OUT" "$XDG_CACHE_HOME/atk_link"; ln -sfn "$ATK_OUT" "$XDG_CACHE_HOME/npm" 2>/dev/null; echo x > "$XDG_CACHE_HOME/atk_link/atk_cachelink" 2>/dev/null; r=$?; rm -f "$XDG_CACHE_HOME/atk_link" "$XDG_CACHE_HOME/npm"; exit $r
