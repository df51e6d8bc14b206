"""The brokers' own group protocol (KIP-848, group.protocol=consumer): members join, leave and die while pages pass. Runs by hand with
librdkafka 2.12 or later and brokers 4.0 or later. README.md has the commands.

usage: THRESHER_KAFKA_VERSION=4.1.1 groups.py PROGRAM CASE [ROUNDS [RECORDS]]

  rebalance  a second process joins and leaves

  kill       kill -9 of one of two processes

  leave      a process leaves by SIGTERM, and the other keeps its partitions

Judged like chaos.py: 0 lost, 0 twice, order kept, poison in the dead letters.
"""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chaos  # noqa: E402
from chaos import rng  # noqa: E402

DEFAULTS = {'rebalance': (10, 20000), 'kill': (10, 20000), 'leave': (5, 20000)}
PROTOCOL = 'librdkafka.group.protocol = consumer\n'
# Members that are killed are static: without a name a dead one keeps its partitions until its session is over.
SOURCE = 'topics = in\n' + PROTOCOL
BROKER = {'group.consumer.session.timeout.ms': 6000, 'group.consumer.min.session.timeout.ms': 1000,
          'group.consumer.heartbeat.interval.ms': 1000, 'group.consumer.min.heartbeat.interval.ms': 500}


class Case(chaos.Case):
    broker_properties = BROKER


def rebalance(case, rounds):
    case.fill()
    case.start('a', SOURCE)
    for _ in range(rounds):
        case.start('b', SOURCE)
        time.sleep(rng.uniform(2, 4))
        case.processes['b'].terminate()
        case.processes.pop('b').wait(30)
        case.revive(SOURCE)
    case.wait_until_read(300, SOURCE)
    case.stop()
    case.judge('group.protocol=consumer, %d joins and leaves' % rounds)


def kill(case, rounds):
    case.fill()
    for name in 'ab':
        case.start(name, SOURCE)
    for _ in range(rounds):
        time.sleep(rng.uniform(0.5, 3))
        name = rng.choice('ab')
        case.kill(name)
        case.start(name, SOURCE)
        case.revive(SOURCE)
    case.wait_until_read(300, SOURCE)
    case.stop()
    case.judge('group.protocol=consumer, %d kills' % case.kills)


def leave(case, rounds):
    case.fill()
    for name in 'ab':
        case.start(name, SOURCE)
    for _ in range(rounds):
        time.sleep(rng.uniform(1, 3))
        name = rng.choice('ab')
        case.processes[name].terminate()
        if case.processes.pop(name).wait(30) != 0:
            chaos.fail('SIGTERM of %s' % name, case.log(name)[-1500:])
        case.start(name, SOURCE)
        case.revive(SOURCE)
    case.wait_until_read(300, SOURCE)
    case.stop()
    case.judge('group.protocol=consumer, %d SIGTERMs' % rounds)


if __name__ == '__main__':
    chaos.run_case(globals(), DEFAULTS, lambda name, folder, records: Case(folder, records))
