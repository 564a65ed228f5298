#!/bin/bash
# must NOT make a later git outside run a filter or include a file through attributes and configuration. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: cd "$ATK_WS"; r=1; grep -qs "filter=atk" .git/info/attributes && { rm -f .git/info/attributes; r=0; }; grep -qs atk .git/config && { git config --remove-section filter.atk; git config --unset include.path; r=0; }; [ $r = 0 ]
. "${SBX_ENV:-./attack.env}" || exit 77
n=1; mkdir -p .git/info 2>/dev/null; echo '* filter=atk' > .git/info/attributes 2>/dev/null && n=0; git config include.path ../atk_m/x 2>/dev/null && n=0; git config filter.atk.clean 'touch x' 2>/dev/null && n=0; exit $n
