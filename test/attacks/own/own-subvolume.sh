#!/bin/bash
# must NOT have the file system copy or change what is only read: subvolumes and snapshots (btrfs, bcachefs), copies by path (ocfs2), keys of encrypted folders. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
# EPERM is the filter's answer; any other one came from the file system, whichever it is.
$PY - <<'P'
import ctypes,errno,os,sys
c=ctypes.CDLL(None,use_errno=True); won=0
fd=os.open(".",os.O_RDONLY)
for name,request in (("subvolume",0x5000940e),("snapshot",0x50009401),("snapshot v2",0x50009417),("destroy",0x5000940f),("bcachefs",0x4010bc10),
                     ("reflink",0x40186f04),("policy",0x800c6613),("remove key",0xc0406618)):
    a=ctypes.create_string_buffer(4096); a[8:11]=b"atk"
    if c.ioctl(fd,ctypes.c_ulong(request),a)==0 or ctypes.get_errno()!=errno.EPERM: won=1; print(name,ctypes.get_errno())
sys.exit(0 if won else 1)
P
