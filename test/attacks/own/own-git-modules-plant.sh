#!/bin/bash
# must NOT prepare the repository of a submodule that a later "git submodule update" of the user takes over, hooks and all. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ -x "$ATK_WS/.git/modules/atk_m1/hooks/post-checkout" ] || grep -qs fsmonitor "$ATK_WS/.git/modules/atk_m1/config" "$ATK_WS/.git/modules/a/b/config"; r=$?; rm -rf "$ATK_WS/.git/modules"; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
mkdir -p .git/modules/a 2>/dev/null; for d in atk_m1 a/b; do git init -q --bare ".git/modules/$d" 2>/dev/null || exit 1; git -C ".git/modules/$d" config core.fsmonitor "touch $ATK_OUT/atk_mod" 2>/dev/null; mkdir -p ".git/modules/$d/hooks"; printf '#!/bin/sh\ntouch x\n' > ".git/modules/$d/hooks/post-checkout" && chmod +x ".git/modules/$d/hooks/post-checkout"; done
