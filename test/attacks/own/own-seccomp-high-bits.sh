#!/bin/bash
# must NOT hide forbidden arguments in the upper half of a register. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import ctypes,sys
c=ctypes.CDLL(None,use_errno=True); L=ctypes.c_ulong
hi=1<<32
ok=0
# unshare(CLONE_NEWUSER) with rubbish above; ioctl TIOCSTI; socket(AF_INET, SOCK_RAW)
if c.syscall(L(272),L(hi|0x10000000))==0: ok=1
if c.syscall(L(41),L(hi|17),L(hi|3),L(0))>=0: ok=1
if c.syscall(L(302),L(hi|1),L(7),L(0),L(0))==0: ok=1
sys.exit(0 if ok else 1)
P
