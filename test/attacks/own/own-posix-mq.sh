#!/bin/bash
# must NOT read the victim's POSIX message queue. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P' | atk_check
import ctypes,os
r=ctypes.CDLL("librt.so.1",use_errno=True)
q=r.mq_open(os.environ["ATK_MQ"].encode(),0)
b=ctypes.create_string_buffer(65536)
if q>=0 and r.mq_receive(q,b,65536,None)>0: print(b.value.decode())
P
