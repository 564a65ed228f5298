#!/bin/bash
# must NOT make a socket in the workspace while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
command -v python3 >/dev/null || exit 77
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' 2>/dev/null && [ -S socket ]
