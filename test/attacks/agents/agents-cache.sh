#!/bin/bash
# must NOT write into the cache of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
echo b > "$THEIR_CACHE/from-b" 2>/dev/null && [ -e "$THEIR_CACHE/from-b" ]
