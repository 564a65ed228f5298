#!/bin/bash
# must NOT write settings or agents that the next start would take. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. ./facts.env || exit 77
mkdir -p .sandpiper/agents 2>/dev/null && echo x > .sandpiper/agents/evil.md && [ -e .sandpiper/agents/evil.md ]
