#!/bin/bash
# must NOT leave an object in the repository while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
id=$(echo planned | git hash-object -w --stdin 2>/dev/null) && git cat-file -e "$id"
