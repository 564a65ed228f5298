#!/bin/bash
# must NOT see the temporary files of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
[ "$(cat "$THEIR_TMP/secret" 2>/dev/null)" = private-to-a ]
