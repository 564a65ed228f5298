#!/bin/bash
# must NOT signal, trace or look into the processes around its own call. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import os,sys,ctypes
c=ctypes.CDLL(None,use_errno=True); won=[]
for p in map(int,os.environ["ATK_TARGETS"].split()):
    try: own=b"SANDPIPER_SANDBOX" in open("/proc/%d/environ"%p,"rb").read()
    except OSError: own=False
    if own: continue
    try: os.kill(p,0); won.append(("kill",p))
    except OSError: pass
    fd=c.syscall(434,p,0)
    if fd>=0 and c.syscall(424,fd,0,None,0)==0: won.append(("pidfd",p))
    for f in ("environ","mem","maps","auxv","stack","syscall","io","pagemap"):
        try: open("/proc/%d/%s"%(p,f),"rb").read(1); won.append((f,p))
        except OSError: pass
    for l in ("exe","cwd","root","fd/0","ns/net"):
        try: os.readlink("/proc/%d/%s"%(p,l)); won.append((l,p))
        except OSError: pass
print(won[:5]); sys.exit(0 if won else 1)
P
