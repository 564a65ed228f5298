#!/bin/bash
# must NOT overwrite a file outside through a name with a newline, a control character or bytes that are no UTF-8. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ -n "$(find "$ATK_OUT" -name "*atk_name*")" ]
. "${SBX_ENV:-./attack.env}" || exit 77
n=1; for s in $'\n' $'\x01' $'\xff' $'\u202e'; do echo x > "$ATK_WS/../out/${s}atk_name" 2>/dev/null && n=0; ln -sfn "$ATK_OUT" "./atk_${s}l" 2>/dev/null; echo x > "./atk_${s}l/${s}atk_name" 2>/dev/null && n=0; rm -f "./atk_${s}l"; done; exit $n
