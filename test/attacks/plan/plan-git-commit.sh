#!/bin/bash
# must NOT leave a commit in the repository while a plan is made. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
before=$(git rev-parse HEAD 2>/dev/null) || exit 77
git -c user.name=a -c user.email=a@b commit -q --allow-empty -m planned 2>/dev/null && [ "$(git rev-parse HEAD)" != "$before" ]
