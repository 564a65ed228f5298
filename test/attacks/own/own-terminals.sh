#!/bin/bash
# must NOT open terminals of the machine or inject keys into them. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import os,sys,fcntl,glob
for t in ["/dev/tty","/dev/console","/dev/tty1","/dev/ttyS0","/dev/vcs1"]+[p for p in glob.glob("/dev/pts/*") if p!="/dev/pts/ptmx"]:
    try: f=os.open(t,os.O_RDWR|os.O_NOCTTY|os.O_NONBLOCK); print(t); sys.exit(0)
    except OSError: pass
m,s=os.openpty() if os.access("/dev/ptmx",os.W_OK) else (None,None)
if s is not None:
    try: fcntl.ioctl(s,0x5412,b"x"); sys.exit(0)
    except OSError: pass
sys.exit(1)
P
