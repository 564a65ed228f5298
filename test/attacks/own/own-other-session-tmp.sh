#!/bin/bash
# must NOT read the temporary folder of another session or user. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
for f in /tmp/sandpiper-* /var/tmp/sandpiper-*; do [ -d "$f" ] && [ "$f" != "$TMPDIR" ] || continue
  case "$PWD" in "$f"*) continue;; esac
  ls -A "$f" >/dev/null 2>&1 && [ -n "$(ls -A "$f" 2>/dev/null)" ] && { case "$ATK_PROGRAM" in "$f"*) continue;; esac; case "$TMPDIR" in "$f"*) continue;; esac; exit 0; }
done; exit 1
