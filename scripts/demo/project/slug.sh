#!/bin/sh
# Prints its argument as a slug: lower case, words joined by single dashes.
printf '%s\n' "$1" | tr 'A-Z' 'a-z' | tr ' ' '-'
