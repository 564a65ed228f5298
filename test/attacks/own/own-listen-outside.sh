#!/bin/bash
# must NOT listen on another address than loopback, nor on a port of the machine's own services (below 1024): every address, without bind, by a race on the memory. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
timeout 10 $PY - <<'P'
import ctypes,os,socket,struct,sys,threading,time
libc=ctypes.CDLL(None,use_errno=True)
def outside(s):
    h,p=s.getsockname()[:2]; return p!=0 and h not in ("127.0.0.1","::1","::ffff:127.0.0.1")
def attempt(f,h,p,bind=True):
    try:
        s=socket.socket(f); s.setsockopt(1,2,1)
        if bind: s.bind((h,p))
        s.listen(5); r=outside(s) or 0<s.getsockname()[1]<1024; s.close(); return r
    except OSError: return False
hosts=[(socket.AF_INET,h) for h in ("0.0.0.0","127.0.0.2","127.1.1.1","255.255.255.255","10.0.0.1")]+[(socket.AF_INET6,h) for h in ("::","::ffff:0.0.0.0","::ffff:127.0.0.2","fe80::1")]
won=any(attempt(f,h,p) for f,h in hosts for p in (0,80,1023)) or any(attempt(f,"",0,False) for f in (2,10)) or attempt(2,"127.0.0.1",81)
def address(ip): return struct.pack("<HH",2,0)+ip+bytes(8)
buf=ctypes.create_string_buffer(address(b"\x7f\0\0\1"),16); stop=[0]
def flip():
    while not stop[0]: ctypes.memmove(buf,address(bytes(4)),16); ctypes.memmove(buf,address(b"\x7f\0\0\1"),16)
threading.Thread(target=flip,daemon=True).start(); end=time.time()+2
while time.time()<end and not won:
    try: s=socket.socket()
    except OSError: break
    if libc.bind(s.fileno(),buf,16)==0 and libc.listen(s.fileno(),5)==0 and outside(s): won=True
    s.close()
os._exit(0 if won else 1)
P
