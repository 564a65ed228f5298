#!/bin/bash
# must NOT make a file in the scope of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
: > a/made-by-b 2>/dev/null && [ -e a/made-by-b ]
