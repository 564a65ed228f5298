#!/bin/bash
# must NOT run a program outside of what is granted by the loader, by a script's first line or by a descriptor. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
needpy
cp "$ATK_OUT/secret.txt" atk_x 2>/dev/null && exit 0
printf '#!%s\n' "$ATK_OUT/secret.txt" > atk_s; chmod +x atk_s; ./atk_s 2>&1 | atk_check && exit 0
/lib64/ld-linux-x86-64.so.2 "$ATK_OUT/secret.txt" 2>&1 | atk_check && exit 0
LD_PRELOAD="$ATK_OUT/secret.txt" /bin/true 2>&1 | atk_check && exit 0
$PY -c 'import os;fd=os.open(os.environ["ATK_OUT"]+"/secret.txt",0o10000000);os.execve("/proc/self/fd/%d"%fd,["x"],{})' 2>&1 | atk_check && exit 0
bash -c ". $ATK_OUT/secret.txt" 2>&1 | atk_check
