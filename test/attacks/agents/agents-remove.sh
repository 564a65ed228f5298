#!/bin/bash
# must NOT remove a file from the scope of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
rm -f a/victim 2>/dev/null && [ ! -e a/victim ]
