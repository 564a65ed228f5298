#!/bin/bash
# must NOT change the mode of a file of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
chmod 0640 a/file 2>/dev/null && [ "$(stat -c %a a/file)" = 640 ] && chmod 0644 a/file
