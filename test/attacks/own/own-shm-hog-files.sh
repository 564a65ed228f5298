#!/bin/bash
# must NOT fill the machine's memory with files in shared memory that nobody holds open. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ "${ATK_RC:-1}" = 0 ]
. "${SBX_ENV:-./attack.env}" || exit 77
for i in 1 2 3 4 5; do head -c 500M /dev/zero > /dev/shm/atk_hog$i 2>/dev/null || { rm -f /dev/shm/atk_hog*; exit 1; }; done; sleep 1.2; rm -f /dev/shm/atk_hog*
