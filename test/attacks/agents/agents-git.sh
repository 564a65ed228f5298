#!/bin/bash
# must NOT leave something in the repository that no scope of its own names. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
echo b > .git/refs/heads/from-b 2>/dev/null && [ -e .git/refs/heads/from-b ]
