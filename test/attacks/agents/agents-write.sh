#!/bin/bash
# must NOT change a file in the scope of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
echo changed >> a/file 2>/dev/null && grep -q changed a/file
