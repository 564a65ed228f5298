#!/bin/bash
# must NOT write after its call, from a session of its own while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
setsid bash -c 'echo detached >> file; touch detached' >/dev/null 2>&1 &
wait; grep -q detached file
