#!/bin/bash
# must NOT watch what happens in a folder outside by fanotify, dnotify or a lease. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import ctypes,os,sys,fcntl
c=ctypes.CDLL(None,use_errno=True)
if c.syscall(300,0,0)>=0: sys.exit(0)
try:
    f=os.open(os.environ["ATK_OUT"],os.O_RDONLY); fcntl.fcntl(f,fcntl.F_NOTIFY,fcntl.DN_CREATE); sys.exit(0)
except OSError: pass
sys.exit(1)
P
