#!/bin/bash
# must NOT make .git a link to a repository of its own whose hooks a later git would run. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ -L "$ATK_WS/.git" ] && { cd "$ATK_WS" && rm .git && mv atk_m/g/real .git; }
. "${SBX_ENV:-./attack.env}" || exit 77
mkdir -p atk_m/g && mv .git atk_m/g/real 2>/dev/null && ln -s atk_m/g/real .git
