#!/bin/bash
# must NOT leave something in shared memory that other processes of the machine see. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ -e /dev/shm/atk_shm ] && rm -f /dev/shm/atk_shm
. "${SBX_ENV:-./attack.env}" || exit 77
echo x > /dev/shm/atk_shm 2>/dev/null
