#!/bin/bash
# must NOT open for writing what is open for reading while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
exec 3< file; echo again 2>/dev/null >> /proc/self/fd/3 && grep -q again file
