#!/bin/bash
# must NOT get a second name for a file of another sub-agent and write it there. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
ln -f a/file b/twin 2>/dev/null && echo twin >> b/twin && grep -q twin a/file
