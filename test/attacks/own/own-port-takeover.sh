#!/bin/bash
# must NOT reach the host's TCP listener as if it were a server of its own: the same port by another address or family, shared (SO_REUSEPORT), bound and closed. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import os,socket,sys
ports=[int(os.environ[k]) for k in ("ATK_TCP","ATK_TCP6")]
def reaches(f,h,p,mine):
    c=socket.socket(f); c.settimeout(3)
    try:
        c.connect((h,p)); own=None
        # What comes to the script's own server has not gone to the host's, and nothing would answer it.
        try: own=mine and mine.accept()[0]
        except OSError: pass
        if own: own.close(); return False
        c.sendall(b"GET / HTTP/1.0\r\n\r\n"); return b"ATKOK" in c.recv(999)
    except OSError: return False
    finally: c.close()
for p in ports:
    for f,h in ((2,"127.0.0.1"),(10,"::1"),(2,"0.0.0.0"),(10,"::"),(10,"::ffff:127.0.0.1")):
        for option in (None,2,15):
            for close in (False,True):
                s=None
                try:
                    s=socket.socket(f); s.setblocking(False)
                    if option: s.setsockopt(1,option,1)
                    if f==10: s.setsockopt(41,26,1)
                    s.bind((h,p)); s.listen(5)
                except OSError: pass
                if close and s: s.close(); s=None
                if any(reaches(a,b,p,s) for a,b in ((2,"127.0.0.1"),(10,"::1"),(10,"::ffff:127.0.0.1"))): sys.exit(0)
                if s: s.close()
sys.exit(1)
P
