#!/bin/sh
# The image of the Containerfile, without a registry: its first stage on this machine, its second by buildah.
# usage: build.sh THRESHER.deb IMAGE.tar      as root; the package is of this distribution (deploy/debian/build.sh)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
deb=$1 image=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/context"
"$here/root.sh" "$deb" "$work/context/root-fs"
sed -n '/^FROM scratch/,$p' "$here/Containerfile" | sed 's/ --from=build / /' >"$work/Containerfile"
rm -f "$image"
buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs bud --quiet --format docker --timestamp "${SOURCE_DATE_EPOCH:-1767225600}" \
    -f "$work/Containerfile" -t thresher:latest "$work/context" >/dev/null
buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs push --quiet thresher:latest "docker-archive:$image:thresher:latest"
size=$(du -sb "$work/context/root-fs" | cut -f1)
echo "$image: $(wc -c <"$image") bytes, $size unpacked"
[ "$size" -lt 60000000 ] || { du -ab "$work/context/root-fs" | sort -rn | head -40; echo 'the image is to have less than 60,000,000 bytes'; exit 1; }
