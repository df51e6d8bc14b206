#!/bin/sh
# Makes a libicudata with only the data that thresher uses: word breaks with their dictionaries (Japanese needs ja.res and nfkc.nrm), the converters with
# tables for parse/charset/double_byte.c, preferred codes and scripts of languages, and IDNA. Debian's has 28 MB, this one 5.
# tests/install/cut_icu.py compares the output with both.
# usage: cut_icu.sh FOLDER      FOLDER gets libicudata.so.NN; needs icu-devtools, binutils and gcc
set -eu
out=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
whole=$(ls /usr/lib/*/libicudata.so.??)
number=${whole##*.}
whole=$(readlink -f "$whole")
data=$work/icudt${number}l.dat
objcopy -O binary --only-section=.rodata "$whole" "$data"
icupkg -l "$data" | grep -vE '^brkitr/(root\.res|ja\.res|res_index\.res|[a-z_]*\.brk|.*\.dict)$|^(cnvalias\.icu|metadata\.res|likelySubtags\.res|nfkc\.nrm|uts46\.nrm)$' |
    grep -vE '^(gb18030|ibm-1375_P100-2008|euc-jp-2007|ibm-1363_P11B-1998|ibm-943_P15A-2003|windows-949-2000)\.cnv$' >"$work/rest.lst"
mkdir "$work/cut" # the items' names start with the file's
cut=$work/cut/icudt${number}l.dat
icupkg -r "$work/rest.lst" "$data" "$cut"
cat >"$work/data.S" <<END
        .section .rodata
        .balign 16
        .globl icudt${number}_dat
        .type icudt${number}_dat, %object
icudt${number}_dat:
        .incbin "$cut"
        .size icudt${number}_dat, . - icudt${number}_dat
        .section .note.GNU-stack,"",%progbits
END
mkdir -p "$out"
gcc -shared -nostdlib -Wl,-soname,"libicudata.so.$number" "$work/data.S" -o "$out/libicudata.so.$number"
ls -l "$out/libicudata.so.$number"
