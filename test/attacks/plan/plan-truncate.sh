#!/bin/bash
# must NOT empty a file while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
truncate -s 0 emptied 2>/dev/null && [ ! -s emptied ]
