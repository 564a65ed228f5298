#!/bin/bash
# must NOT set an attribute of a file while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
command -v python3 >/dev/null || exit 77
python3 -c 'import os; os.setxattr("file", "user.plan", b"x")' 2>/dev/null
