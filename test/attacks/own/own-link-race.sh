#!/bin/bash
# must NOT win a race by swapping a folder for a link while it is written to. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ -e "$ATK_OUT/atk_race" ]
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
mkdir -p atk_m/d
$PY - <<'P'
import os,sys
os.chdir("atk_m"); out=os.environ["ATK_OUT"]; won=out+"/atk_race"
# One process swaps, another writes: far more often in a second than commands of a shell could.
pid=os.fork()
if pid==0:
    try:
        for i in range(1000):
            os.symlink(out,"l")
            for a,b in (("d","e"),("l","d"),("d","l"),("e","d")): os.rename(a,b)
            os.unlink("l")
    finally: os._exit(0)
while os.waitpid(pid,os.WNOHANG)==(0,0):
    for i in range(50):
        try: os.close(os.open("d/atk_race",os.O_WRONLY|os.O_CREAT,0o644))
        except OSError: pass
sys.exit(0 if os.path.lexists(won) else 1)
P
