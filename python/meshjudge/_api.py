"""The calls that take many options, each of them by name, so that editors know them; the compiled half does the work."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from . import _native
from ._columns import rows_of
from ._errors import unknown
from ._identity import used
from ._judges import AWAITED
from ._native import Audit, Comparison, Run, Score
from ._progress import Bar
from ._renderer import Renderer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .types import AssetLike, Channels, ColorLike, JudgeLike, PathLike, PhotoLike, PromptLike

__all__ = ["abench", "acompare", "audit", "bench", "compare", "compare_many", "render", "score"]

P = ParamSpec("P")
T = TypeVar("T")
# Threads take turns at a run.
LOCKS: dict[str, Any] = {}


def asked(call: Callable[..., T], *given: Any, **options: Any) -> T:
    """Calls the compiled half, which calls judges and models of the caller's."""
    judge, run, progress, awaited = options["judge"], options["run"], options["progress"], AWAITED.get()
    if awaited is not None:
        show = Bar() if progress is True else progress

        def watch(now: dict[str, Any]) -> None:
            if awaited.is_cancelled:
                raise asyncio.CancelledError
            if show:
                show(now)

        options["progress"] = watch
    judges = judge if isinstance(judge, list | tuple) else [judge]
    lock = nullcontext() if run is None else LOCKS.setdefault(os.path.realpath(run), threading.Lock())
    with lock, used(judges, "judge", run), used((options.get("features") or {}).values(), "model"):
        return call(*given, **options)


def compare(  # fmt: skip
    a: AssetLike, b: AssetLike, prompt: str | None = None, *, photo: PhotoLike | None = None, mask: PhotoLike | None = None,
    rubric: str | None = None, form: Literal["sheet", "object", "separate", "strip"] = "sheet", fit: int | None = None,
    fronts: Literal["file", "common", "photo"] = "file",
    judge: JudgeLike | Sequence[JudgeLike] | None = None, run: PathLike | None = None, samples: int | None = None,
    seed: int | None = None, concurrency: int | None = None, max_requests: int | None = None, max_cost_usd: float | None = None,
    timeout_secs: float | None = None, temperature: float | None = None, base_url: str | None = None, effort: str | None = None,
    body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None, stream: bool | None = None,
    max_output_tokens: int | None = None, cache: bool | None = None, models: PathLike | None = None,
    reuse: Sequence[PathLike] | None = None, replay: bool | None = None, progress: bool | Callable[[dict[str, Any]], Any] | None = None,
    renderer: Renderer | None = None,
) -> Comparison:
    """Asks judges which of two assets is better, in both orders.

    Parameters
    ----------
    a, b : Asset, str, os.PathLike or bytes
    prompt : str, optional
        The text from which both were made. Needed without a photo.
    photo, mask : Picture, PIL.Image.Image, numpy.ndarray, str, os.PathLike, or a mapping of them, optional; or a :class:`Photo`
        The photo from which both were made, and a mask of its object. Without a mask, the photo's transparency or plain background says
        where the object is. Several photos by the sides that they show: ``{"front": "a.png", "back": "b.png"}``, masks by the same names.
    rubric : str, optional
        'pairwise', 'pairwise-image', 'match-image', or a rubric file of that kind. Default: 'pairwise-image' with a photo, else 'pairwise'.
    form : {'sheet', 'object', 'separate', 'strip'}
        The form of a pair: one sheet, one picture per object, or one per view; or everything in one picture, the photo above the sheet.
    fit : int, optional
        Maximum length of a sheet's longer side, in pixels.
    fronts : {'file', 'common', 'photo'}
        'file' leaves both as they are. 'common' rotates `b` to the front of `a`, where that is clear. 'photo' then rotates both to the side in
        the photo, where that is clear. The rotations are columns of ``verdicts()``.
    renderer : Renderer, optional
        How assets are read and drawn; its channels, and its rig and views unless they are given, are those of the rubric.
    judge, …, progress
        ``judge``: 'probe' (the default, which measures), 'openai:MODEL', 'openai-responses:MODEL', 'anthropic:MODEL', 'gemini:MODEL', any callable that takes a
        :class:`Question`, or a list of them. ``run``: a folder that stores everything; another call with it pays for nothing twice.
        ``samples``, ``seed``, ``concurrency``, ``max_requests``, ``max_cost_usd``, ``timeout_secs``, ``temperature``, ``base_url``,
        ``effort``, ``body`` (dict), ``headers`` (dict), ``stream``, ``max_output_tokens``, ``cache``,
        ``models`` (file), ``reuse`` (run folders, whose answers count, those of earlier versions of a callable too), ``replay`` (bool), ``progress`` (True, or a
        callable that takes a dict).

    Returns
    -------
    Comparison
        If a server or callable fails or gives an invalid answer, no error is raised; the rows have the outcome.

    Raises
    ------
    LoadError, RenderError, PictureError, RubricError, JudgeError, RunError
    KeyboardInterrupt
        At Ctrl-C; the answers are in ``run``.

    Examples
    --------
    >>> import meshjudge as mj
    >>> chair = mj.objects.load("chair")
    >>> comparison = mj.compare(chair, mj.damage(chair, "holes", 1.0), "a wooden chair")
    >>> comparison.winner("geometry_details")
    'a'

    A callable is an ordinary judge; it answers about the left and the right object:

    >>> def always_left(question: mj.Question) -> dict[str, str]:
    ...     return {criterion: "left" for criterion in question.criteria}
    >>> mj.compare(chair, chair, "a wooden chair", judge=always_left).findings[0]["criteria"]["overall"]
    {'a_left': 'a', 'b_left': 'b', 'verdict': 'inconsistent'}
    """
    given = dict(locals())
    pair = tuple(given.pop(name) for name in ("a", "b", "prompt", "photo", "mask"))
    return asked(_native.compare_many, [pair], **given)[0]


def compare_many(  # fmt: skip
    pairs: Any, *, a: str = "a", b: str = "b", prompt: str = "prompt", photo: str = "photo", mask: str = "mask", rubric: str | None = None,
    form: Literal["sheet", "object", "separate", "strip"] = "sheet", fit: int | None = None,
    fronts: Literal["file", "common", "photo"] = "file",
    judge: JudgeLike | Sequence[JudgeLike] | None = None, run: PathLike | None = None, samples: int | None = None,
    seed: int | None = None, concurrency: int | None = None, max_requests: int | None = None, max_cost_usd: float | None = None,
    timeout_secs: float | None = None, temperature: float | None = None, base_url: str | None = None, effort: str | None = None,
    body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None, stream: bool | None = None,
    max_output_tokens: int | None = None, cache: bool | None = None, models: PathLike | None = None,
    reuse: Sequence[PathLike] | None = None, replay: bool | None = None, progress: bool | Callable[[dict[str, Any]], Any] | None = None,
    renderer: Renderer | None = None,
) -> list[Comparison]:
    """Asks judges about many pairs, each in both orders, all at the same concurrency.

    Parameters
    ----------
    pairs : iterable, table or frame
        Tuples (a, b[, prompt[, photo[, mask]]]), or rows with these columns: a list of dicts, a dict of columns, a frame of pandas, polars or
        pyarrow, a :class:`Table`.
    a, b, prompt, photo, mask : str
        The columns; the last three may be missing.
    rubric, …, renderer
        See :func:`compare`; one `run` keeps all pairs.

    Returns
    -------
    list of Comparison
        In the order of the pairs. The ``summary`` of each is that of all.

    Examples
    --------
    >>> import meshjudge as mj
    >>> chair = mj.objects.load("chair")
    >>> pairs = [{"a": chair, "b": mj.damage(chair, "holes", level), "prompt": "a chair"} for level in (0.5, 1.0)]
    >>> [found.winner("geometry_details") for found in mj.compare_many(pairs, renderer=mj.Renderer(size=64))]
    ['a', 'a']
    """
    given = dict(locals())
    names = [given.pop(name) for name in ("a", "b", "prompt", "photo", "mask")]
    return asked(_native.compare_many, [pair_of(row, names) for row in rows_of(given.pop("pairs"))], **given)


def pair_of(row: Any, names: Sequence[str]) -> tuple[Any, ...]:
    """Assets, prompt, photo and mask of a row."""
    if not isinstance(row, Mapping):
        return (*row, None, None, None)[:5]
    for name in names[:2]:
        if name not in row:
            raise unknown("column", name, row)
    cells = [row.get(name) for name in names]
    # A frame of pandas has NaN where nothing is known.
    return tuple(None if isinstance(cell, float) and cell != cell else cell for cell in cells)


def score(  # fmt: skip
    asset: AssetLike, *, prompt: str | None = None, category: str | None = None, photo: PhotoLike | None = None,
    mask: PhotoLike | None = None, rubric: str | None = None, judge: JudgeLike | Sequence[JudgeLike] | None = None,
    run: PathLike | None = None, samples: int | None = None, seed: int | None = None, concurrency: int | None = None,
    max_requests: int | None = None, max_cost_usd: float | None = None, timeout_secs: float | None = None,
    temperature: float | None = None, base_url: str | None = None, effort: str | None = None, body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None, stream: bool | None = None, max_output_tokens: int | None = None,
    cache: bool | None = None, models: PathLike | None = None, reuse: Sequence[PathLike] | None = None, replay: bool | None = None,
    progress: bool | Callable[[dict[str, Any]], Any] | None = None, renderer: Renderer | None = None,
) -> Score:
    """Asks a judge how well an asset matches its prompt or its photo.

    Parameters
    ----------
    asset : Asset, str, os.PathLike or bytes
    prompt, category : str
        For the rubric 'category': the text from which it was made, and the kind of that text ('single_object', 'counting', …).
    photo, mask : str, os.PathLike, bytes, Picture or numpy.ndarray; or a :class:`Photo`
        For the rubric 'reconstruction': the photo, and the mask of its object (white or opaque), of the same size. Of several photos, as
        for :func:`compare`, the first in the order front, left, back, right is shown.
    rubric : str, optional
        Default: 'reconstruction' with a photo, else 'category'; or a rubric file of one of these kinds.
    judge, …, renderer
        See :func:`compare`.

    Returns
    -------
    Score
        Its `overall` is None where the judge leaves it undecided: the offline judge does not recognise objects.

    Raises
    ------
    RubricError
        A category that the rubric lacks, or a missing photo or prompt.
    LoadError, RenderError, PictureError, JudgeError, RunError

    Examples
    --------
    >>> import meshjudge as mj
    >>> score = mj.score(mj.objects.load("mug"), prompt="a mug", category="single_object")
    >>> score
    <Score None of "mug.glb">
    """
    given = dict(locals())
    return asked(_native.score, given.pop("asset"), **given)


def audit(  # fmt: skip
    judge: JudgeLike | Sequence[JudgeLike] | None = None, *, kinds: str | Sequence[str] = (), levels: Sequence[float] = (0.25, 0.5, 1.0),
    objects: int | None = None, split: Literal["held", "fit", "all"] = "held", bases: PathLike | None = None, fresh: int | None = None,
    rubric: str = "pairwise", run: PathLike | None = None, samples: int | None = None, seed: int | None = None,
    concurrency: int | None = None, max_requests: int | None = None, max_cost_usd: float | None = None,
    timeout_secs: float | None = None, temperature: float | None = None, base_url: str | None = None, effort: str | None = None,
    body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None, stream: bool | None = None,
    max_output_tokens: int | None = None, cache: bool | None = None, models: PathLike | None = None,
    reuse: Sequence[PathLike] | None = None, replay: bool | None = None, progress: bool | Callable[[dict[str, Any]], Any] | None = None,
    renderer: Renderer | None = None,
) -> Audit:
    """Measures the reliability of judges: each object against itself, and against damaged copies, in both orders. A judge is right if the
    undamaged object wins in both.

    Parameters
    ----------
    judge : str, callable or list
        See :func:`compare`.
    kinds : str or sequence of str
        Kinds of :func:`damage_kinds` or families ('geometry', 'texture', 'scene', 'harmless'). Default: all.
    levels : sequence of float
        Levels of damage, each above 0 and up to 1.
    objects : int, optional
        Maximum number of objects.
    split : {'held', 'fit', 'all'}
        The built-in objects to use. 'held' is the half on which no threshold was fitted.
    bases : str or os.PathLike, optional
        A folder of clean assets instead of the built-in objects.
    fresh : int, optional
        Number of new objects, assembled at random from ``seed``.
    rubric : str
        'pairwise', 'pairwise-image', 'match-image', 'reconstruction', 'category', or a rubric file of one of these kinds.
    run, …, renderer
        See :func:`compare`.

    Returns
    -------
    Audit

    Raises
    ------
    UnknownNameError
        An unknown kind of damage.
    AuditError
        A level out of range, a folder without assets.
    JudgeError, RubricError, RunError

    Examples
    --------
    >>> import meshjudge as mj
    >>> audit = mj.audit("probe", kinds=["holes"], levels=[1.0], objects=2)
    >>> audit.findings()["right"][0]
    1.0
    """
    return asked(_native.audit, **locals())


def bench(  # fmt: skip
    source: PathLike | Mapping[str, Any], *, prompts: Mapping[str, PromptLike] | Sequence[str] | None = None, folder: PathLike = ".",
    rubric: str | Sequence[str] | None = None, form: Literal["sheet", "object", "separate", "strip"] | None = None, fit: int | None = None,
    fronts: Literal["file", "common", "photo"] | None = None,
    judge: JudgeLike | Sequence[JudgeLike] | None = None, run: PathLike | None = None, samples: int | None = None,
    seed: int | None = None, concurrency: int | None = None, max_requests: int | None = None, max_cost_usd: float | None = None,
    timeout_secs: float | None = None, temperature: float | None = None, base_url: str | None = None, effort: str | None = None,
    body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None, stream: bool | None = None,
    max_output_tokens: int | None = None, cache: bool | None = None, models: PathLike | None = None,
    reuse: Sequence[PathLike] | None = None, replay: bool | None = None, progress: bool | Callable[[dict[str, Any]], Any] | None = None,
    renderer: Renderer | None = None, engine: Any = None,
    features: Mapping[str, Callable[..., Any]] | None = None,
) -> Run:
    """Runs a whole benchmark of generators: makes missing assets, draws, asks, rates. The same call resumes a run and asks nothing twice.

    Parameters
    ----------
    source : str, os.PathLike or dict
        A benchmark file; a folder with one folder of assets per method, as ``meshjudge bench init`` reads it; a dict with the keys of a
        file (see ``meshjudge bench schema``): ``name``, ``prompts``, ``generators``, ``judges``, …; or a dict that maps each method to
        its assets by prompt, to a folder of assets with the prompts' names, or to a function from a prompt's text to an asset.
    prompts : dict, or list of str, optional
        For a dict of methods: the prompts by the keys or file names of the assets, or only their texts. Each is a text, a photo (a Path, the
        name of an existing picture, a Picture or an array), or a dict with the keys of a prompt in a file. Default: the keys and names themselves.
    folder : str or os.PathLike
        Base of relative paths in a dict. Paths in a file are relative to its folder.
    rubric : str or list of str, optional
        'pairwise', 'pairwise-image', 'match-image', 'reconstruction', 'category', or files of such rubrics.
    form, fit, fronts, judge, …, renderer
        See :func:`compare`. They override the file. Default of ``run`` for a dict of methods: ``runs/bench``.
    engine : str or meshjudge.ray.Engine, optional
        ``'ray'`` to make, draw and compose on the machines of a Ray cluster; this process asks the judges.
    features : dict of callables, optional
        Models of the benchmark's features with ``source = "python"``, by their names. Each is called with a list of inputs, at most 16: of
        ``rgb`` and ``photo`` arrays [height, width, 3] of uint8 in sRGB, of ``text`` str, of ``points`` arrays [n, 6] of float32 (x, y, z,
        then red, green and blue from 0 to 1). With ``against`` there is a second list: of pictures or texts. It returns an array or tensor
        [n, dimension], or [n] for one number each. The hash of its code and values, or its attribute ``settings``, is part of the definition.

    Returns
    -------
    Run
        Missing assets and questions without a verdict are not errors: they are in ``run.summary`` and ``run.verdicts()``.

    Raises
    ------
    BenchError
        An invalid file or dict, before anything is made or asked.
    JudgeError, RunError
    KeyboardInterrupt
        At Ctrl-C; made assets and answers are kept.

    Examples
    --------
    >>> import meshjudge as mj, tempfile
    >>> clean = {name: mj.objects.load(name) for name in ("chair", "mug")}
    >>> holed = {name: mj.damage(asset, "holes", 1.0) for name, asset in clean.items()}
    >>> run = mj.bench({"ours": clean, "theirs": holed}, prompts={"chair": "a chair", "mug": "a mug"}, run=tempfile.mkdtemp())
    >>> run.results(criterion="geometry_details")["method"]
    ['ours', 'theirs']
    """
    given = dict(locals())
    return asked(_native.bench, given.pop("source"), **given)


def render(  # fmt: skip
    asset: AssetLike, rig: PathLike | None = None, *, channels: Channels | None = None, views: int | None = None,
    size: int | None = None, elevation: float | None = None, background: ColorLike | None = None, cameras: PathLike | None = None,
    camera_convention: str | None = None, environment: PathLike | None = None, normal_space: Literal["world", "view"] | None = None,
    light: Literal["studio", "unlit"] | None = None, device: str | None = None,
    normals: Literal["file", "flat", "smooth"] | None = None, up: str | None = None, front: str | None = None,
    vertex_colors: Literal["linear", "srgb"] | None = None,
) -> dict[str, NDArray[Any]]:
    """Draws an asset once. For many assets, create a :class:`Renderer`.

    Parameters
    ----------
    asset : Asset, str, os.PathLike or bytes
    rig, channels
        See :class:`Renderer`.
    views, …, vertex_colors
        See :class:`Renderer`.

    Returns
    -------
    dict of str to numpy.ndarray
        See :meth:`Renderer.render`.

    Examples
    --------
    >>> import meshjudge as mj
    >>> mj.render(mj.objects.load("mug"), views=2, size=32, channels=["depth"])["depth"].dtype
    dtype('uint16')
    """
    options = dict(locals())
    return Renderer(**{name: value for name, value in options.items() if name != "asset"}).render(asset)


class Awaited:
    """The event loop that awaits a call, and whether it has stopped doing so."""

    def __init__(self) -> None:
        self.loop, self.is_cancelled = asyncio.get_running_loop(), False


def awaitable(name: str, call: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """The same call on a thread of its own. Judges that are coroutine functions run in the loop that awaits it."""

    @wraps(call)
    async def later(*given: P.args, **options: P.kwargs) -> T:
        awaited = Awaited()
        token = AWAITED.set(awaited)
        try:
            return await asyncio.to_thread(call, *given, **options)
        finally:
            awaited.is_cancelled = True
            AWAITED.reset(token)

    later.__name__ = later.__qualname__ = name
    later.__doc__ = f"As :func:`{call.__name__}`, to be awaited. A cancelled call asks nothing more."
    return later


acompare = awaitable("acompare", compare)
abench = awaitable("abench", bench)
