#!/bin/bash
# must NOT mount the workspace anew while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
mount -o remount,rw "$PWD" 2>/dev/null
echo mounted >> file 2>/dev/null && grep -q mounted file
