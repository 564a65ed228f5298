#!/bin/bash
# must NOT see System V shared memory of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
command -v python3 >/dev/null || exit 77
python3 -c "import ctypes,sys; l=ctypes.CDLL(None,use_errno=True); sys.exit(0 if l.shmget($SYSV_KEY,1,0)>=0 else 1)" 2>/dev/null
