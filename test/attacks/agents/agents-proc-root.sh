#!/bin/bash
# must NOT write below the root or the working folder of a process of another sub-agent. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
echo proc >> "/proc/$VICTIM/cwd/a/file" 2>/dev/null && exit 0
echo proc >> "/proc/$VICTIM/root$PWD/a/file" 2>/dev/null
