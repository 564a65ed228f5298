#!/bin/sh
# Compares what slug.sh prints with what it should print.
failed=0
check() {
  got=$(sh slug.sh "$1")
  if [ "$got" = "$2" ]; then echo "ok      $1 -> $got"; else echo "FAILED  $1 -> $got, expected $2"; failed=1; fi
}
check "Hello" "hello"
check "Hello World" "hello-world"
check "Hello, World!" "hello-world"
check "  many   spaces  " "many-spaces"
exit $failed
