"""The daemon with three brokers. One of them is killed repeatedly: nothing lost, nothing twice. By hand.

usage: cluster.py PROGRAM CASE [ROUNDS [RECORDS]]
  killed   kill -9 of one broker, and its return; the other two are enough (min.insync.replicas=2)
  stopped  the same in order
Every topic has three replicas. Pages come all the while, to two processes of one group. Judged as chaos.py judges.
"""
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import broker as rig  # noqa: E402
import chaos  # noqa: E402
from chaos import rng  # noqa: E402

DEFAULTS = {'killed': (10, 6000), 'stopped': (10, 6000)}


class Node(rig.Broker):
    """A broker that is ready when it is known, and every partition has a leader, whichever."""

    def __init__(self, folder, number, ports, cluster_id):
        voters = ','.join('%d@127.0.0.1:%d' % (i + 1, pair[1]) for i, pair in enumerate(ports))
        super().__init__(folder, properties={
            'node.id': number, 'controller.quorum.voters': voters, 'default.replication.factor': 3, 'min.insync.replicas': 2,
            'offsets.topic.replication.factor': 3, 'transaction.state.log.replication.factor': 3, 'transaction.state.log.min.isr': 2})
        self.number, self.ports, self.cluster_id = number, ports[number - 1], cluster_id
        self.all = ','.join('127.0.0.1:%d' % pair[0] for pair in ports)

    @property
    def bootstrap(self):
        return self.all

    def _is_ready(self):
        answer = rig.metadata(self._state()['port'])
        return bool(answer) and self.number in answer[0] and all(leader > 0 for leaders in answer[1].values() for leader in leaders)


class Cluster:
    """Three of them, asked as if they were one broker: by whoever lives."""

    def __init__(self, folder):
        free, cluster_id = rig.free_ports(6), rig.make_cluster_id()
        ports = [free[i:i + 2] for i in (0, 2, 4)]
        self.nodes = [Node('%s%d' % (folder, i), i, ports, cluster_id) for i in (1, 2, 3)]

    def start(self):
        threads = [threading.Thread(target=node.start) for node in self.nodes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not all(node.pid() for node in self.nodes):
            raise rig.RigError('not all of the cluster runs')

    def wait_in_sync(self):
        """Until every partition has all its replicas: one more that is lost before would be one too many."""
        end = time.time() + 120
        while any((rig.metadata(node._state()['port']) or (0, 0, 1))[2] for node in self.nodes):
            if time.time() > end:
                raise rig.RigError('the replicas do not come into sync')
            time.sleep(0.1)

    def kill(self):
        for node in self.nodes:
            node.kill()

    def __getattr__(self, name):
        return getattr(next((node for node in self.nodes if node.pid()), self.nodes[0]), name)


class Case(chaos.Case):
    def make_brokers(self, folder):
        return Cluster(folder)


def wait_for_more(case, before):
    """Transactions continue without the missing broker."""
    end = time.time() + 60
    while case.committed() <= before:
        case.revive()
        if time.time() > end:
            chaos.fail('nothing continues with two of three brokers', ''.join(case.log(n)[-800:] for n in case.processes))
        time.sleep(0.2)


def lose(case, rounds, how):
    case.open_writer()
    case.start('a')
    case.start('b')
    for i in range(rounds):
        case.send(case.records * (2 * i + 1) // (2 * rounds))
        node = rng.choice(case.kafka.nodes)
        time.sleep(rng.uniform(0, 1))
        getattr(node, how)()
        before = case.committed()
        case.send(case.records * (2 * i + 2) // (2 * rounds))
        wait_for_more(case, before)
        node.start()
        case.kafka.wait_in_sync()
    case.close_writer()
    case.wait_until_read(300)
    case.stop()


def killed(case, rounds):
    lose(case, rounds, 'kill')
    case.judge('three brokers, %d times one was killed, and transactions went on before it was back' % rounds)


def stopped(case, rounds):
    lose(case, rounds, 'stop')
    case.judge('three brokers, %d times one was stopped, and transactions went on before it was back' % rounds)


if __name__ == '__main__':
    chaos.run_case(globals(), DEFAULTS, lambda name, folder, records: Case(folder, records))
