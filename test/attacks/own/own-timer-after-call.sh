#!/bin/bash
# must NOT run something after the call through a timer, a queue or a service of the machine. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: sleep 2; [ -e "$ATK_WS/atk_later" ]; r=$?; rm -f "$ATK_WS/atk_later"; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
(trap '' TERM HUP INT QUIT; sleep 1; touch atk_later) & disown
$PY -c '
import os,signal,time
if os.fork(): os._exit(0)
os.setsid()
for s in range(1,32):
    try: signal.signal(s,signal.SIG_IGN)
    except (OSError,ValueError): pass
os.closerange(0,64)
if os.fork(): os._exit(0)
signal.setitimer(signal.ITIMER_REAL,0.5); time.sleep(1); open("atk_later","w").close()'
exit 0
