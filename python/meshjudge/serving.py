"""A generator that keeps running: it loads its weights once and makes all assets of a benchmark.

In ``bench.toml``::

    [[generators]]
    name = "ours"
    serve = "python gen.py"
    gpu = true

and in ``gen.py``::

    from meshjudge.serving import serve

    pipeline = load_my_weights()

    def make(order):
        mesh = pipeline(order["prompt"], seed=order["seed"])
        mesh.export(order["out"])

    serve(make)

The program's output goes to its log, ``made/METHOD/server-….log`` in the run's folder; the previous process's log is
``server-….previous.log`` in the same folder.
"""

import json
import os
import sys
import traceback

__all__ = ["GiveUp", "serve"]


class GiveUp(Exception):
    """Raised by ``make`` for an asset that no retry would make, such as a prompt that the model refuses."""


def serve(make):
    """Makes assets until the benchmark has no more orders.

    An exception in ``make`` fails that asset, and the report shows it as the reason; the asset is tried again up to ``retries`` times (``bench.toml``).
    `MemoryError` and ``OutOfMemoryError`` of other packages end the process, and the next order gets a new one.

    Parameters
    ----------
    make : callable
        Called with a dict: ``prompt_id``, ``prompt`` and ``method`` (str), ``seed`` (int), ``out`` (str, the absolute path of the file
        to write), ``image`` and ``mask`` (str, only where the prompt has them), ``images`` (dict of str, only with several photos). Writes the asset to ``out``.
    """
    # Libraries print to standard output, which is for answers: their words go to the log.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout.flush()
    sys.stdout = sys.stderr

    def answer(**said):
        answers.write(json.dumps(said) + "\n")
        answers.flush()

    answer(type="ready", protocol=1)
    for line in sys.stdin:
        order = json.loads(line)
        if order.get("type") != "make":
            continue
        try:
            make(order)
        except Exception as error:
            traceback.print_exc()
            reason = f"{type(error).__name__}: {error}"
            answer(type="failed", id=order["id"], reason=reason, retry=not isinstance(error, GiveUp))
            if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
                sys.exit(1)
        else:
            answer(type="done", id=order["id"])
