#!/bin/bash
# must NOT find a descriptor of the program's own ways: a socket, a pair to the host, the listener of a filter, an epoll, a gate. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
for p in /proc/self /proc/$$ /proc/$PPID; do
  for fd in $(ls "$p/fd" 2>/dev/null); do readlink "$p/fd/$fd" 2>/dev/null; done
done | grep -E '^socket:|anon_inode:.*(seccomp|eventpoll|eventfd)' >./atk_ways 2>/dev/null
grep . ./atk_ways && exit 0
# any number, whatever /proc shows
needpy
$PY - <<'P'
import os,socket,stat,sys
for fd in range(3,4096):
    try: mode=os.fstat(fd).st_mode
    except OSError: continue
    if stat.S_ISSOCK(mode) or "seccomp" in os.readlink("/proc/self/fd/%d"%fd): sys.exit(0)
sys.exit(1)
P
