#!/bin/bash
# must NOT make a branch while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
git branch planned 2>/dev/null && git rev-parse -q --verify planned >/dev/null
