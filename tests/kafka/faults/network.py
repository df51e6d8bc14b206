"""The daemon and a real Kafka with a bad network between them. Nothing is lost, and with exactly-once delivery nothing is repeated.

usage: network.py PROGRAM CASE [ROUNDS [RECORDS]]     as root, for the network namespaces. DELIVERY=at-least-once tests the other guarantee

  delay      200 +- 100 ms for each packet separately, which reorders packets; the delay changes with each round

  loss       1 to 15 % of the packets, both ways

  partition  no packet passes, both ways or one way, for 1, 3 or 12 s: past the timeouts of sockets (3 s), sessions (6 s) and transactions (10 s)

  halfopen   existing connections become silent, and both ends keep them; new connections work

Two processes form one group, and pages arrive all the time. Judged like chaos.py. Exits with 77 if it cannot run.
"""
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import link  # noqa: E402
if not link.enter():
    print('skipped: needs root and /dev/net/tun')
    sys.exit(77)
subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)
import chaos  # noqa: E402
from chaos import rng  # noqa: E402

DEFAULTS = {name: (30, 6000) for name in ('delay', 'loss', 'partition', 'halfopen')}
SETTINGS = ('topics = in\ninstance = %s\ntransaction-ms = 10000\nlibrdkafka.socket.timeout.ms = 3000\n'
            'librdkafka.socket.connection.setup.timeout.ms = 3000\n')


class Case(chaos.Case):
    host, endpoint = link.NEAR, link.FAR
    delivery = os.environ.get('DELIVERY', 'exactly-once')

    def __init__(self, folder, records):
        self.link = link.Link()
        self.started_by = self.link.join
        super().__init__(folder, records)
        self.open_writer()

    def begin(self):
        for name in 'ab':
            self.start(name)

    def start(self, name, source=None):
        super().start(name, SETTINGS % name)

    def go(self, rounds, name, fault):
        self.begin()
        time.sleep(2)
        for i in range(rounds):
            self.send(self.records * (2 * i + 1) // (2 * rounds))
            fault(i)
            self.send(self.records * (2 * i + 2) // (2 * rounds))
            self.link.set()
            time.sleep(rng.uniform(0.2, 1.5))
            self.revive()
        self.link.set()
        self.close_writer()
        self.wait_until_read(300)
        counts = self.link.counts()
        self.stop()
        self.judge('%s, %s, %d rounds (packets: %s)' % (name, self.delivery, rounds, ', '.join('%d %s' % (n, what) for what, n in counts.items())))
        self.link.close()  # the broker's own address goes with it


def delay(case, rounds):
    def fault(i):
        ms = rng.uniform(50, 300)
        case.link.set(delay_ms=ms, jitter_ms=ms / 2)
        time.sleep(rng.uniform(2, 4))
    case.go(rounds, 'delay of 50 to 300 ms, reordered', fault)


def loss(case, rounds):
    def fault(i):
        case.link.set(loss=rng.uniform(0.01, 0.15))
        time.sleep(rng.uniform(2, 4))
    case.go(rounds, 'loss of 1 to 15 %', fault)


def partition(case, rounds):
    def fault(i):
        time.sleep(rng.uniform(0, 0.3))
        case.link.set(cut=rng.choice(('both', 'both', 'to-near', 'to-far')))
        time.sleep((1, 3, 12)[i % 3])
    case.go(rounds, 'partition of 1, 3 and 12 s, both ways or one', fault)


def halfopen(case, rounds):
    def fault(i):
        time.sleep(rng.uniform(0, 0.3))
        case.link.set(silence=True)
        time.sleep(rng.uniform(1, 6))
    case.go(rounds, 'half-open connections', fault)


if __name__ == '__main__':
    chaos.run_case(globals(), DEFAULTS, lambda name, folder, records: Case(folder, records))
