#!/bin/bash
# must NOT climb out by .. from a folder that was moved while it was the working directory. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
mkdir -p atk_m/a/b/c && cd atk_m/a/b/c && mv ../../../a ../../../../atk_moved 2>/dev/null; p=; for i in $(seq 1 30); do p=../$p; cat "$p${ATK_OUT#/}/secret.txt" 2>/dev/null | atk_check && exit 0; done; rm -rf "$ATK_WS/atk_moved"; exit 1
