#!/bin/bash
# must NOT see what another sub-agent has in shared memory. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
[ -e "/dev/shm/sub-agent-a-$NONCE" ]
