#!/bin/sh
# Installs satyrn-engine: fetches a release's archive, verifies its checksum, then places the executable. See `usage`.
set -eu

main() {
  version=latest base_url='' dir=''
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help)
        usage
        return
        ;;
    esac
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
    '' | *[!0-9A-Za-z.+-]*) fail "--version must be a release such as 1.2.3, or latest, not '$version'" ;;
  esac
  if [ -z "$dir" ]; then
    [ -n "${HOME:-}" ] || fail "HOME is not set, so --dir is required: the folder for the executable"
    dir=$HOME/.local/bin
  fi
  case $dir in
    /*) ;;
    *) dir=$PWD/$dir ;;
  esac
  # Nothing is left of the root, whose own name is given where it is named alone.
  while [ "$dir" != "${dir%/}" ]; do dir=${dir%/}; done

  target=$(target)
  staged=''
  work=$(mktemp -d) || fail "there is no folder for temporary files"
  trap 'rm -rf "$work" ${staged:+"$staged"}' EXIT
  trap 'exit 1' HUP INT TERM
  fetch SHA256SUMS
  [ "$version" != latest ] || version=$(latest)
  name=satyrn-engine-$version-$target
  fetch "$name.tar.gz"
  verify "$name.tar.gz"
  tar -xzf "$work/$name.tar.gz" -C "$work" "$name/satyrn-engine"
  place
  echo "installed $dir/satyrn-engine"
  case :$PATH: in
    *":${dir:-/}:"*) ;;
    *) echo "to put it on PATH, add to your shell's profile: export PATH=\"${dir:-/}:\$PATH\"" ;;
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
    curl -fsSL --globoff -o "$work/$1" -- "$base_url/$1" || fail "$base_url/$1 could not be fetched"
  elif command -v wget >/dev/null; then
    # GNU's wget asks twenty times for what is cut off, for minutes; BusyBox's once.
    tries=''
    if wget --help 2>&1 | grep -q -e --tries; then tries=--tries=2; fi
    wget -q $tries -O "$work/$1" -- "$base_url/$1" || fail "$base_url/$1 could not be fetched"
  else
    fail "neither curl nor wget is there to fetch with"
  fi
}

# The version of the one archive for this system that the sums name.
latest() {
  awk -v end="-$target.tar.gz" '
    index($2, "satyrn-engine-") == 1 && substr($2, length($2) - length(end) + 1) == end {
      found[++count] = substr($2, 15, length($2) - 14 - length(end))
    }
    END {
      if (count == 1 && found[1] ~ /^[0-9A-Za-z.+-]+$/) print found[1]
      else exit 1
    }' "$work/SHA256SUMS" || fail "SHA256SUMS does not name exactly one archive for $target: give --version"
}

verify() {
  expected=$(awk -v name="$1" '$2 == name { print $1 }' "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "SHA256SUMS does not name $1"
  if command -v sha256sum >/dev/null; then
    found=$(sha256sum "$work/$1")
  elif command -v shasum >/dev/null; then
    found=$(shasum -a 256 "$work/$1")
  else
    fail "neither sha256sum nor shasum is there to verify with: nothing was installed"
  fi
  found=${found%% *}
  [ "$found" = "$expected" ] || fail "$1 has SHA-256 $found, not $expected: nothing was installed"
}

# Beside its place first: a rename replaces an executable that runs, a copy onto it does not.
place() {
  mkdir -p "${dir:-/}" || fail "$dir cannot be made: nothing was installed"
  staged=$dir/.satyrn-engine.$$
  cp "$work/$name/satyrn-engine" "$staged" && chmod 755 "$staged" && mv -f "$staged" "$dir/satyrn-engine" ||
    fail "${dir:-/} cannot be written: nothing was installed"
}

usage() {
  cat <<'END'
Usage: install.sh --base-url URL [--version VERSION] [--dir DIR]

Fetches an archive of satyrn-engine, verifies its checksum, and places the executable.

  --base-url URL      the folder that holds the release's files
  --version VERSION   the release there; without it, or with "latest", the one that the folder's SHA256SUMS names
  --dir DIR           where the executable goes; ~/.local/bin unless given
END
}

fail() {
  echo "install: $1" >&2
  exit 1
}

# Called on the last line, so that a script cut off while it was fetched does nothing.
main "$@"
