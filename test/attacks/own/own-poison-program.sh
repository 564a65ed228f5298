#!/bin/bash
# must NOT change the program's own files (binary, source, module cache): the next confined process starts from them. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: for f in $ATK_PROGRAM_FILES; do find "$f" -name "*atk*" | grep -q . && exit 0; tail -c 20 "$f" 2>/dev/null | grep -q "atk-mark" && exit 0; done; exit 1
. "${SBX_ENV:-./attack.env}" || exit 77
n=0; for f in $ATK_PROGRAM_FILES; do
  [ -d "$f" ] && touch "$f/atk_module.js" "$f/npm/atk_module.js" 2>/dev/null && n=1
  (printf '//atk-mark' >> "$f") 2>/dev/null && n=1
  mv "$f" "$f.atk" 2>/dev/null && n=1; ln -f ./attack.env "$f" 2>/dev/null && n=1
done; [ $n = 1 ]
