"""Drawing, measuring and whole benchmarks on the machines of a Ray cluster: ``pip install 'ray[data]>=2.44'`` on each of them.

Any dataset with a column of paths or bytes::

    import ray
    from meshjudge.ray import Draw, render

    rows = render(["a.glb", "b.glb"], "/shared/pictures", rig="gpteval3d")
    rows = ray.data.read_parquet("assets.parquet").map_batches(
        Draw, fn_constructor_kwargs={"out": "/shared/pictures"}, batch_size=8, num_cpus=2,
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=16),
    )

A benchmark: ``engine = "ray"`` in ``bench.toml``, or ``mj.bench("bench.toml", engine="ray")``.
"""

import os

try:
    import ray
except ImportError:
    raise ImportError("meshjudge.ray needs Ray, which is not installed here; pip install 'ray[data]>=2.44'") from None

import numpy as np

from ._child import Child, Died

__all__ = ["Draw", "Engine", "render"]

# Of a draw, in the order of the columns.
COLUMNS = ("hash", "pictures", "facts", "drawn_before", "stage", "error")


class Draw:
    """Draws and measures assets, for ``map_batches``; no asset makes it raise.

    Each actor has a drawing process. An asset that crashes it, or takes too long, is an ordinary row, and is not tried again.

    Parameters
    ----------
    out : str
        The folder for pictures, under this path on every machine. Each asset's are in ``out/PROTOCOL/HASH/``: the files of
        ``meshjudge render``, and ``facts.json``. A folder is complete or absent; an asset with a folder is not drawn again.
    rig : str
        See :class:`Renderer`, like ``channels`` and ``options``.
    channels : sequence of str, optional
    column : str, optional
        The column with paths or bytes. Default: ``path``, else ``bytes``.
    measure : bool
        Whether to include the facts of :func:`inspect`.
    timeout_secs : float
        Time limit for one asset.
    memory_bytes : int, optional
        Maximum memory of the drawing process (Unix).
    threads : int, optional
        Default: the actor's ``num_cpus``.
    **options
        ``views``, ``size``, ``background``, ``light``, …

    Notes
    -----
    Each row gets the columns ``hash`` (of the content), ``pictures`` (list of paths), ``facts`` (JSON, the ``facts`` of :func:`inspect`),
    ``drawn_before`` (bool), ``stage`` and ``error``: empty, or the failed stage (``load``, ``draw``, ``write``, ``process``, ``time``) and the reason.
    A column of bytes is removed, the other columns are kept.
    """

    def __init__(self, out, *, rig="ring", channels=None, column=None, measure=True, timeout_secs=600.0,
                 memory_bytes=None, threads=None, **options):  # fmt: skip
        settings = {
            "out": os.path.abspath(out),
            "measure": measure,
            "rig": os.fspath(rig),
            "channels": channels if channels is None else list(channels),
            "threads": threads or _assigned_cpus(),
            "options": options,
        }
        self.column = column
        self.child = Child("draw", settings, timeout_secs=timeout_secs, memory_bytes=memory_bytes)

    def __call__(self, batch):
        column = self.column or next((name for name in ("path", "bytes") if name in batch), None)
        if column not in batch:
            raise KeyError(f"no column {column or 'path or bytes'!r} here, only {sorted(batch)}; name it by column=")
        rows = [self._row(source) for source in batch[column]]
        is_bytes = len(batch[column]) and isinstance(batch[column][0], (bytes, bytearray, memoryview))
        kept = {name: values for name, values in batch.items() if not (name == column and is_bytes)}
        made = {name: [row.get(name, "") for row in rows] for name in COLUMNS}
        pictures = np.empty(len(rows), dtype=object)
        pictures[:] = [list(row.get("pictures", ())) for row in rows]
        made["pictures"] = pictures
        made["drawn_before"] = [bool(row.get("drawn_before")) for row in rows]
        return {**kept, **made}

    def _row(self, source):
        try:
            if isinstance(source, (bytes, bytearray, memoryview)):
                return self.child.call({}, bytes(source))[0]
            return self.child.call({"path": os.fspath(source)})[0]
        except Died as died:
            return {"stage": died.stage, "error": str(died)}


def render(source, out, *, rig="ring", num_cpus=1, actors=None, batch_size=8, **options):
    """Draws and measures a whole dataset.

    Parameters
    ----------
    source : ray.data.Dataset, or iterable of str or os.PathLike
        A dataset with a column of paths or bytes, or paths; every machine must have access to the files.
    out : str or os.PathLike
    rig, **options
        See :class:`Draw`.
    num_cpus : int
        CPUs of one actor, and its number of threads.
    actors : int, optional
        Default: as many as fit the cluster's CPUs minus one, which reads and writes.
    batch_size : int
        Number of assets that an actor takes at a time.

    Returns
    -------
    ray.data.Dataset
        A row per asset, with the columns of :class:`Draw`. Nothing is drawn before it is read: ``.take_all()``, ``.write_parquet(…)``.
    """
    import ray.data

    if not isinstance(source, ray.data.Dataset):
        rows = [{"path": os.fspath(path)} for path in source]
        # Small blocks, so that all actors have some, and a lost one costs little.
        blocks = max(1, min(len(rows), 1000, -(-len(rows) // batch_size)))
        source = ray.data.from_items(rows, override_num_blocks=blocks)
    if actors is None:
        cpus = int(ray.cluster_resources().get("CPU", 1))
        actors = max(1, (cpus - 1) // num_cpus)
    return source.map_batches(
        Draw,
        fn_constructor_kwargs={"out": os.fspath(out), "rig": rig, **options},
        batch_size=batch_size,
        batch_format="numpy",
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=actors),
        num_cpus=num_cpus,
    )


class Engine:
    """Settings of a benchmark on a Ray cluster, instead of the defaults of ``engine="ray"``.

    The cluster is that of ``RAY_ADDRESS`` or an earlier ``ray.init``, else this machine. The benchmark's folder, its assets and
    its run must be on a disk that all machines see under the same paths.

    Parameters
    ----------
    num_cpus : int
        CPUs of one drawing actor, and its number of threads.
    actors : int, optional
        Drawing actors. Default: as many as fit the cluster's CPUs, also when machines join and leave.
    maker_cpus : float
        CPUs for each running generator; 0 if it works on a graphics card. With ``gpu = true`` it also gets a card of the cluster.
    timeout_secs : float
        Time limit for reading and drawing one asset.
    memory_bytes : int, optional
        Maximum memory of a drawing process (Unix).
    attempts : int
        Number of machines that one job can cost before its assets count as failed.
    """

    def __init__(self, *, num_cpus=1, actors=None, maker_cpus=0.0, timeout_secs=600.0, memory_bytes=None, attempts=4):
        self.num_cpus = num_cpus
        self.actors = actors
        self.maker_cpus = maker_cpus
        self.timeout_secs = timeout_secs
        self.memory_bytes = memory_bytes
        self.attempts = attempts


def _open(setup, engine):
    """The cluster of a benchmark; called by ``meshjudge.bench`` and by the command line."""
    from ._ray_bench import Cluster

    return Cluster(setup, engine or Engine())


def _assigned_cpus():
    """At least 1, also outside an actor."""
    if not ray.is_initialized() or ray.get_runtime_context().worker.mode != ray.WORKER_MODE:
        return 1
    return max(1, int(ray.get_runtime_context().get_assigned_resources().get("CPU", 1)))
