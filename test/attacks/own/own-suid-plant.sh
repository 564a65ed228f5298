#!/bin/bash
# must NOT leave a program in the workspace that lends its owner (set-user-ID) or group to whoever starts it, by any call that takes a mode. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: r=1; for f in "$ATK_WS"/atk_suid*; do { [ -u "$f" ] || [ -g "$f" ]; } && [ ! -d "$f" ] && r=0; done; rm -f "$ATK_WS"/atk_suid*; [ $r = 0 ]
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import ctypes,os,stat,sys
c=ctypes.CDLL(None,use_errno=True)
won=0
def made(p):
    global won
    try:
        m=os.lstat(p)
        if stat.S_ISREG(m.st_mode) and m.st_mode&0o6000: won+=1; print(p,oct(m.st_mode))
    except OSError: pass
def plain(p): open(p,"w").close(); return p
os.umask(0)
for bits in (0o4755,0o2755,0o6755):
    n="atk_suid_%o_"%bits
    ways={
     "chmod":lambda p: c.syscall(90,plain(p).encode(),bits),
     "fchmod":lambda p: c.syscall(91,os.open(plain(p),os.O_RDONLY),bits),
     "fchmodat":lambda p: c.syscall(268,-100,plain(p).encode(),bits),
     "fchmodat2":lambda p: c.syscall(452,-100,plain(p).encode(),bits,0),
     "high":lambda p: c.syscall(90,plain(p).encode(),ctypes.c_uint64(bits|1<<40)),
     "creat":lambda p: c.syscall(85,p.encode(),bits),
     "open":lambda p: c.syscall(2,p.encode(),os.O_CREAT|os.O_WRONLY,bits),
     "openat":lambda p: c.syscall(257,-100,p.encode(),os.O_CREAT|os.O_WRONLY,bits),
     "openat2":lambda p: c.syscall(437,-100,p.encode(),(ctypes.c_uint64*3)(os.O_CREAT|os.O_WRONLY,bits,0),24),
     "mknod":lambda p: c.syscall(133,p.encode(),stat.S_IFREG|bits,0),
     "mknodat":lambda p: c.syscall(259,-100,p.encode(),stat.S_IFREG|bits,0),
    }
    for k,f in ways.items():
        p=n+k
        try: f(p)
        except OSError as e: pass
        made(p)
    try:
        fd=c.syscall(257,-100,b".",0o20200000|os.O_RDWR,bits)
        if fd>=0: c.linkat(-100,b"/proc/self/fd/%d"%fd,-100,(n+"tmpfile").encode(),0x400)
    except OSError: pass
    made(n+"tmpfile")
sys.exit(0 if won else 1)
P
