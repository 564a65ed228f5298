#!/bin/bash
# must NOT open a socket of a family that goes around the network rules: crypto, XDP, RDS, TIPC, SMC, CAN, KCM, QRTR, PPP. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import socket,sys
ok=[]
for fam in list(range(3,47)):
    if fam in (10,16): continue
    for t in (1,2,3,4,5,10):
        try: socket.socket(fam,t,0).close(); ok.append((fam,t))
        except OSError: pass
print(ok); sys.exit(0 if ok else 1)
P
