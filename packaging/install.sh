#!/bin/sh
# Installs sandpiper below a folder of yours: PREFIX/bin/sandpiper, its manual page and completions.
#
#   SANDPIPER_PREFIX    where to, ~/.local unless set
#   SANDPIPER_BASE_URL  where the files of a release are: archives and SHA256SUMS
#
# Nothing is put in place before its checksum is right, and a run that fails leaves everything as it was.
set -eu

version='@VERSION@'
base=${SANDPIPER_BASE_URL:-'@BASE@'}
work=
# What a run that fails takes back, one a line: files under their temporary names, and folders, the deepest first.
staged=
made=
line='
'

fail() {
  printf 'error: sandpiper is not installed: %s\n' "$1" >&2
  exit 1
}

cleanup() {
  printf '%s' "$staged" | while IFS= read -r file; do rm -f "$file.$$"; done
  printf '%s' "$made" | while IFS= read -r folder; do rmdir "$folder" 2>/dev/null || :; done
  [ -z "$work" ] || rm -rf "$work"
}

# folder PATH: makes it and those above it that are not there.
folder() {
  [ ! -d "$1" ] || return 0
  folder "$(dirname "$1")"
  mkdir "$1" 2>/dev/null || fail "$1 cannot be made; set SANDPIPER_PREFIX to a folder of yours"
  made=$1$line$made
}

# stage FILE PLACE: a copy beside the place, which takes it when nothing can fail any more.
stage() {
  folder "$(dirname "$2")"
  staged=$staged$2$line
  cp "$1" "$2.$$" 2>/dev/null ||
    fail "$(dirname "$2") cannot be written, or its disk is full; set SANDPIPER_PREFIX to a folder of yours"
}

# The target's name, as archives have it.
target() {
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "there is no archive for $(uname -s); on Windows use install.ps1" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) processor=x64 ;;
    aarch64 | arm64) processor=arm64 ;;
    *) fail "there is no archive for $(uname -m) processors" ;;
  esac
  if [ "$system" = linux ] && ldd --version 2>&1 | grep -qi musl; then
    fail 'it needs the GNU C library, and this system has musl'
  fi
  printf '%s-%s' "$system" "$processor"
}

# fetch NAME FILE: one file of the release; a server that breaks off is a failure, and no error page is taken for a file.
fetch() {
  if command -v curl >/dev/null 2>&1; then
    case $base in
      https:*) curl --proto '=https' --tlsv1.2 -fsSL --retry 2 -o "$2" "$base/$1" ;;
      *) curl -fsSL -o "$2" "$base/$1" ;;
    esac
  elif command -v wget >/dev/null 2>&1; then
    # It has no option that keeps to https where a server leads elsewhere.
    wget -S -O "$2" "$base/$1" 2>"$work/said" && case $base in
      https:*) ! grep -qi '^ *location: *http:' "$work/said" ;;
    esac
  else
    fail 'neither curl nor wget is there'
  fi || fail "$base/$1 cannot be fetched whole"
}

# checksum FILE: its SHA-256 in hexadecimal digits.
checksum() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  elif command -v openssl >/dev/null 2>&1; then
    openssl dgst -sha256 "$1" | sed 's/^.* //'
  else
    fail 'no program for checksums is there (sha256sum, shasum or openssl), and nothing is installed unchecked'
  fi
}

main() {
  case $version in
    @*) fail 'this file is the one of the sources; take install.sh of a release' ;;
  esac
  prefix=${SANDPIPER_PREFIX:-"${HOME:?is not set; set SANDPIPER_PREFIX}/.local"}
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  case $prefix in
    *"$line"*) fail 'the folder has a line break in its name' ;;
  esac
  case $base in
    http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
    [Hh][Tt][Tt][Pp]:*) fail "$base is open to anyone on the way, who could change all of it; use https" ;;
    [Hh][Tt][Tt][Pp][Ss]:*) base=https:${base#*:} ;;
  esac
  name=sandpiper-$version-$(target)
  trap cleanup EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  work=$(mktemp -d) || fail 'no temporary folder can be made'

  fetch SHA256SUMS "$work/sums"
  wanted=$(awk -v file="$name.tar.gz" '$2 == file || $2 == "*" file { print $1 }' "$work/sums")
  [ -n "$wanted" ] || fail "$base/SHA256SUMS does not name $name.tar.gz"
  fetch "$name.tar.gz" "$work/archive"
  found=$(checksum "$work/archive")
  [ -n "$found" ] || fail 'no checksum of the archive can be made'
  [ "$found" = "$wanted" ] ||
    fail "$name.tar.gz has the SHA-256 $found, and SHA256SUMS names $wanted: it is damaged, or somebody changed it"
  tar -xzf "$work/archive" -C "$work" || fail "$name.tar.gz cannot be unpacked"
  "$work/$name/sandpiper" --version >/dev/null || fail 'the program does not run on this system'

  folder "$prefix/bin"
  prefix=$(cd "$prefix" && pwd -P)
  program=$prefix/bin/sandpiper
  share=$prefix/share
  [ ! -d "$program" ] || fail "$program is a folder"
  [ ! -L "$program" ] || fail "$program is a link, which something else put there; remove it first"
  printf 'by=install.sh\nversion=%s\nfrom=%s\npath=%s\n' "$version" "$base" "$program" >"$work/receipt"
  stage "$work/receipt" "$share/sandpiper/install-receipt"
  stage "$work/$name/sandpiper.1" "$share/man/man1/sandpiper.1"
  stage "$work/$name/completions/sandpiper.bash" "$share/bash-completion/completions/sandpiper"
  stage "$work/$name/completions/_sandpiper" "$share/zsh/site-functions/_sandpiper"
  stage "$work/$name/completions/sandpiper.fish" "$share/fish/vendor_completions.d/sandpiper.fish"
  stage "$work/$name/sandpiper" "$program"
  chmod 755 "$program.$$"
  printf '%s' "$staged" | while IFS= read -r file; do mv -f "$file.$$" "$file"; done
  staged=
  made=

  printf 'sandpiper %s is installed: %s\n' "$version" "$prefix/bin/sandpiper"
  case :${PATH:-}: in
    *":$prefix/bin:"*) ;;
    *) printf '%s is not in your PATH. For this shell: export PATH="%s:%s"\n' "$prefix/bin" "$prefix/bin" "\$PATH" ;;
  esac
}

# All of it is read before anything is done: a script that is piped here and breaks off does nothing.
main
