#!/bin/sh
# Installs satyrn-engine: fetches a release's archive, verifies its checksum, then places the executable.
#
#   install.sh --base-url URL --version VERSION [--dir DIR]
#
# URL is the folder that holds the release's files; DIR is ~/.local/bin unless given.
set -eu

main() {
  version='' base_url='' dir=${HOME:-}/.local/bin
  while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || fail "$1 needs a value, or is not a flag; accepted are --version, --dir and --base-url"
    case $1 in
      --version) version=${2#v} ;;
      --dir) dir=$2 ;;
      --base-url) base_url=${2%/} ;;
      *) fail "unknown flag $1; accepted are --version, --dir and --base-url" ;;
    esac
    shift 2
  done
  [ -n "$base_url" ] || fail "--base-url is required: the folder that holds the release's files"
  case $version in
    '' | *[!0-9A-Za-z.+-]*) fail "--version must be a release such as 1.2.3, not '$version'" ;;
  esac

  name=satyrn-engine-$version-$(target)
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  fetch SHA256SUMS
  fetch "$name.tar.gz"
  verify "$name.tar.gz"
  tar -xzf "$work/$name.tar.gz" -C "$work" "$name/satyrn-engine"
  place
  echo "installed $dir/satyrn-engine"
  case :$PATH: in
    *":$dir:"*) ;;
    *) echo "to put it on PATH, add to your shell's profile: export PATH=\"$dir:\$PATH\"" ;;
  esac
}

target() {
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "no executable is made for $(uname -s); on Windows use install.ps1" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "no executable is made for $(uname -m)" ;;
  esac
  libc=''
  # A glibc's ldd names itself; musl's names musl, and a system without ldd is taken for glibc's.
  if [ "$system" = linux ] && ldd --version 2>&1 | grep -qi musl; then libc=-musl; fi
  echo "$system-$arch$libc"
}

fetch() {
  if command -v curl >/dev/null; then
    curl -fsSL -o "$work/$1" -- "$base_url/$1" || fail "$base_url/$1 could not be fetched"
  elif command -v wget >/dev/null; then
    wget -q -O "$work/$1" -- "$base_url/$1" || fail "$base_url/$1 could not be fetched"
  else
    fail "neither curl nor wget is there to fetch with"
  fi
}

verify() {
  expected=$(awk -v name="$1" '$2 == name { print $1 }' "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "SHA256SUMS does not name $1"
  if command -v sha256sum >/dev/null; then
    found=$(sha256sum "$work/$1")
  else
    found=$(shasum -a 256 "$work/$1")
  fi
  found=${found%% *}
  [ "$found" = "$expected" ] || fail "$1 has SHA-256 $found, not $expected: nothing was installed"
}

# Beside its place first: a rename replaces an executable that runs, a copy onto it does not.
place() {
  mkdir -p "$dir"
  cp "$work/$name/satyrn-engine" "$dir/.satyrn-engine.$$"
  chmod 755 "$dir/.satyrn-engine.$$"
  mv -f "$dir/.satyrn-engine.$$" "$dir/satyrn-engine"
}

fail() {
  echo "install: $1" >&2
  exit 1
}

# Called on the last line, so that a script cut off while it was fetched does nothing.
main "$@"
