#!/bin/bash
# must NOT make itself readable or dump core outside. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: ls "$ATK_OUT"/core* /tmp/core.* 2>/dev/null | grep -q .
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
ulimit -c unlimited 2>/dev/null; $PY -c 'import ctypes,os,resource
c=ctypes.CDLL(None); c.prctl(4,1,0,0,0)
try: resource.setrlimit(resource.RLIMIT_CORE,(-1,-1))
except Exception: pass
os.abort()' 2>/dev/null; ls core* 2>/dev/null | grep -q core
