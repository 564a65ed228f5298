#!/bin/bash
# must NOT mount or bind anything, with or without a user namespace. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
mkdir -p atk_m; need unshare
unshare -Urm sh -c "mount --bind '$ATK_OUT' atk_m && cat atk_m/secret.txt" 2>/dev/null | atk_check && exit 0
mount --bind "$ATK_OUT" atk_m 2>/dev/null && exit 0; command -v bwrap >/dev/null && bwrap --dev-bind / / true 2>/dev/null && exit 0; umount .git 2>/dev/null && exit 0; umount -l /tmp 2>/dev/null && exit 0; exit 1
