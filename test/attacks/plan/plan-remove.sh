#!/bin/bash
# must NOT remove a file while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
rm -f victim 2>/dev/null && [ ! -e victim ]
