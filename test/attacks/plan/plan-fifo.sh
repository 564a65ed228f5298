#!/bin/bash
# must NOT make a pipe while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
mkfifo pipe 2>/dev/null && [ -p pipe ]
