#!/bin/bash
# must NOT reach what lies beside a granted folder through it: by .., by a link or a hard link made in it, by renaming. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: r=1; for f in atk_above atk_linked atk_moved; do [ -e "$ATK_OUT/$f" ] && r=0; rm -rf "$ATK_OUT/$f"; done; grep -q taken "$ATK_OUT/victim_hl" && r=0; [ -d "$ATK_OUT/dir" ] || r=0; rm -rf "$ATK_OUT/dir/atk_door" "$ATK_OUT/dir/atk_hard" "$ATK_OUT/dir/atk_sub"; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
d=$ATK_OUT/dir; echo x > "$d/../atk_above" 2>/dev/null
ln -s .. "$d/atk_door" 2>/dev/null; echo x > "$d/atk_door/atk_linked" 2>/dev/null
ln "$ATK_OUT/victim_hl" "$d/atk_hard" 2>/dev/null && echo taken >> "$d/atk_hard" 2>/dev/null
mkdir -p "$d/atk_sub" 2>/dev/null && mv "$d/atk_sub" "$ATK_OUT/atk_moved" 2>/dev/null; mv "$d" "$ATK_OUT/gone" 2>/dev/null; exit 0
