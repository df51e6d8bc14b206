#!/bin/sh
# The container's image in use: unpacked, run by runc with a read-only root, no capability, as its user and with nothing but its volumes:
# the program on an archive, and the daemon with its health check. As root, with buildah and runc.
# usage: container.sh IMAGE.tar      of deploy/container/build.sh
set -eu
image=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
store="--root $work/storage --runroot $work/run --storage-driver vfs"
# shellcheck disable=SC2086 # options are meant to be split
cleanup() {
    [ -z "${daemon:-}" ] || kill "$daemon" 2>/dev/null || true
    buildah $store rm --all >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap cleanup EXIT
# shellcheck disable=SC2086
container=$(buildah $store from --quiet "docker-archive:$image" 2>"$work/from")
# shellcheck disable=SC2086
root=$(buildah $store mount "$container")
# shellcheck disable=SC2086
buildah $store inspect "$container" >"$work/inspect.json"
mkdir -p "$work/config" "$work/state/in" "$work/state/out"
cp "$here/../../samples/news.warc.gz" "$work/config"
cat >"$work/config/thresher.conf" <<END
[daemon]
listen = 0.0.0.0:9464
[spool]
path = /var/lib/thresher/in
min-age-ms = 0
[files]
path = /var/lib/thresher/out
END
chown -R 10001:10001 "$work/state"
# Result of the image's configuration in a container engine.
python3 - "$work" "$root" <<'END'
import json, os, sys
work, root = sys.argv[1:]
config = json.load(open(work + '/inspect.json'))['Docker']['config']
assert config['User'] == '10001:10001' and config['Healthcheck']['Test'][0] == 'CMD' and '/var/lib/thresher' in config['Volumes'], config
def bundle(name, command):
    os.makedirs(work + '/bundle/' + name)
    user, group = map(int, config['User'].split(':'))
    mount = lambda at, source, mode: {'destination': at, 'type': 'bind', 'source': source, 'options': ['rbind', mode]}
    json.dump({'ociVersion': '1.0.0', 'root': {'path': root, 'readonly': True}, 'hostname': 'thresher',
               'process': {'terminal': False, 'user': {'uid': user, 'gid': group}, 'args': command, 'env': config['Env'], 'cwd': config['WorkingDir'],
                           'noNewPrivileges': True, 'capabilities': {}},
               'mounts': [{'destination': '/proc', 'type': 'proc', 'source': 'proc'},
                          {'destination': '/dev', 'type': 'tmpfs', 'source': 'tmpfs', 'options': ['nosuid', 'strictatime', 'mode=755', 'size=65536k']},
                          mount('/etc/thresher', work + '/config', 'ro'), mount('/var/lib/thresher', work + '/state', 'rw')],
               'linux': {'namespaces': [{'type': kind} for kind in ('pid', 'ipc', 'uts', 'mount')]}},
              open(work + '/bundle/' + name + '/config.json', 'w'))
bundle('run', config['Entrypoint'] + ['run', '-q', '/etc/thresher/news.warc.gz'])
bundle('serve', config['Entrypoint'] + config['Cmd'])
bundle('health', config['Healthcheck']['Test'][1:])
bundle('write', ['busybox', 'touch', '/etc/passwd'])
END
in_container() { runc --root "$work/runc" run --bundle "$work/bundle/$1" "thresher-$1-$$"; }
in_container run >"$work/records.jsonl"
test "$(wc -l <"$work/records.jsonl")" -gt 40
if in_container write 2>"$work/refused"; then echo 'the root can be written'; exit 1; fi
if in_container health 2>/dev/null; then echo 'healthy without a daemon'; exit 1; fi
in_container serve 2>"$work/log" &
daemon=$!
for _ in $(seq 100); do
    if in_container health 2>/dev/null; then break; fi
    sleep .2
done
in_container health
cp "$work/config/news.warc.gz" "$work/state/in/one.warc.gz"
chown 10001:10001 "$work/state/in/one.warc.gz"
for _ in $(seq 100); do
    [ ! -e "$work/state/in/done/one.warc.gz" ] || break
    sleep .2
done
runc --root "$work/runc" kill "thresher-serve-$$" TERM
wait "$daemon" || { cat "$work/log"; exit 1; }
daemon=
cat "$work"/state/out/thresher-*.jsonl >"$work/served.jsonl"
test "$(wc -l <"$work/served.jsonl")" = "$(wc -l <"$work/records.jsonl")"
test "$(stat -c %u "$work"/state/out/thresher-*.jsonl | sort -u)" = 10001
echo "$(wc -l <"$work/served.jsonl") records by the daemon in its container, healthy, read-only, as user 10001"
