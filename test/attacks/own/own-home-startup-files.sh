#!/bin/bash
# must NOT make the next command run code through a preload file in the home, the temporary folder or the private cache. Success (exit 0) = the escape WORKED; any other exit = held; 77 = prerequisite missing.
. "${SBX_ENV:-./attack.env}" || exit 77
# An earlier call would have written these; this one looks whether any of them steers a program that it did not name.
for f in "$HOME/.bash_profile" "$HOME/.bashrc" "$HOME/.profile" "$HOME/.zshenv" "$HOME/.pythonstartup" "$HOME/.gitconfig" "$HOME/.config/git/config"; do
  (echo '# atk' >> "$f") 2>/dev/null && { sed -i '/^# atk$/d' "$f" 2>/dev/null; exit 0; }
done; exit 1
