#!/bin/bash
# must NOT fill the machine's memory through memory files that no process maps. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import os,sys
b=b"\1"*(1<<20); fs=[]
for k in range(8):
    f=os.memfd_create("x%d"%k,0); fs.append(f)
    for i in range(384): os.write(f,b)
import time; time.sleep(0.5); sys.exit(0)
P
