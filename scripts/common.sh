#!/usr/bin/env bash
# The common part of the scripts: `. "$(dirname "$0")/common.sh"` goes to the root of the repository and defines the
# functions below; --help prints the comment at the top of the script.
set -euo pipefail

caller=$PWD # Paths in arguments and variables are relative to this folder, not to the root.
script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1-} == -h || ${1-} == --help ]]; then
    sed -n '2,${/^#/!q;s/^# \{0,1\}//;p}' "$script"
    exit
fi

# Ends the script, since it was called in a wrong way.
refuse() { echo "$(basename "$script"): $1; --help says more" >&2; exit 2; }

# Refuses options, fewer arguments than the first number and more than the second: `arguments 0 1 "$@"`.
arguments() {
    local least=$1 most=$2 argument
    shift 2
    for argument in "$@"; do if [[ $argument == -* ]]; then refuse "$argument: no such option"; fi; done
    if (($# < least)); then refuse "an argument is missing"; fi
    if (($# > most)); then refuse "${!#}: one argument too many"; fi
}

# Prints a path given by the caller, as an absolute path.
named() { if [[ $1 == /* ]]; then echo "$1"; else echo "$caller/$1"; fi; }

# Prints the path of a program given by the caller: by its path, or by its name alone.
tool() { if [[ $1 == */* ]]; then named "$1"; else echo "$1"; fi; }

# Succeeds if a folder holds a complete dataset.
is_dataset() { [[ -d $1 ]] && "$gipf" data info "$1" > /dev/null 2>&1; }

# Creates the folder $folder, which is removed when the script ends, as are its jobs.
scratch() { folder=$(mktemp -d); trap 'kill $(jobs -p) 2> /dev/null || true; wait; rm -rf "$folder"' EXIT; }

# Prints the folder in which cargo builds.
target() { cargo metadata --format-version 1 --no-deps | grep -o '"target_directory":"[^"]*' | cut -d'"' -f4; }

# Builds the program with these options of cargo, unless GIPF names one, and sets $gipf to its path.
program() {
    if [[ -n ${GIPF-} ]]; then gipf=$(named "$GIPF"); else cargo build --release --quiet "$@"; gipf=$(target)/release/gipf; fi
}

# Prints the folder of the programs of a virtual environment, which is another one on Windows.
programs() { if [[ -d $1/Scripts ]]; then echo "$1/Scripts"; else echo "$1/bin"; fi; }

# Creates a virtual environment in the folder given first, in which pip installs the other arguments.
environment() {
    "$(command -v python3 || command -v python)" -m venv "$1"
    "$(programs "$1")/pip" install --quiet --disable-pip-version-check "${@:2}"
}

# Runs `cargo test` with these arguments, and fails if that runs no test.
tests() { cargo test "$@" | tee >(cat >&2) | grep -c '^running [1-9]' > /dev/null; }

# Prints a command and runs it.
step() { printf '\n== %s\n' "$*"; "$@"; }
