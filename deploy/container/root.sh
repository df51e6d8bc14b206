#!/bin/sh
# The folder that becomes the container's root: the program of a package, the libraries that it needs, certificates, a user and a
# busybox for the health check, without a package manager and an interpreter. ICU's data is cut to the used parts.
# usage: root.sh THRESHER.deb ROOT      as root, on the distribution that the package was built for; needs mmdebstrap, gcc, binutils, icu-devtools
set -eu
deb=$1 root=$2
here=$(cd "$(dirname "$0")" && pwd)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
libraries=$(dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/ *(.*//; s/^ *//; /^adduser$/d' | paste -sd, -)
mmdebstrap --quiet --variant=extract --include="$libraries,ca-certificates,busybox-static,base-files,netbase" \
    "$suite" "$root" http://deb.debian.org/debian
dpkg-deb -x "$deb" "$root"
# In place of the scripts of the packages, which did not run.
find "$root/usr/share/ca-certificates" -name '*.crt' -print0 | sort -z | xargs -0 cat >"$root/etc/ssl/certs/ca-certificates.crt"
sh "$here/../cut_icu.sh" "$root/cut" >/dev/null
for data in "$root"/cut/*; do mv "$data" "$(readlink -f "$root"/usr/lib/*/"${data##*/}")"; done
rmdir "$root/cut"
# A library's own loader finds these by their names; nothing else is run.
keep='thresher|busybox|env'
find "$root/usr/bin" "$root/usr/sbin" "$root/bin" "$root/sbin" -mindepth 1 2>/dev/null | grep -vE "/($keep)$" | xargs -r rm -rf
find "$root" -path '*/gconv/*' -type f -delete
rm -rf "$root"/usr/share/doc "$root"/usr/share/man "$root"/usr/share/locale "$root"/usr/share/ca-certificates "$root"/usr/share/perl* \
    "$root"/usr/share/info "$root"/usr/share/lintian "$root"/usr/share/bash-completion "$root"/usr/share/zsh "$root"/usr/share/fish \
    "$root"/usr/lib/*/perl* "$root"/usr/lib/systemd "$root"/lib/systemd "$root"/var/* "$root"/boot "$root"/home "$root"/media "$root"/mnt "$root"/opt "$root"/srv
printf 'root:x:0:0:root:/:/usr/sbin/nologin\nthresher:x:10001:10001:thresher, the daemon:/var/lib/thresher:/usr/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nthresher:x:10001:\n' >"$root/etc/group"
install -d -m 755 "$root/var/lib"
install -d -m 700 -o 10001 -g 10001 "$root/var/lib/thresher"
install -d -m 1777 "$root/tmp" "$root/var/tmp"
find "$root" -xdev -print0 | xargs -0 -r touch -hd "@${SOURCE_DATE_EPOCH:-1767225600}"
