#!/bin/sh
# Every public header can be included alone, in C and in C++.
# usage: headers.sh INCLUDE_FOLDER...    where the headers are; the first have them all below
set -eu
flags=''
for folder in "$@"; do flags="$flags -I$folder"; done
count=0
for folder in "$@"; do
    for header in "$folder"/*/*.h; do
        name=${header#"$folder"/}
        # ISO C does not allow an empty file, so a declaration follows the header.
        # shellcheck disable=SC2086 # flags are meant to be split
        printf '#include <%s>\nextern int behind;\n' "$name" |
            "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $flags -x c -
        # shellcheck disable=SC2086
        printf '#include <%s>\nextern int behind;\n' "$name" |
            "${CXX:-c++}" -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $flags -x c++ -
        count=$((count + 1))
    done
done
[ "$count" -gt 10 ]
echo "$count headers, each alone, in C11 and in C++17"
