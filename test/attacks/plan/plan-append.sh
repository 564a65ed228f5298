#!/bin/bash
# must NOT write to the end of a file while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
echo more >> file 2>/dev/null && grep -q more file
