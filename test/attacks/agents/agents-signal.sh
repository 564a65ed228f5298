#!/bin/bash
# must NOT signal a process of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
kill -0 "$VICTIM" 2>/dev/null
