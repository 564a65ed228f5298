#!/bin/bash
# must NOT write a file through a link of its own while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
ln -sf "$PWD/file" "$TMPDIR/to-file" || exit 77
echo linked >> "$TMPDIR/to-file" 2>/dev/null && grep -q linked file
