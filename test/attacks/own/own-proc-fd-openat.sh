#!/bin/bash
# must NOT reach an outside file through a descriptor that was opened before confinement. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
for fd in /proc/self/fd/* /proc/$PPID/fd/* /proc/1/fd/*; do
  t=$(readlink "$fd" 2>/dev/null); case "$t" in pipe:*|/dev/null|"$PWD"*|/proc/*|anon_inode:*|"") continue;; esac
  case "$t" in "$ATK_OUT"*|"$ATK_HOME"*|socket:*) echo "$fd $t"; exit 0;; esac
  [ -d "$fd" ] && cat "$fd/$(realpath --relative-to="$t" "$ATK_OUT" 2>/dev/null)/secret.txt" 2>/dev/null | atk_check && exit 0
done; exit 1
