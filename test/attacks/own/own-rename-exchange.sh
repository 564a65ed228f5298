#!/bin/bash
# must NOT move or swap anything over the border of the workspace: exchange, whiteout, links by descriptor, from a moved folder. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ "$(cat "$ATK_OUT/victim_mv" 2>/dev/null)" != data ] || [ -e "$ATK_OUT/atk_ex" ]; r=$?; rm -rf "$ATK_OUT/atk_ex"; [ -e "$ATK_OUT/victim_mv" ] || echo data > "$ATK_OUT/victim_mv"; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P'
import ctypes,os,sys
c=ctypes.CDLL(None,use_errno=True); out=os.environ["ATK_OUT"]; won=0
open("atk_in","w").write("planted"); os.makedirs("atk_d/e",exist_ok=True)
def try_(f):
    global won
    try:
        if f() in (0,None): won+=1; print("won",f.__code__.co_consts)
    except OSError: pass
b=lambda s:s.encode()
try_(lambda:c.renameat2(-100,b"atk_in",-100,b(out+"/victim_mv"),2))
try_(lambda:c.renameat2(-100,b(out+"/victim_mv"),-100,b"atk_in",2))
fd=os.open("atk_in",os.O_RDONLY)
try_(lambda:c.linkat(fd,b"",-100,b(out+"/atk_ex"),0x1000))
try_(lambda:c.linkat(-100,b"/proc/self/fd/%d"%fd,-100,b(out+"/atk_ex"),0x400))
t=c.syscall(257,-100,b".",0o20200000|2,0o600)
if t>=0: try_(lambda:c.linkat(-100,b"/proc/self/fd/%d"%t,-100,b(out+"/atk_ex"),0x400))
try:
    p=os.open(out+"/victim_mv",0o10000000); try_(lambda:c.linkat(-100,b"/proc/self/fd/%d"%p,-100,b"atk_stolen",0x400))
except OSError: pass
os.chdir("atk_d/e"); os.rename("../../atk_d/e","../../atk_e2")
try_(lambda:os.rename("../atk_in","../../out/atk_ex"))
os.chdir(os.environ["ATK_WS"])
try_(lambda:c.renameat2(-100,b"atk_in",-100,b(out+"/atk_ex"),4))
sys.exit(0 if won else 1)
P
