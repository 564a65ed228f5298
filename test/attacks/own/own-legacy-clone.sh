#!/bin/bash
# must NOT make namespaces by the oldest ways: clone with odd signal bits, unshare of time, setns with a process descriptor. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import ctypes,os,sys
c=ctypes.CDLL(None,use_errno=True); won=[]
# each in a child of its own: a namespace that was made ends with it
for nr,flag in [(272,f) for f in (0x10000000,0x10020000,0x80)]+[(56,f|17) for f in (0x10000000,0x30000000,0x50000000)]:
    child=os.fork()
    if child==0:
        r=c.syscall(nr,flag,0,0,0,0); os._exit(0 if r>=0 else 1)
    if os.WEXITSTATUS(os.waitpid(child,0)[1])==0: won.append((nr,hex(flag)))
print(won); sys.exit(0 if won else 1)
P
