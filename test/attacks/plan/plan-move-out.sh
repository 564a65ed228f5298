#!/bin/bash
# must NOT move a file into its own temporary folder while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
mv taken "$TMPDIR/taken" 2>/dev/null && [ ! -e taken ]
