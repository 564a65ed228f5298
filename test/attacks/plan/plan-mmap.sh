#!/bin/bash
# must NOT write a file through shared memory while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
command -v python3 >/dev/null || exit 77
python3 -c 'import mmap; f = open("file", "r+b"); m = mmap.mmap(f.fileno(), 0); m[0:1] = b"M"; m.flush()' 2>/dev/null && grep -q ^M file
