#!/bin/bash
# must NOT hold its breath past the watchdog: many threads in place of processes. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import threading,time,sys
n=0
try:
    for i in range(20000):
        t=threading.Thread(target=time.sleep,args=(4,),daemon=True); threading.stack_size(65536); t.start(); n+=1
except Exception: pass
print(n); sys.exit(0 if n>=20000 else 1)
P
