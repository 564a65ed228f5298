#!/bin/bash
# must NOT write among the temporary files of the agent that started it. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
[ -n "$PARENT_TMP" ] || exit 77
echo b > "$PARENT_TMP/from-b" 2>/dev/null && [ -e "$PARENT_TMP/from-b" ]
