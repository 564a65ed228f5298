#!/bin/bash
# must NOT use x32 numbers to get past the filter. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import ctypes,sys
c=ctypes.CDLL(None,use_errno=True)
for nr,a in ((0x40000000+41,(2,2,0)),(0x40000000+425,(4,0)),(0x40000000+272,(0x10000000,)),(0x40000000+101,(0,0,0,0))):
    if c.syscall(ctypes.c_long(nr),*a)>=0: sys.exit(0)
sys.exit(1)
P
