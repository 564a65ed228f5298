#!/bin/bash
# must NOT get memory that nobody counts (memfd_secret). Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY -c "import ctypes,sys; sys.exit(0 if ctypes.CDLL(None).syscall(447,0) >= 0 else 1)"
