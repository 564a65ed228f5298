#!/bin/bash
# must NOT make a link while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
ln -s /etc link 2>/dev/null && [ -L link ]
