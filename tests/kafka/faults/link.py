"""Two network namespaces with one wire between them, which delays, reorders, loses and cuts real IP packets.

The kernel's netem is not everywhere; a TUN device at each end and a process that carries the packets are. Needs root.
The caller's own namespace is the near end (`enter` makes it a fresh one); processes are put at the far end by `join`.
"""
import ctypes
import fcntl
import heapq
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import time

NEAR, FAR = '10.99.0.1', '10.99.0.2'
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454ca, 1, 0x1000
CLONE_NEWNET, PR_SET_PDEATHSIG = 0x40000000, 1
libc = ctypes.CDLL(None, use_errno=True)


def enter():
    """Restarts this program in a new network namespace, unless it is in one. Returns False if that is impossible."""
    if os.environ.get('THRESHER_FAULTS_NETNS') == '1':
        return True
    if os.geteuid() != 0 or not os.path.exists('/dev/net/tun'):
        return False
    os.environ['THRESHER_FAULTS_NETNS'] = '1'
    os.execvp('unshare', ['unshare', '--net', sys.executable, *sys.argv])


def set_namespace(fd):
    if libc.setns(fd, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), 'setns')


def make_tun(name):
    fd = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack('16sH', name.encode(), IFF_TUN | IFF_NO_PI))
    return fd


def flow_of(packet):
    """Returns the TCP connection of an IPv4 packet, the same from both ends, or None if there is none."""
    if len(packet) < 24 or packet[0] >> 4 != 4 or packet[9] != 6:
        return None
    at = (packet[0] & 15) * 4
    return frozenset(((packet[12:16], packet[at:at + 2]), (packet[16:20], packet[at + 2:at + 4])))


class Link:
    """`set(...)` replaces what the wire does; `counts()` tells what it did since the start."""

    def __init__(self):
        self.holder = subprocess.Popen(['unshare', '--net', 'sleep', 'infinity'], preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
        own = os.open('/proc/self/ns/net', os.O_RDONLY)
        while True:  # until the holder is in its namespace
            self.far = os.open('/proc/%d/ns/net' % self.holder.pid, os.O_RDONLY)
            if os.fstat(self.far).st_ino != os.fstat(own).st_ino:
                break
            os.close(self.far)
            time.sleep(0.01)
        near_fd = make_tun('near')
        self.configure('near', NEAR, FAR)
        set_namespace(self.far)
        far_fd = make_tun('far')
        self.configure('far', FAR, NEAR)
        set_namespace(own)
        self.control, other = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            self.control.close()
            Wire(near_fd, far_fd, other).run()
            os._exit(0)
        for fd in (near_fd, far_fd):
            os.close(fd)
        other.close()
        self.answers = self.control.makefile('rb')

    @staticmethod
    def configure(device, address, peer):
        for words in (['link', 'set', 'lo', 'up'], ['addr', 'add', address, 'peer', peer, 'dev', device], ['link', 'set', device, 'up']):
            subprocess.run(['ip', *words], check=True)

    def join(self):
        """Puts the calling process at the far end."""
        set_namespace(self.far)

    def set(self, **policy):
        """delay_ms, jitter_ms (each packet for itself, so that they overtake each other), loss (0..1), cut: '', 'both', 'to-near' or
        'to-far', silence: connections that exist now carry nothing any more, new ones do."""
        self.control.sendall(json.dumps(policy).encode() + b'\n')
        return json.loads(self.answers.readline())

    def counts(self):
        return self.set(keep=True)

    def close(self):
        self.control.shutdown(socket.SHUT_RDWR)
        os.waitpid(self.pid, 0)
        self.holder.kill()
        self.holder.wait()


class Wire:
    """The process between the two devices."""

    def __init__(self, near_fd, far_fd, control):
        self.ends = {near_fd: far_fd, far_fd: near_fd}
        self.near, self.control = near_fd, control
        self.policy, self.flows, self.silent = {}, set(), set()
        self.counted = {'carried': 0, 'lost': 0, 'cut': 0, 'silenced': 0}
        self.queue, self.number = [], 0
        self.rng = random.Random(7)

    def run(self):
        poll = select.poll()
        for fd in (*self.ends, self.control.fileno()):
            poll.register(fd, select.POLLIN)
        commands = self.control.makefile('rb')
        while True:
            wait = max(0, self.queue[0][0] - time.monotonic()) * 1000 if self.queue else None
            for fd, _ in poll.poll(wait):
                if fd in self.ends:
                    self.take(fd)
                    continue
                line = commands.readline()
                if not line:
                    return
                self.command(json.loads(line))
            while self.queue and self.queue[0][0] <= time.monotonic():
                _, _, fd, packet = heapq.heappop(self.queue)
                self.put(fd, packet)

    def command(self, policy):
        if not policy.get('keep'):
            self.policy = policy
            if policy.get('silence'):
                self.silent |= self.flows
        self.control.sendall(json.dumps(self.counted).encode() + b'\n')

    def take(self, fd):
        try:
            packet = os.read(fd, 65536)
        except BlockingIOError:
            return
        flow, policy = flow_of(packet), self.policy
        if flow:
            self.flows.add(flow)
        if policy.get('cut') in ('both', 'to-far' if fd == self.near else 'to-near'):
            self.counted['cut'] += 1
        elif flow in self.silent:
            self.counted['silenced'] += 1
        elif self.rng.random() < policy.get('loss', 0):
            self.counted['lost'] += 1
        else:
            self.counted['carried'] += 1
            delay = policy.get('delay_ms', 0) + self.rng.uniform(-1, 1) * policy.get('jitter_ms', 0)
            if delay <= 0 and not self.queue:
                self.put(self.ends[fd], packet)
                return
            self.number += 1
            heapq.heappush(self.queue, (time.monotonic() + max(0, delay) / 1000, self.number, self.ends[fd], packet))

    @staticmethod
    def put(fd, packet):
        try:
            os.write(fd, packet)
        except OSError:  # its queue is full; a wire also loses the packet
            pass
