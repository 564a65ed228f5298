#!/bin/bash
# must NOT write a file through a second name in its own temporary folder while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
for twin in "$TMPDIR/twin" sub/twin; do ln file "$twin" 2>/dev/null && echo own >> "$twin"; done
grep -q own file
