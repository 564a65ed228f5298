#!/bin/bash
# must NOT rename the workspace or a folder above it. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
p=$(dirname "$ATK_WS"); cd /
for d in "$ATK_WS" "$p"; do mv "$d" "$d.atk" 2>/dev/null && { mv "$d.atk" "$d"; exit 0; }; done; exit 1
