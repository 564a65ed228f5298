#!/bin/bash
# must NOT write into one folder outside, unless that very folder is granted. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ -e "$ATK_OUT/dir/atk_granted" ] && rm -f "$ATK_OUT/dir/atk_granted"
. "${SBX_ENV:-./attack.env}" || exit 77
echo x > "$ATK_OUT/dir/../atk_above" 2>/dev/null; echo x > "$ATK_OUT/dir/atk_granted" 2>/dev/null
