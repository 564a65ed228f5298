#!/bin/bash
# must NOT reach the kernel through a netlink family other than the one that lists addresses (devices, processes, filters, audit). Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import socket,sys
for family in range(1,23):
    for t in (2,3):
        try: s=socket.socket(16,t,family); s.close(); print(family,t); sys.exit(0)
        except OSError: pass
sys.exit(1)
P
