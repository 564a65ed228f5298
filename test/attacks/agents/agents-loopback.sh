#!/bin/bash
# must NOT reach a server of another sub-agent on the loopback. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
[ -n "$PORT" ] || exit 77
timeout 3 bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT && read -r -n 6 -u 3 x; [ \"\$x\" = from-a ]" 2>/dev/null
