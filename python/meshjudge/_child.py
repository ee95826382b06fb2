"""A process that reads and draws, so that an asset that ends its process ends no other: both of its sides.

Its input is lines of JSON, each followed by as many bytes as its ``size`` says; so is its output, with any number of lines ``{"stage": …}``
before each answer, so that the waiting process knows the stage of a crash.
"""

import json
import os
import subprocess
import sys
import threading

__all__ = ["Child", "Died"]

# Starts in a row that fail.
STARTS_MAX = 3


class Died(Exception):
    """The process is gone; ``stage`` is what it was doing, or ``time`` where it took too long."""

    def __init__(self, stage, reason):
        super().__init__(reason)
        self.stage = stage


class Child:
    """A process that is started when it is first needed, and again after each death.

    ``kind`` and ``settings`` say what it works on. An answer that takes longer than ``timeout_secs`` ends it, and so does an allocation
    beyond ``memory_bytes`` of address space, where the system has such limits.
    """

    def __init__(self, kind, settings, *, timeout_secs, memory_bytes=None):
        self.opening = {"kind": kind, "settings": settings, "memory_bytes": memory_bytes}
        self.timeout_secs = timeout_secs
        self.process = None

    def call(self, request, blob=b""):
        """What the process answers, and the bytes that came with it. Raises Died; an exception in the process is in the answer."""
        if self.process is None or self.process.poll() is not None:
            self._open()
        return self._ask(request, blob)

    def close(self):
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                try:
                    pipe.close()
                except OSError:
                    pass  # What was not written is of no use to a process that is gone.
            self.process = None

    def _open(self):
        """No asset's fault: what goes wrong here is raised as an error."""
        for attempt in range(STARTS_MAX):
            self._start()
            try:
                opened, _ = self._ask(self.opening, b"")
            except Died as died:
                if attempt + 1 == STARTS_MAX:
                    raise RuntimeError(f"the process that reads and draws cannot be started: {died}") from None
                continue
            if "error" in opened:
                self.close()
                raise RuntimeError(opened["error"])
            return

    def _start(self):
        self.close()
        # Ray extends the path of its workers only.
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        # Not forked and left: started anew, whatever threads run here.
        self.process = subprocess.Popen(
            [sys.executable, "-m", "meshjudge._child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )

    def _ask(self, request, blob):
        process, late, stage = self.process, threading.Event(), "start"

        def end():
            late.set()
            process.kill()

        clock = threading.Timer(self.timeout_secs, end)
        clock.daemon = True
        clock.start()
        try:
            process.stdin.write(json.dumps({**request, "size": len(blob)}).encode() + b"\n")
            process.stdin.write(blob)
            process.stdin.flush()
            while True:
                answer = json.loads(process.stdout.readline())
                if "stage" not in answer or "size" in answer:
                    break
                stage = answer["stage"]
            came = process.stdout.read(answer["size"])
            if len(came) < answer["size"]:
                raise EOFError
            return answer, came
        except (OSError, EOFError, ValueError):
            process.kill()
            code = process.wait()
            self.close()
            if late.is_set():
                raise Died("time", f"it took longer than {self.timeout_secs:g} s ({stage})") from None
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise Died("process", f"the process that read and drew it died ({how}, {stage})") from None
        finally:
            clock.cancel()


def opened(kind, settings):
    """What answers requests: a callable from request, bytes and ``stage`` to answer and bytes."""
    if kind == "draw":
        from ._drawer import Drawer

        return Drawer(**settings)
    from ._native import BenchNode

    node = BenchNode(settings["setup"], settings["threads"])

    def answer(request, blob, stage):
        if request["do"] == "look":
            stage("draw")
            return {"look": node.look(request["slot"], request["rubric"])}, b""
        stage("compose")
        return {}, node.compose(request["rubric"], request["slots"])

    return answer


def main():
    """Answer requests until there are no more."""
    # Libraries may print: their words go to the log.
    answers, requests = os.fdopen(os.dup(1), "wb"), sys.stdin.buffer
    os.dup2(2, 1)

    def say(words, blob=None):
        if blob is not None:
            words["size"] = len(blob)
        answers.write(json.dumps(words).encode() + b"\n")
        answers.write(blob or b"")
        answers.flush()

    def stage(name):
        say({"stage": name})

    opening = json.loads(requests.readline() or "{}")
    if limit := opening.get("memory_bytes"):
        try:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        except (ImportError, ValueError):
            pass  # This system has no such limit.
    try:
        work = opened(opening["kind"], opening["settings"])
    except Exception as error:
        say({"error": str(error)}, b"")
        return
    say({}, b"")
    for line in requests:
        request = json.loads(line)
        blob = requests.read(request["size"])
        try:
            words, came = work(request, blob, stage)
        except Exception as error:
            words, came = {"error": str(error), "class": type(error).__name__}, b""
        say(words, came)


if __name__ == "__main__":
    main()
