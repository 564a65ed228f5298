#!/bin/bash
# must NOT move a file of its own into the workspace while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
echo mine > "$TMPDIR/mine" || exit 77
mv "$TMPDIR/mine" brought 2>/dev/null && [ -e brought ]
