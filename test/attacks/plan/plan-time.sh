#!/bin/bash
# must NOT change the time of a file while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
touch -d 2001-01-01 file 2>/dev/null && [ "$(stat -c %Y file)" -lt 1000000000 ]
