#!/bin/bash
# must NOT put a link in the place of its own scope, for the next process to follow. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
mv b away 2>/dev/null && ln -s a b && [ -L b ] && rm b && mv away b
