#!/bin/bash
# must NOT make the repository borrow objects from a folder outside, which a later git of the user copies in. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: f="$ATK_WS/.git/objects/info/alternates"; grep -qs "$ATK_OUT" "$f"; r=$?; rm -f "$f"; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
mkdir -p .git/objects/info 2>/dev/null; echo "$ATK_OUT/dir" > .git/objects/info/alternates 2>/dev/null
