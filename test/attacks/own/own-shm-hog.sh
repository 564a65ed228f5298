#!/bin/bash
# must NOT fill the machine's memory through files in shared memory or detached segments that no process maps. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ "${ATK_RC:-1}" = 0 ]
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import ctypes,os,sys,time
c=ctypes.CDLL(None,use_errno=True); c.shmat.restype=ctypes.c_void_p
M=1<<20; total=0; ids=[]
try:
    with open("/dev/shm/atk_hog","wb") as f:
        for i in range(1300): f.write(b"x"*M); total+=M
except OSError as e: print(e)
for i in range(13):
    h=c.shmget(0,100*M,0o1600)
    if h<0: break
    a=c.shmat(h,None,0); ctypes.memset(a,1,100*M); c.shmdt(ctypes.c_void_p(a)); total+=100*M; ids.append(h)
time.sleep(1.2)
for h in ids: c.shmctl(h,0,None)
try: os.remove("/dev/shm/atk_hog")
except OSError: pass
print(total>>20); sys.exit(0 if total>2200*M else 1)
P
