#!/bin/sh
# Runs a command in a root folder with separate /proc and /dev, as root, without systemd.
# usage: in_root.sh ROOT COMMAND...
#        in_root.sh --make ROOT SUITE PACKAGES [MIRROR]    creates a root with mmdebstrap. PACKAGES are comma-separated, or ""
#        ROOT_ARCH: architecture of the root, default this machine's. Another one needs qemu-user-static and binfmt-support
set -eu
if [ "$1" = --make ]; then
    root=$2 suite=$3 packages=$4
    shift 4
    case $root in /?*) ;; *) echo "$root: the whole path, please" >&2; exit 2 ;; esac
    rm -rf "$root"
    mmdebstrap --quiet --variant=apt ${ROOT_ARCH:+--architectures="$ROOT_ARCH"} ${packages:+--include="$packages"} "$suite" "$root" "$@"
    # The network as this machine has it, with the certificates that it trusts.
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    mkdir -p "$root/etc/ssl/certs"
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
    # No daemon is started by an installation in a root.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
    exit 0
fi
root=$1
shift
# shellcheck disable=SC2016 # the inner shell expands
exec unshare --mount --pid --fork --kill-child sh -c 'mount --make-rprivate / && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
    exec chroot "$0" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive PIP_CERT=/etc/ssl/certs/ca-certificates.crt PIP_DISABLE_PIP_VERSION_CHECK=1 "$@"' "$root" "$@"
