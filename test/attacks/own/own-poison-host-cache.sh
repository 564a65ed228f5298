#!/bin/bash
# must NOT plant files that the host reads from its cache folder (bundled documents and skills, other workspaces). Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: find "$ATK_XDG_CACHE" -path "*/sandpiper/files*" -name "*atk*" | grep -q . || find "$ATK_XDG_CACHE" -maxdepth 3 -name "*atk*" | grep -q .
. "${SBX_ENV:-./attack.env}" || exit 77
n=1; for d in "$ATK_XDG_CACHE" "$ATK_XDG_CACHE/sandpiper" "$ATK_XDG_CACHE/sandpiper/tools" "$ATK_XDG_CACHE/sandpiper/files"/* ; do touch "$d/atk_planted" 2>/dev/null && n=0; done
for d in "$XDG_CACHE_HOME"/../atk_planted "$XDG_CACHE_HOME"/../../atk_planted; do touch "$d" 2>/dev/null && n=0; done; exit $n
