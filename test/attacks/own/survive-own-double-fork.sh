#!/bin/bash
# must NOT touch the workspace after the call through a process that left its session and closed its streams. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: f="$ATK_WS/atk_hb_own"; sleep 0.7; a=$(wc -l < "$f"); sleep 1.2; b=$(wc -l < "$f"); [ "$b" -gt "$a" ]
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import os,time,signal
if os.fork()==0:
    os.setsid()
    if os.fork()==0:
        for s in range(1,64):
            if s not in (9,19,32,33):
                try: signal.signal(s,signal.SIG_IGN)
                except (OSError,ValueError): pass
        os.closerange(0,64)
        for i in range(60):
            f=os.open("atk_hb_own",os.O_APPEND|os.O_CREAT|os.O_WRONLY,0o644); os.write(f,b"x\n"); os.close(f); time.sleep(0.25)
        os._exit(0)
    os._exit(0)
time.sleep(0.5)
P
exit 0
