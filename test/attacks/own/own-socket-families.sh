#!/bin/bash
# must NOT reach the host through a virtual machine socket, Bluetooth, packet or other families. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import socket,sys
for fam in list(range(3,10))+list(range(11,16))+list(range(17,46)):
    for t in (1,2,3,5):
        try: s=socket.socket(fam,t,0); s.close(); print(fam,t); sys.exit(0)
        except OSError: pass
sys.exit(1)
P
