#!/bin/bash
# must NOT change flags of files outside (chattr, project, verity): by ioctl and by file_setattr. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ -n "$ATK_OUT" ] && f="$ATK_OUT/victim_mode" && lsattr -d "$f" 2>/dev/null | cut -d" " -f1 | grep -q "[dASV]"; r=$?; chattr -dAS "$f" 2>/dev/null; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import ctypes,os,sys,fcntl,struct
c=ctypes.CDLL(None,use_errno=True); f=os.environ["ATK_OUT"]+"/victim_mode"; won=0
a=struct.pack("<IIIIIQ",0xC0,0,0,0,0,0)[:32].ljust(32,b"\0")
if c.syscall(469,-100,f.encode(),ctypes.create_string_buffer(struct.pack("<QIIII",0xC0,0,0,0,0)),24,0)==0: won=1; print("file_setattr")
for flags in (os.O_RDONLY,0o10000000,os.O_WRONLY):
    try:
        fd=os.open(f,flags)
        fcntl.ioctl(fd,0x40086602,struct.pack("l",0x40|0x80)); won=1; print("ioctl",flags)
    except OSError: pass
sys.exit(0 if won else 1)
P
