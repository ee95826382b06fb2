"""The calls that take many options, each of them by name, so that editors know them; the compiled half does the work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import _native
from ._columns import rows_of
from ._errors import unknown
from ._native import Audit, Comparison, Run, Score
from ._progress import Bar
from ._renderer import Renderer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .types import AssetLike, Channels, ColorLike, JudgeLike, PathLike, PhotoLike, PromptLike

__all__ = ["audit", "bench", "compare", "compare_many", "render", "score"]


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
    rig: PathLike | None = None, views: int | None = None, size: int | None = None, elevation: float | None = None,
    background: ColorLike | None = None, cameras: PathLike | None = None, camera_convention: str | None = None,
    environment: PathLike | None = None, normal_space: Literal["world", "view"] | None = None,
    light: Literal["studio", "unlit"] | None = None, device: str | None = None,
    normals: Literal["file", "flat", "smooth"] | None = None, up: str | None = None, front: str | None = None,
    vertex_colors: Literal["linear", "srgb"] | None = None,
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
    judge, …, vertex_colors
        ``judge``: 'probe' (the default, which measures), 'openai:MODEL', 'openai-responses:MODEL', 'anthropic:MODEL', 'gemini:MODEL', any callable that takes a
        :class:`Question`, or a list of them. ``run``: a folder that stores everything; another call with it pays for nothing twice.
        ``samples``, ``seed``, ``concurrency``, ``max_requests``, ``max_cost_usd``, ``timeout_secs``, ``temperature``, ``base_url``,
        ``effort``, ``body`` (dict), ``headers`` (dict), ``stream``, ``max_output_tokens``, ``cache``,
        ``models`` (file), ``reuse`` (run folders), ``replay`` (bool), ``progress`` (True, or a callable that takes a dict). And the options for
        drawing assets: see :class:`Renderer`.

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
    return _native.compare(**locals())


def compare_many(  # fmt: skip
    pairs: Any, *, a: str = "a", b: str = "b", prompt: str | None = "prompt", progress: bool = False,
    photo: PhotoLike | None = None, mask: PhotoLike | None = None, rubric: str | None = None,
    form: Literal["sheet", "object", "separate", "strip"] = "sheet", fit: int | None = None,
    fronts: Literal["file", "common", "photo"] = "file",
    judge: JudgeLike | Sequence[JudgeLike] | None = None, run: PathLike | None = None, samples: int | None = None,
    seed: int | None = None, concurrency: int | None = None, max_requests: int | None = None, max_cost_usd: float | None = None,
    timeout_secs: float | None = None, temperature: float | None = None, base_url: str | None = None, effort: str | None = None,
    body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None, stream: bool | None = None,
    max_output_tokens: int | None = None, cache: bool | None = None, models: PathLike | None = None,
    reuse: Sequence[PathLike] | None = None, replay: bool | None = None, rig: PathLike | None = None, views: int | None = None,
    size: int | None = None, elevation: float | None = None, background: ColorLike | None = None, cameras: PathLike | None = None,
    camera_convention: str | None = None, environment: PathLike | None = None, normal_space: Literal["world", "view"] | None = None,
    light: Literal["studio", "unlit"] | None = None, device: str | None = None, normals: Literal["file", "flat", "smooth"] | None = None,
    up: str | None = None, front: str | None = None, vertex_colors: Literal["linear", "srgb"] | None = None,
) -> list[Comparison]:
    """Asks judges about many pairs, each in both orders.

    Parameters
    ----------
    pairs : iterable, table or frame
        Tuples (a, b) or (a, b, prompt), or rows with these columns: a list of dicts, a dict of columns, a frame of pandas, polars or pyarrow,
        a :class:`Table`.
    a, b, prompt : str
        The columns.
    progress : bool
        Whether to show a bar.
    photo, …, vertex_colors
        See :func:`compare`; one `run` keeps all pairs.

    Returns
    -------
    list of Comparison
        In the order of the pairs.

    Examples
    --------
    >>> import meshjudge as mj
    >>> chair = mj.objects.load("chair")
    >>> pairs = [{"a": chair, "b": mj.damage(chair, "holes", level), "prompt": "a chair"} for level in (0.5, 1.0)]
    >>> [found.winner("geometry_details") for found in mj.compare_many(pairs, size=64)]
    ['a', 'a']
    """
    options: dict[str, Any] = dict(locals())
    for own in ("pairs", "a", "b", "prompt", "progress"):
        del options[own]
    rows = rows_of(pairs)
    found: list[Comparison] = []
    bar = Bar("pair") if progress else None
    for row in rows:
        for name in (a, b) if isinstance(row, Mapping) else ():
            if name not in row:
                raise unknown("column", name, row)
        given = (row[a], row[b], row.get(prompt) if prompt else None) if isinstance(row, Mapping) else row
        found.append(compare(*given, **options))
        if bar is not None:
            bar({"done": len(found), "total": len(rows)})
    return found


def score(  # fmt: skip
    asset: AssetLike, *, prompt: str | None = None, category: str | None = None, photo: PhotoLike | None = None,
    mask: PhotoLike | None = None, rubric: str | None = None, judge: JudgeLike | Sequence[JudgeLike] | None = None,
    run: PathLike | None = None, samples: int | None = None, seed: int | None = None, concurrency: int | None = None,
    max_requests: int | None = None, max_cost_usd: float | None = None, timeout_secs: float | None = None,
    temperature: float | None = None, base_url: str | None = None, effort: str | None = None, body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None, stream: bool | None = None, max_output_tokens: int | None = None,
    cache: bool | None = None, models: PathLike | None = None, reuse: Sequence[PathLike] | None = None, replay: bool | None = None,
    progress: bool | Callable[[dict[str, Any]], Any] | None = None, rig: PathLike | None = None, views: int | None = None,
    size: int | None = None, elevation: float | None = None, background: ColorLike | None = None, cameras: PathLike | None = None,
    camera_convention: str | None = None, environment: PathLike | None = None, normal_space: Literal["world", "view"] | None = None,
    light: Literal["studio", "unlit"] | None = None, device: str | None = None,
    normals: Literal["file", "flat", "smooth"] | None = None, up: str | None = None, front: str | None = None,
    vertex_colors: Literal["linear", "srgb"] | None = None,
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
    judge, …, vertex_colors
        See :func:`compare`.

    Returns
    -------
    Score
        Its `overall` is None where the judge cannot decide: the offline judge does not recognise objects.

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
    return _native.score(**locals())


def audit(  # fmt: skip
    judge: JudgeLike | Sequence[JudgeLike] | None = None, *, kinds: str | Sequence[str] = (), levels: Sequence[float] = (0.25, 0.5, 1.0),
    objects: int | None = None, split: Literal["held", "fit", "all"] = "held", bases: PathLike | None = None, fresh: int | None = None,
    rubric: str = "pairwise", run: PathLike | None = None, samples: int | None = None, seed: int | None = None,
    concurrency: int | None = None, max_requests: int | None = None, max_cost_usd: float | None = None,
    timeout_secs: float | None = None, temperature: float | None = None, base_url: str | None = None, effort: str | None = None,
    body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None, stream: bool | None = None,
    max_output_tokens: int | None = None, cache: bool | None = None, models: PathLike | None = None,
    reuse: Sequence[PathLike] | None = None, replay: bool | None = None, progress: bool | Callable[[dict[str, Any]], Any] | None = None,
    rig: PathLike | None = None, views: int | None = None, size: int | None = None, elevation: float | None = None,
    background: ColorLike | None = None, cameras: PathLike | None = None, camera_convention: str | None = None,
    environment: PathLike | None = None, normal_space: Literal["world", "view"] | None = None,
    light: Literal["studio", "unlit"] | None = None, device: str | None = None,
    normals: Literal["file", "flat", "smooth"] | None = None, up: str | None = None, front: str | None = None,
    vertex_colors: Literal["linear", "srgb"] | None = None,
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
    run, …, vertex_colors
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
    return _native.audit(**locals())


def bench(  # fmt: skip
    source: PathLike | Mapping[str, Any], *, prompts: Mapping[str, PromptLike] | Sequence[str] | None = None, folder: PathLike = ".",
    judge: JudgeLike | Sequence[JudgeLike] | None = None, run: PathLike | None = None, samples: int | None = None,
    seed: int | None = None, concurrency: int | None = None, max_requests: int | None = None, max_cost_usd: float | None = None,
    timeout_secs: float | None = None, temperature: float | None = None, base_url: str | None = None, effort: str | None = None,
    body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None, stream: bool | None = None,
    max_output_tokens: int | None = None, cache: bool | None = None, models: PathLike | None = None,
    reuse: Sequence[PathLike] | None = None, replay: bool | None = None, progress: bool | Callable[[dict[str, Any]], Any] | None = None,
    rig: PathLike | None = None, views: int | None = None, size: int | None = None, background: ColorLike | None = None,
    light: Literal["studio", "unlit"] | None = None, device: str | None = None, engine: Any = None,
    features: Mapping[str, Callable[..., Any]] | None = None,
) -> Run:
    """Runs a whole benchmark of generators: makes missing assets, draws, asks, rates. The same call resumes a run and asks nothing twice.

    Parameters
    ----------
    source : str, os.PathLike or dict
        A benchmark file; a folder with one folder of assets per method, as ``meshjudge bench --init`` reads it; a dict with the keys of a
        file (see ``meshjudge bench --schema``): ``name``, ``prompts``, ``generators``, ``judges``, …; or a dict that maps each method to
        its assets by prompt, to a folder of assets with the prompts' names, or to a function from a prompt's text to an asset.
    prompts : dict, or list of str, optional
        For a dict of methods: the prompts by the keys or file names of the assets, or only their texts. Each is a text, a photo (a Path, a
        Picture or an array), or a dict with the keys of a prompt in a file. Default: the keys and names themselves.
    folder : str or os.PathLike
        Base of relative paths in a dict. Paths in a file are relative to its folder.
    judge, …, engine
        ``judge``, ``run``, ``progress`` and the other options of :func:`compare` about asking judges, and ``rig``, ``views``, ``size``,
        ``background``, ``light`` and ``device``: see :class:`Renderer`. They override the file. Default of ``run`` for a dict of methods:
        ``runs/bench``. ``engine``: ``'ray'`` or a :class:`meshjudge.ray.Engine`, to make, draw and compose on the machines of a Ray cluster;
        this process asks the judges.
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
    >>> run = mj.bench({"ours": clean, "theirs": holed}, prompts={"chair": "a chair", "mug": "a mug"}, run=tempfile.mkdtemp(), size=64)
    >>> run.leaderboard("geometry_details")["method"]
    ['ours', 'theirs']
    """
    return _native.bench(**locals())


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
