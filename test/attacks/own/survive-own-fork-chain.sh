#!/bin/bash
# must NOT outlive the call by forking all the time, each child leaving its session. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: f="$ATK_WS/atk_hb_chain"; sleep 0.7; a=$(wc -l < "$f"); sleep 1.2; b=$(wc -l < "$f"); [ "$b" -gt "$a" ]
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import os,time
if os.fork()==0:
    end=time.time()+12
    n=0
    while time.time()<end:
        if os.fork(): os._exit(0)
        os.setsid(); n+=1
        if n%50==0:
            f=os.open("atk_hb_chain",os.O_APPEND|os.O_CREAT|os.O_WRONLY,0o644); os.write(f,b"x\n"); os.close(f)
        time.sleep(0.001)
    os._exit(0)
time.sleep(0.6)
P
exit 0
