#!/bin/bash
# must NOT send the host's listeners anything over loopback, by any address of it. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: sleep 0.2; grep -q atk-loop "$ATK_OUT/hits.log"
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import socket,os,sys
ok=1
for h in ("127.0.0.1","127.0.0.2","0.0.0.0","::1","::","::ffff:127.0.0.1","localhost"):
    for k,t in (("ATK_TCP",1),("ATK_UDP",2)):
        try:
            i=socket.getaddrinfo(h,int(os.environ[k]),0,t)[0]; s=socket.socket(i[0],t); s.settimeout(1); s.connect(i[4]); s.send(b"atk-loop"); ok=0
        except OSError: pass
sys.exit(ok)
P
