#!/bin/bash
# must NOT get from a proxy of the program any other place than what is listed: other ports, names of the same machine, other spellings of the address, a tunnel. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
need curl; [ -n "$http_proxy$HTTP_PROXY" ] || exit 1
for h in localhost 127.0.0.2 0.0.0.0 "[::1]" "[::ffff:127.0.0.1]" 2130706433 0x7f.1 127.1 "127.0.0.1." "$(hostname)"; do
  for o in "" "-p"; do curl $o --noproxy '' -s -m 3 "http://$h:$ATK_TCP6/" 2>/dev/null | grep -q ATKOK && exit 0; done
  case "$h" in 127.1|2130706433|0x7f.1|127.0.0.1.|*ffff*) continue;; esac # the listed address by other names
  { curl --noproxy '' -s -m 3 "http://$h:$ATK_TCP/" 2>/dev/null | grep -q ATKOK && exit 0; }
done
curl --noproxy '' -s -m 3 -H "Host: 127.0.0.1:$ATK_TCP" "http://127.0.0.1:1/" 2>/dev/null | grep -q ATKOK && exit 0; exit 1
