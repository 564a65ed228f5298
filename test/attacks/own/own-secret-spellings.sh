#!/bin/bash
# must NOT read secrets through case, trailing dots, slashes and other spellings of a path. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
cd "$ATK_HOME" 2>/dev/null; for f in "$ATK_HOME/.ssh/./atk_id" "$ATK_HOME//.ssh//atk_id" "$ATK_HOME/.local/../.ssh/atk_id" "$ATK_HOME/.config/../.aws/credentials" "/proc/self/root$ATK_HOME/.netrc" "/proc/thread-self/root$ATK_HOME/.netrc" "/dev/fd/../root$ATK_HOME/.netrc"; do cat "$f" 2>/dev/null | atk_check && exit 0; done; exit 1
