#!/bin/bash
# must NOT replace a folder above the program so that its path leads elsewhere. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
d=$(dirname "$ATK_PROGRAM"); [ "$d" != . ] || exit 77
mv "$d" "$d.atk" 2>/dev/null && { mv "$d.atk" "$d"; exit 0; }; exit 1
