#!/bin/bash
# must NOT reach a datagram or abstract socket of the host by a socket pair or a bound name. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import socket,os,sys
for t in (socket.SOCK_DGRAM,socket.SOCK_STREAM,socket.SOCK_SEQPACKET):
    for a in ("\0"+os.environ["ATK_ABS"],os.environ["ATK_UNIX"],os.environ["ATK_UNIXD"]):
        try:
            p=socket.socketpair(socket.AF_UNIX,t)[0]
            p.connect(a); sys.exit(0)
        except OSError: pass
        try:
            s=socket.socket(socket.AF_UNIX,t); s.bind("./atk_s%d"%t) if not os.path.exists("./atk_s%d"%t) else None; s.connect(a); sys.exit(0)
        except OSError: pass
sys.exit(1)
P
