#!/bin/bash
# must NOT hand LD_PRELOAD or BASH_ENV on to a process of the host. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ -e "$ATK_OUT/atk_preload" ]
. "${SBX_ENV:-./attack.env}" || exit 77
need gcc
printf '#include <fcntl.h>\n__attribute__((constructor)) void f(){open("%s/atk_preload",O_CREAT|O_WRONLY,0644);}' "$ATK_OUT" > atk_p.c && gcc -shared -fPIC -o atk_p.so atk_p.c || exit 1
export LD_PRELOAD=$PWD/atk_p.so BASH_ENV=$PWD/atk_env; echo "touch $ATK_OUT/atk_preload" > atk_env; bash -c true; ls >/dev/null; [ -e "$ATK_OUT/atk_preload" ]
