#!/bin/bash
# must NOT reach a server through a proxy of the program, unless that very server is granted. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
need curl; [ -n "$http_proxy$HTTP_PROXY" ] || exit 1
curl --noproxy '' -s -m 5 "http://127.0.0.1:$ATK_TCP/" 2>/dev/null | grep -q ATKOK
