"""A generator that stays: its weights are loaded once, and a benchmark has it make asset after asset.

In ``bench.toml``::

    [[generators]]
    name = "ours"
    serve = "python gen.py"
    gpu = true

and in ``gen.py``::

    from meshjudge.generator import serve

    pipeline = load_my_weights()

    def make(order):
        mesh = pipeline(order["prompt"], seed=order["seed"])
        mesh.export(order["out"])

    serve(make)

What the program prints goes to its log, ``made/METHOD/server-….log`` in the run's folder; the log of one that died before it is
``server-….previous.log`` beside it.
"""

import json
import os
import sys
import traceback

__all__ = ["GiveUp", "serve"]


class GiveUp(Exception):
    """Raised by ``make`` for an asset that another try would not make either, such as a prompt that the model refuses."""


def serve(make):
    """Make assets until the benchmark has no more orders.

    An exception in ``make`` fails that asset and is its reason in the report; it is tried again as often as ``retries`` in ``bench.toml``
    says. `MemoryError`, and what is called ``OutOfMemoryError`` in other packages, end the process, and the next order gets a new one.

    Parameters
    ----------
    make : callable
        Called with a dict: ``prompt_id``, ``prompt`` and ``method`` (str), ``seed`` (int), ``out`` (str, the absolute path of the file
        to write), ``image`` and ``mask`` (str, only where the prompt has them). Writes the asset to ``out``.
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
