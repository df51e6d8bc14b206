#!/bin/sh
# Cuts ICU's data to the parts that thresher uses: word breaks with their dictionaries (Japanese needs ja.res and nfkc.nrm), the converters with tables
# for parse/charset/double_byte.c, preferred codes and scripts of languages, and IDNA. tests/install/cut_icu.py compares the output with both.
# Debian's libicudata has 28 MB, this one 5. Needs icu-devtools.
# usage: cut_icu.sh FOLDER         FOLDER gets libicudata.so.NN, from Debian's; needs binutils and gcc
#        cut_icu.sh FOLDER DATA    FOLDER gets data.S, from DATA (icudtNNl.dat of ICU's source)
set -eu
out=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -gt 1 ]; then
    data=$2
    number=${data##*/icudt}
    number=${number%l.dat}
else
    whole=$(ls /usr/lib/*/libicudata.so.??)
    number=${whole##*.}
    data=$work/icudt${number}l.dat
    objcopy -O binary --only-section=.rodata "$(readlink -f "$whole")" "$data"
fi
icupkg -l "$data" >"$work/all.lst"
# ICU 76 and 78 have the likely scripts in langInfo.res.
scripts=langInfo
! grep -q '^likelySubtags' "$work/all.lst" || scripts=likelySubtags
grep -vE '^brkitr/(root\.res|ja\.res|res_index\.res|[a-z_]*\.brk|.*\.dict)$|^(cnvalias\.icu|metadata\.res|'$scripts'\.res|nfkc\.nrm|uts46\.nrm)$' "$work/all.lst" |
    grep -vE '^(gb18030(-2022)?|ibm-1375_P100-2008|euc-jp-2007|ibm-1363_P11B-1998|ibm-943_P15A-2003|windows-949-2000)\.cnv$' >"$work/rest.lst"
mkdir -p "$out/cut" # the items' names start with the file's
cut=$out/cut/icudt${number}l.dat
icupkg -r "$work/rest.lst" "$data" "$cut"
cat >"$out/data.S" <<END
        .section .rodata
        .balign 16
        .globl icudt${number}_dat
        .type icudt${number}_dat, %object
icudt${number}_dat:
        .incbin "$cut"
        .size icudt${number}_dat, . - icudt${number}_dat
        .section .note.GNU-stack,"",%progbits
END
[ $# -eq 1 ] || exit 0
gcc -shared -nostdlib -Wl,-soname,"libicudata.so.$number" "$out/data.S" -o "$out/libicudata.so.$number"
rm -r "$out/cut" "$out/data.S"
ls -l "$out/libicudata.so.$number"
