#!/bin/bash
# must NOT make a later git outside run a program through a submodule of a submodule beside hundreds of folders. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: git -C "$ATK_WS" status >/dev/null 2>&1; [ -e "$ATK_OUT/atk_deep_submodule" ]
. "${SBX_ENV:-./attack.env}" || exit 77
g() { git -c user.name=a -c user.email=a@b -c protocol.file.allow=always "$@"; }
mkdir -p atk_many/{0..301} atk_zz; cd atk_zz || exit 1
for at in s q; do g init -q $at && cd $at && g commit -q --allow-empty -m x || exit 1; done
git config core.fsmonitor "touch $ATK_OUT/atk_deep_submodule; false"; cd ..; g add q 2>/dev/null; g commit -qm q; cd ../..; git add atk_zz/s 2>/dev/null; exit 0
