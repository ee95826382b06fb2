"""A benchmark's jobs on a Ray cluster. Judges are asked, and rows written, by the process that has this object.

Actors are made and replaced here rather than by Ray, because a job that was lost with its machine is tried a few times and no more.
"""

import json
import os
import time
from collections import deque

import ray
from ray import exceptions

from ._child import Child, Died

__all__ = ["Cluster"]

# Jobs of an actor: one running, one waiting.
JOBS_OF_ACTOR_MAX = 2
# Between two looks at what machines there are.
LOOK_EVERY_SECS = 5.0
# Actors that died before they were ready, one after the other.
FAILED_STARTS_MAX = 20


class Drawer:
    """Reads, draws and composes, in a process that an asset may end."""

    def __init__(self, setup, threads, timeout_secs, memory_bytes):
        settings = {"setup": setup, "threads": threads}
        self.child = Child("bench", settings, timeout_secs=timeout_secs, memory_bytes=memory_bytes)

    def hello(self):
        pass

    def work(self, job):
        looks, failed, pictures = {}, set(), []
        for task in job["tasks"]:
            for slot in task["slots"]:
                key = slot, task["rubric"]
                if key not in looks and slot not in failed:
                    looks[key] = self._look(*key)
                    if looks[key] is None or not is_shown(looks[key]):
                        failed.add(slot)
        for task in job["tasks"]:
            is_whole = failed.isdisjoint(task["slots"])
            found = self._compose(task) if is_whole else None
            if isinstance(found, str):
                for slot in task["slots"]:
                    looks[slot, task["rubric"]] = failure(slot, found)
                    failed.add(slot)
                found = None
            pictures.append(found)
        # What was composed of an asset before it ended the process is of no use either.
        for number, task in enumerate(job["tasks"]):
            if not failed.isdisjoint(task["slots"]):
                pictures[number] = None
        return list(looks.values()), pictures

    def _look(self, slot, rubric):
        try:
            answer, _ = self.child.call({"do": "look", "slot": slot, "rubric": rubric})
        except Died as died:
            return failure(slot, str(died))
        return answer["look"] if "look" in answer else failure(slot, answer["error"])

    def _compose(self, task):
        """Bytes, or why the process died."""
        try:
            answer, pictures = self.child.call({"do": "compose", **task})
        except Died as died:
            return str(died)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return pictures


class Maker:
    """Runs generators, one order at a time; a generator that keeps running is kept for the next order."""

    def __init__(self, setup):
        from ._native import BenchNode

        self.node = BenchNode(setup, 1)

    def hello(self):
        pass

    def work(self, job):
        card = os.environ.get("CUDA_VISIBLE_DEVICES") if job["needs_gpu"] else None
        return self.node.make(job["slot"], card)


class Group:
    """Actors of one kind, and the jobs that are for them."""

    def __init__(self, remote, arguments, jobs_of_actor):
        self.remote = remote
        self.arguments = arguments
        self.jobs_of_actor = jobs_of_actor
        self.waiting = deque()
        self.starting = {}  # Its first answer: actor
        self.ready = {}  # Actor: numbers of its jobs
        self.last = {}  # What it worked on last, by actor
        self.failed_starts = 0

    def start(self, count):
        """As many actors as that, with those that start."""
        for _ in range(count - len(self.ready) - len(self.starting)):
            actor = self.remote.remote(*self.arguments)
            self.starting[actor.hello.remote()] = actor

    def take(self):
        """An actor and the next job for it, if there are both."""
        free = [actor for actor, jobs in self.ready.items() if len(jobs) < self.jobs_of_actor]
        if not free or not self.waiting:
            return None
        # Who runs a generator goes on with it; who has drawn some assets of a prompt gets the others.
        kin = self.waiting[0].kin
        actor = min(free, key=lambda actor: (len(self.ready[actor]), self.last.get(actor) != kin))
        number = 0
        if self.waiting[0].is_sticky and self.last.get(actor) != kin:
            same = (number for number, job in enumerate(self.waiting) if job.kin == self.last.get(actor))
            number = next(same, 0)
        job = self.waiting[number]
        del self.waiting[number]
        self.last[actor] = job.kin
        return actor, job

    def drop(self, actor):
        """Forget an actor that is gone, or that cannot be reached."""
        self.last.pop(actor, None)
        self.ready.pop(actor, None)
        ray.kill(actor)

    def end(self):
        """End all actors."""
        for actor in [*self.ready, *self.starting.values()]:
            ray.kill(actor)
        self.ready, self.starting = {}, {}


class Job:
    """A job, who has it, and how often it was lost."""

    def __init__(self, number, order):
        self.number = number
        self.order = order
        self.lost = 0
        self.is_sticky = order["job"] == "make"
        self.kin = order["method"] if self.is_sticky else order["place"]


class Cluster:
    """What ``meshjudge.bench`` sees; see ``Cluster`` in ``src/bench/cluster.rs``."""

    def __init__(self, setup, engine):
        if not ray.is_initialized():
            ray.init()
        self.engine = engine
        known = json.loads(setup)
        self.workers = known["file"]["generation"].get("workers") or 1
        # Sent once, however many actors start.
        self.setup = ray.put(setup)
        drawer = ray.remote(num_cpus=engine.num_cpus, max_restarts=0)(Drawer)
        drawing = (self.setup, max(1, int(engine.num_cpus)), engine.timeout_secs, engine.memory_bytes)
        maker = ray.remote(num_cpus=engine.maker_cpus, max_restarts=0, scheduling_strategy="SPREAD")(Maker)
        on_card = maker.options(num_gpus=1)
        self.groups = {
            "draw": Group(drawer, drawing, JOBS_OF_ACTOR_MAX),
            "make": Group(maker, (self.setup,), 1),
            "make on a card": Group(on_card, (self.setup,), 1),
        }
        self.under_way = {}  # Answer to come: (group, actor, job)
        self.looked = 0.0

    @property
    def draw_jobs(self):
        """Jobs to keep here: two per actor, and one that waits for each."""
        return (JOBS_OF_ACTOR_MAX + 1) * max(1, len(self.groups["draw"].ready))

    def submit(self, number, order):
        """Begin a job."""
        job = Job(number, order)
        self._group(job).waiting.append(job)

    def next(self, seconds):
        """What became of a job, or None if none ends within that time."""
        self._look()
        self._hand_out()
        starting = [hello for group in self.groups.values() for hello in group.starting]
        coming = [*starting, *self.under_way]
        if not coming:
            time.sleep(seconds)
            return None
        [ended, _] = ray.wait(coming, num_returns=1, timeout=seconds)
        for one in ended:
            if one in self.under_way:
                return self._answer(one)
            self._started(one)
        return None

    def close(self):
        """End all actors, and with them their processes."""
        for group in self.groups.values():
            group.end()
        self.under_way = {}

    def _group(self, job):
        if not job.is_sticky:
            return self.groups["draw"]
        return self.groups["make on a card" if job.order["needs_gpu"] else "make"]

    def _look(self):
        """Start actors for the machines that there are, and end those without work."""
        now = time.monotonic()
        if now - self.looked < LOOK_EVERY_SECS:
            return
        self.looked = now
        there = ray.cluster_resources()
        machines = sum(node["Alive"] for node in ray.nodes())
        count = {
            "draw": self.engine.actors or max(1, int(there.get("CPU", 1) // self.engine.num_cpus)),
            "make": self.workers * machines,
            "make on a card": max(1, int(there.get("GPU", 0))),
        }
        for name, group in self.groups.items():
            left = len(group.waiting) + sum(map(len, group.ready.values()))
            if name != "draw" and left == 0:
                group.end()
            elif left:
                group.start(count[name] if name == "draw" else min(count[name], left))

    def _hand_out(self):
        for group in self.groups.values():
            while (found := group.take()) is not None:
                actor, job = found
                group.ready[actor].add(job.number)
                self.under_way[actor.work.remote(job.order)] = group, actor, job

    def _started(self, hello):
        for group in self.groups.values():
            if hello not in group.starting:
                continue
            actor = group.starting.pop(hello)
            try:
                ray.get(hello)
            except exceptions.RayTaskError as error:
                raise RuntimeError(str(error.cause or error)) from error
            except exceptions.ActorDiedError as error:
                if "creation task" in str(error) or "__init__" in str(error):
                    raise RuntimeError(str(error)) from error
                self._not_started(group, error)
            except exceptions.RayError as error:
                self._not_started(group, error)
            else:
                group.failed_starts = 0
                group.ready[actor] = set()

    def _not_started(self, group, error):
        self.looked = 0.0
        group.failed_starts += 1
        if group.failed_starts >= FAILED_STARTS_MAX:
            raise RuntimeError(f"{FAILED_STARTS_MAX} actors died before they were ready: {error}") from error

    def _answer(self, coming):
        group, actor, job = self.under_way.pop(coming)
        try:
            found = ray.get(coming)
        except exceptions.RayTaskError as error:
            raise RuntimeError(str(error.cause or error)) from error
        except exceptions.RayError as error:
            return self._lost(group, actor, job, error)
        if actor in group.ready:
            group.ready[actor].discard(job.number)
        return job.number, *found

    def _lost(self, group, actor, job, error):
        """A job whose machine is gone, or only its answer: it goes first in line again, or is given up."""
        if actor in group.ready:
            if isinstance(error, exceptions.RayActorError):
                group.drop(actor)
                self.looked = 0.0
            else:
                group.ready[actor].discard(job.number)
        job.lost += 1
        if job.lost < self.engine.attempts:
            group.waiting.appendleft(job)
            return None
        reason = f"{job.lost} machines or processes were lost over it, the last one so: {error}".splitlines()[0]
        if job.is_sticky:
            return job.number, reason, 0.0
        slots = {slot for task in job.order["tasks"] for slot in task["slots"]}
        return job.number, [failure(slot, reason) for slot in sorted(slots)], [None] * len(job.order["tasks"])


def failure(slot, reason):
    """Found out of an asset: there is nothing to see of it."""
    return json.dumps({"slot": slot, "reading": None, "drawn": {"Err": reason}})


def is_shown(look):
    return "Ok" in (json.loads(look)["drawn"] or {})
