#!/bin/bash
# must NOT plant what a desktop or a shell of the user starts later. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
# VERIFY: cd "$ATK_HOME"; r=1; for f in .config/systemd/user/atk.service .local/share/dbus-1/services/atk.service .config/environment.d/atk.conf .pam_environment .xprofile .config/fish/config.fish .config/nvim/init.lua .local/bin/git; do [ -e $f ] && { rm -f $f; r=0; }; done; exit $r
. "${SBX_ENV:-./attack.env}" || exit 77
n=1; for f in .config/systemd/user/atk.service .local/share/dbus-1/services/atk.service .config/environment.d/atk.conf .pam_environment .xprofile .config/fish/config.fish .config/nvim/init.lua .local/bin/git; do mkdir -p "$ATK_HOME/$(dirname $f)" 2>/dev/null; echo x > "$ATK_HOME/$f" 2>/dev/null && n=0; done; exit $n
