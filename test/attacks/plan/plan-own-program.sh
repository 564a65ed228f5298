#!/bin/bash
# must NOT write by a program that it wrote itself while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
printf '#!/bin/sh\necho program >> "%s/file"\n' "$PWD" > "$TMPDIR/program" && chmod +x "$TMPDIR/program" || exit 77
"$TMPDIR/program" 2>/dev/null && grep -q program file
