#!/bin/sh
# The part of packages.sh that runs in the clean root. /made/old, /made/new and /t exist.
set -eux
cd /t
apt-get -q update
apt-get -q -y install --no-install-recommends /made/old/thresher_*.deb
thresher --version
getent passwd thresher
test "$(dpkg-query -W -f '${Conffiles}' thresher | awk '{ print $1 }')" = /etc/thresher/thresher.conf
thresher run -q news.warc.gz >records.jsonl
test "$(wc -l <records.jsonl)" -gt 40

# As shipped it has nothing to read, and says so with 2 or 78, at which the unit is not started again.
command=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/thresher.service)
before=$(sed -n 's/^ExecStartPre=//p' /usr/lib/systemd/system/thresher.service)
code=0
$command || code=$?
test "$code" = 2 -o "$code" = 78

# The administrator's configuration, and the daemon as its unit starts it, under its user.
install -d -o thresher -g thresher -m 700 /var/lib/thresher
install -d -o thresher -g thresher /var/lib/thresher/in /var/lib/thresher/out
cat >/etc/thresher/thresher.conf <<END
[daemon]
listen = unix:/var/lib/thresher/http.sock
[spool]
path = /var/lib/thresher/in
min-age-ms = 0
[files]
path = /var/lib/thresher/out
END
serve_once() { # an archive in, its records out, an orderly end
    cp "$1" "/var/lib/thresher/in/$1"
    chown thresher: "/var/lib/thresher/in/$1"
    setpriv --reuid thresher --regid thresher --clear-groups $before
    setpriv --reuid thresher --regid thresher --clear-groups $command 2>"log.$1" &
    daemon=$!
    for _ in $(seq 100); do
        [ ! -e "/var/lib/thresher/in/done/$1" ] || break
        sleep .2
    done
    kill "$daemon"
    wait "$daemon" || { cat "log.$1"; exit 1; }
    cat /var/lib/thresher/out/thresher-*.jsonl | wc -l
}
serve_once news.warc.gz
test "$(cat /var/lib/thresher/out/thresher-*.jsonl | wc -l)" = "$(wc -l <records.jsonl)"

# An upgrade keeps the configuration and the record of finished files.
apt-get -q -y install /made/new/thresher_*.deb
grep -q /var/lib/thresher/in /etc/thresher/thresher.conf
gzip -dc news.warc.gz >other.warc # a copy of the first file would be skipped
serve_once other.warc
test "$(cat /var/lib/thresher/out/thresher-*.jsonl | wc -l)" = $((2 * $(wc -l <records.jsonl)))

# Pages and completions.
dpkg -L thresher | grep -E 'man1/thresher-run.1|bash-completion/completions/thresher|zsh/vendor-completions/_thresher|grafana|thresher.fish' || true
bash -c 'complete() { :; }; . <(thresher completion bash)'

# The research program, next to it.
apt-get -q -y install --no-install-recommends /made/new/thresher-lab_*.deb
test "$(thresher-lab run -q -s gcuts news.warc.gz | wc -l)" = "$(wc -l <records.jsonl)"

# The libraries, by the users' own programs.
apt-get -q -y install --no-install-recommends /made/new/lib*.deb gcc libc6-dev pkg-config
cc page.c -o page $(pkg-config --cflags --libs libthresher)
cc archive.c -o archive $(pkg-config --cflags --libs libwarc)
./page | head -3
./archive news.warc.gz | head -3
ldd page archive | grep -E 'libthresher|libwarc'

# A removal keeps configuration and state. A purge removes both.
apt-get -q -y remove thresher
test -e /etc/thresher/thresher.conf -a -d /var/lib/thresher -a ! -e /usr/bin/thresher
apt-get -q -y purge thresher
test ! -e /etc/thresher -a ! -e /var/lib/thresher
apt-get -q -y purge thresher-lab 'libthresher*' 'libwarc*'
test -z "$(find / -xdev -name '*thresher*' ! -path '/t/*' ! -path '/made*' ! -path '/proc/*' ! -path '/sys/*' ! -path '/var/cache/*' ! -path '/var/log/*')"
