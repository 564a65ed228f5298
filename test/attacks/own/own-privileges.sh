#!/bin/bash
# must NOT regain privileges: set uid or gid, raise capabilities, unlock limits. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import os,sys,ctypes,resource
ok=1
caps=[l for l in open("/proc/self/status") if l.startswith(("CapEff","CapPrm","CapBnd","CapAmb"))]
if any(int(l.split()[1],16) for l in caps if not l.startswith("CapBnd")): ok=0
if "NoNewPrivs:\t1" not in open("/proc/self/status").read(): ok=0
for f in (lambda:os.setuid(65534 if os.getuid()==0 else 0),lambda:os.setgroups([]),lambda:os.chown("attack.env",12,12)):
    try: f(); ok=0
    except OSError: pass
sys.exit(ok)
P
