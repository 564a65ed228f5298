#!/bin/bash
# must NOT load code into the kernel, replace it or read its memory. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import ctypes,sys
c=ctypes.CDLL(None,use_errno=True)
import errno
for nr,args in ((246,(0,0,0,0)),(320,(-1,-1,0,b"",0)),(175,(0,0,b"")),(313,(-1,b"",0)),(321,(5,0,0)),(298,(0,0,-1,-1,0)),(103,(3,0,0)),(323,(1,))):
    r=c.syscall(nr,*args); e=ctypes.get_errno()
    if r>=0 or e not in (errno.EPERM,errno.ENOSYS,errno.EACCES): print(nr,e); sys.exit(0)
for f in ("/dev/mem","/dev/kmem","/proc/kcore","/dev/kmsg","/proc/kallsyms"):
    try:
        d=open(f,"rb").read(16)
        if f!="/proc/kallsyms": print(f); sys.exit(0)
    except OSError: pass
sys.exit(1)
P
