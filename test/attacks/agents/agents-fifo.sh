#!/bin/bash
# must NOT send something through a pipe of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
timeout 3 bash -c 'echo hello > a/pipe' 2>/dev/null
