#!/bin/bash
# must NOT read the session of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
grep -rqs "Sub-agent A" "$SESSIONS"
