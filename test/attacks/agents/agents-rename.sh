#!/bin/bash
# must NOT move files of another sub-agent into its own scope. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
mv a/moved b/moved 2>/dev/null && [ -e b/moved ]
