#!/bin/bash
# must NOT reach a server while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
timeout 3 bash -c "exec 3<>/dev/tcp/127.0.0.1/$(cat port)" 2>/dev/null
