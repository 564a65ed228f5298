#!/bin/bash
# must NOT give a file a second name and write it there while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
ln file twin 2>/dev/null && echo twin >> twin && grep -q twin file
