#!/bin/bash
# must NOT unmount or remount what covers secrets or protects .git. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
for m in $(awk '{print $5}' /proc/self/mountinfo | tac); do case "$m" in /proc*|/sys*|/dev*) [ "$(id -u)" = 0 ] && continue;; esac; [ "$m" = / ] && continue
  case "$m" in *.git*|*atk*|"$ATK_HOME"*|/tmp|/run|/home|/var|/root) umount -l "$m" 2>/dev/null && exit 0; mount -o remount,rw "$m" 2>/dev/null && exit 0;; esac
done; exit 1
