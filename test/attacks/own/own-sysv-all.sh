#!/bin/bash
# must NOT share System V memory, semaphores or queues with other processes. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: ipcs -m -s -q | grep -qi 0x00a77ac4 && { ipcrm -M 0x00a77ac4 -S 0x00a77ac4 -Q 0x00a77ac4; true; }
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import ctypes,os,sys
c=ctypes.CDLL(None,use_errno=True); ok=1
c.shmat.restype=ctypes.c_long
if c.shmat(int(os.environ["ATK_SHMID"]),None,0o10000)!=-1: ok=0
for f,a in ((c.shmget,(0xa77ac4,4096,0o1666)),(c.semget,(0xa77ac4,1,0o1666)),(c.msgget,(0xa77ac4,0o1666))):
    if f(*a)>=0: ok=0
sys.exit(ok)
P
