#!/bin/bash
# must NOT write through a link of its own into the scope of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
ln -sfn ../a b/door && echo linked >> b/door/file 2>/dev/null && grep -q linked a/file
