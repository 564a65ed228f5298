#!/bin/bash
# must NOT make a later git outside run a program through a submodule or a nested repository's configuration. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: git -C "$ATK_WS" status >/dev/null 2>&1; git -C "$ATK_WS" diff >/dev/null 2>&1; [ -e "$ATK_OUT/atk_submodule" ]
. "${SBX_ENV:-./attack.env}" || exit 77
mkdir -p .git/modules/atk 2>/dev/null; git init -q atk_sub 2>/dev/null && git -C atk_sub config core.fsmonitor "touch $ATK_OUT/atk_submodule; false" && git -C atk_sub -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
git -c protocol.file.allow=always submodule add -q -f ./atk_sub atk_sub 2>/dev/null; git add atk_sub 2>/dev/null; exit 0
