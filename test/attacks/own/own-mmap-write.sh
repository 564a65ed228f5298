#!/bin/bash
# must NOT change an outside file through a mapping or another way of opening it. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ "$(cat "$ATK_OUT/victim_hl")" != data ]; r=$?; echo data > "$ATK_OUT/victim_hl"; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import mmap,os,sys
p=os.environ["ATK_OUT"]+"/victim_hl"; won=0
for f in (os.O_RDWR,os.O_WRONLY,os.O_RDONLY|os.O_TRUNC,os.O_WRONLY|os.O_APPEND,os.O_RDWR|os.O_DIRECT,os.O_WRONLY|os.O_CREAT):
    try:
        fd=os.open(p,f,0o644); won=1
        if f==os.O_RDWR: mmap.mmap(fd,4,mmap.MAP_SHARED,mmap.PROT_READ|mmap.PROT_WRITE)[0:4]=b"took"
    except (OSError,ValueError): pass
sys.exit(0 if won else 1)
P
