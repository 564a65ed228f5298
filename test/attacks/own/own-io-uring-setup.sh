#!/bin/bash
# must NOT run queued operations of io_uring. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY -c 'import ctypes,sys
c=ctypes.CDLL(None)
b=ctypes.create_string_buffer(120)
sys.exit(0 if c.syscall(425,8,b)>=0 else 1)'
