#!/bin/bash
# must NOT connect to an abstract socket of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
command -v python3 >/dev/null || exit 77
python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.settimeout(3); s.connect('\0sub-agent-a-$NONCE'); assert s.recv(9)==b'from-a'" 2>/dev/null
