from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, final, overload
from typing_extensions import CapsuleType, disjoint_base

from numpy import float32, float64, int64
from numpy.typing import NDArray

from .types import AssetLike, PathLike, PhotoLike, PictureLike

__version__: str

class MeshjudgeError(Exception):
    """Base of all errors of meshjudge. The message gives the error, its reason and a remedy."""
class LoadError(MeshjudgeError):
    """An asset cannot be read: missing, incomplete, too large, or of an unknown format."""
class RenderError(MeshjudgeError):
    """An asset cannot be drawn: an unknown rig, an impossible size, a missing graphics card."""
class PictureError(MeshjudgeError):
    """A picture cannot be decoded, encoded, written or composed."""
class RubricError(MeshjudgeError):
    """A rubric cannot be read, or does not suit the question."""
class JudgeError(MeshjudgeError):
    """A judge cannot be asked at all: an unknown name, no key, an unusable address."""
class RunError(MeshjudgeError):
    """A run folder cannot be read or written, or has nothing of this kind."""
class RateError(MeshjudgeError):
    """Games that determine no ratings."""
class BenchError(MeshjudgeError):
    """An invalid benchmark, or one that cannot run."""
class AuditError(MeshjudgeError):
    """An audit that cannot be made."""
class DamageError(MeshjudgeError):
    """An asset that cannot be damaged in this way."""
class ForkError(MeshjudgeError):
    """A forked process cannot use the threads of its parent. Start it with 'spawn' or 'forkserver' instead."""
class InternalError(MeshjudgeError):
    """A fault in meshjudge itself; please report it with the message."""

@final
class Asset:
    """An asset in memory. Assets of equal content are equal. Made by :func:`load`, :func:`damage` and :func:`meshjudge.objects.load`."""
    @property
    def path(self) -> str:
        """The source; for bytes, their given name."""
    @property
    def hash(self) -> str:
        """BLAKE3 of all its files, 64 hexadecimal digits."""
    @property
    def num_triangles(self) -> int:
        """Number of triangles of the drawn scene."""
    @property
    def num_vertices(self) -> int:
        """Number of vertices of the drawn scene."""
    @property
    def warnings(self) -> list[str]:
        """Parts that were dropped, guessed or approximated when it was read."""
    @property
    def variants(self) -> list[str]:
        """Names of the file's variants (``KHR_materials_variants``); the default one is read."""
    @property
    def bounds(self) -> tuple[list[float], list[float]]:
        """Smallest and largest corner, (x, y, z) in the file's units, y up, front towards +z."""
    @property
    def vertices(self) -> NDArray[float64]:
        """``float64`` of shape (num_vertices, 3): positions of all meshes, one mesh after the other, in the file's units."""
    @property
    def faces(self) -> NDArray[int64]:
        """``int64`` of shape (num_triangles, 3): indices into ``vertices``."""
    @property
    def normals(self) -> NDArray[float64]:
        """``float64`` of shape (num_vertices, 3): unit normals of the vertices, from the file, or averaged from the adjacent faces by area."""
    def to_glb(self) -> bytes:
        """The asset as the bytes of a GLB file, whatever its format was; the same asset gives the same bytes."""
    def to_trimesh(self) -> Any:
        """As one ``trimesh.Trimesh``; trimesh must be installed, and merges several materials into one, whose texture cannot repeat;
        ``trimesh.load(io.BytesIO(asset.to_glb()), file_type="glb")`` is the scene with all materials."""
    def save(self, path: PathLike) -> None:
        """Writes the asset as a GLB file.

        Parameters
        ----------
        path : str or os.PathLike
            The file, whose name ends in .glb; its folder must exist.

        Raises
        ------
        ArgumentError
            Another extension. ``asset.to_trimesh().export(path)`` writes other formats.
        PictureError
            The file cannot be written.
        """

@final
class Splats:
    """Gaussian splats in memory; every call that draws or judges an asset takes them. Splats of equal numbers are equal.

    Made by :func:`load` and :func:`damage`, or from arrays (tensors, lists) shaped like the properties of the same names; ``len`` is the
    number of splats. y is up and the front is towards +z.

    Parameters
    ----------
    positions, scales, rotations, opacities, harmonics : array_like
        Rotations can have any length above 0, and opacities are clamped to 0 to 1.
    name : str
        The name in messages and in place of a path.
    color_space : {'display', 'linear'}
        Colours are blended as sRGB values, or in linear light.
    order : {'depth', 'distance'}
        Splats are ordered along the view, or by their distance to the eye.
    antialiased : bool, optional
        Whether they were trained antialiased; if so, they are drawn that way.

    Raises
    ------
    ArgumentError
        Shapes that do not fit, or numbers that are not finite.

    Examples
    --------
    >>> import meshjudge as mj
    >>> mj.Splats([[0, 0, 0]], [[0.2, 0.2, 0.2]], [[1, 0, 0, 0]], [0.9], [[[1, 0, 0]]])
    <Splats "splats": 1 of degree 0>
    """
    def __new__(
        cls, positions: Any, scales: Any, rotations: Any, opacities: Any, harmonics: Any, *, name: str = "splats",
        color_space: str = "display", order: str = "depth", antialiased: bool | None = None
    ) -> Splats: ...
    def __len__(self) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]: ...
    @property
    def path(self) -> str:
        """The source; for bytes and arrays, their given name."""
    @property
    def hash(self) -> str:
        """BLAKE3 of all its files, 64 hexadecimal digits; for arrays, of their numbers."""
    @property
    def warnings(self) -> list[str]:
        """Parts that were dropped, guessed or approximated when it was read."""
    @property
    def color_space(self) -> str:
        """'display' or 'linear': the space in which colours are blended."""
    @property
    def order(self) -> str:
        """'depth' or 'distance': the order of blending."""
    @property
    def antialiased(self) -> bool | None:
        """Whether they were trained antialiased; None if the file does not say."""
    @property
    def positions(self) -> NDArray[float64]:
        """``float64`` of shape (n, 3): the centres x, y, z in the file's units."""
    @property
    def scales(self) -> NDArray[float32]:
        """``float32`` of shape (n, 3): standard deviations along the splat's own axes in the file's units, not logarithms."""
    @property
    def rotations(self) -> NDArray[float32]:
        """``float32`` of shape (n, 4): unit quaternions w, x, y, z from the splat's own axes to the object's."""
    @property
    def opacities(self) -> NDArray[float32]:
        """``float32`` of shape (n,): 0 to 1, not logits."""
    @property
    def harmonics(self) -> NDArray[float32]:
        """``float32`` of shape (n, k, 3): k = 1, 4, 9 or 16 coefficients of red, green and blue, in the order and with the signs of 3D Gaussian
        Splatting. The colour is 0.5 + 0.28209479 times the first coefficient, plus the others times their functions."""
    def save(self, path: PathLike) -> list[str]:
        """Writes .ply (3DGS), .spz (version 3) or .glb (KHR_gaussian_splatting), and returns what the encoding cannot keep.

        Raises
        ------
        ArgumentError
            Another extension.
        LoadError
            The format cannot encode these splats.
        PictureError
            The file cannot be written.
        """

@final
class Photo:
    """The photo that assets were made from, or several of one object, decoded once for all calls. Made by :meth:`open`."""
    @staticmethod
    def open(
        photo: PhotoLike, mask: PhotoLike | None = None, *, style: Literal["plain", "trellis", "hunyuan3d"] = "plain"
    ) -> Photo:
        """Opens a photo.

        Parameters
        ----------
        photo, mask : Picture, PIL.Image.Image, numpy.ndarray, str, os.PathLike, or a mapping of them
            As for :func:`compare`.
        style : {'plain', 'trellis', 'hunyuan3d'}
            Crop and background of the object that judges see.

        Raises
        ------
        PictureError
            A picture that cannot be read, or a mask of another size.
        """
    @property
    def picture(self) -> Picture:
        """What judges see of the first photo: its object, on a plain background."""
    @property
    def note(self) -> str | None:
        """How its object was found, if neither a mask nor transparency says where it is, or a doubt about the mask."""

@final
class Picture:
    """A picture: the exact bytes that a judge receives.

    Parameters
    ----------
    source : str, os.PathLike, bytes or numpy.ndarray
        PNG, JPEG or WebP (which becomes PNG), or uint8 of shape (height, width), (height, width, 3) or (height, width, 4), or a mask of bool.
    """
    def __new__(cls, source: PictureLike) -> Self: ...
    @property
    def data(self) -> bytes:
        """The encoded bytes: PNG, or JPEG for a JPEG photo."""
    @property
    def data_url(self) -> str:
        """The bytes as ``data:image/png;base64,…``."""
    @property
    def width(self) -> int:
        """Width in pixels."""
    @property
    def height(self) -> int:
        """Height in pixels."""
    @property
    def media_type(self) -> str:
        """``image/png`` or ``image/jpeg``."""
    @property
    def hash(self) -> str:
        """BLAKE3 of the bytes, hexadecimal, as rows name it."""
    def to_numpy(self) -> NDArray[Any]:
        """The pixels.

        Returns
        -------
        numpy.ndarray
            ``uint8`` of shape (height, width, channels), sRGB from 0 to 255, row 0 at the top; 3 channels, 4 with straight alpha, or 1.
        """
    def to_pil(self) -> Any:
        """As a ``PIL.Image.Image``; Pillow must be installed."""
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]: ...
    def save(self, path: PathLike) -> None:
        """Writes the picture to a file: the bytes unchanged, or converted if the extension requires it.

        Parameters
        ----------
        path : str or os.PathLike
            The file, whose name ends in .png, .jpg or .jpeg; its folder must exist.

        Raises
        ------
        ArgumentError
            Another extension. ``picture.to_pil().save(path)`` writes other formats.
        PictureError
            The file cannot be written.
        """

@disjoint_base
class Renderer:
    def __new__(cls, **options: Any) -> Self: ...
    @property
    def num_views(self) -> int:
        """Number of views of an asset."""
    @property
    def protocol(self) -> dict[str, Any]:
        """The render protocol, as stored with verdicts."""
    @property
    def protocol_hash(self) -> str:
        """BLAKE3 of ``protocol``; pictures with the same hash are comparable."""
    def load(self, source: AssetLike) -> Asset | Any:
        """Reads an asset for this renderer's pictures, and keeps only the visible texels of large textures.

        Parameters
        ----------
        source : str, os.PathLike or bytes
        """
    def render(self, asset: AssetLike) -> dict[str, NDArray[Any]]:
        """Draws an asset.

        Parameters
        ----------
        asset : Asset, str, os.PathLike or bytes

        Returns
        -------
        dict of str to numpy.ndarray
            For each channel an array of shape (views, height, width, channels), C-contiguous, writable, row 0 at the top. ``rgb`` and
            ``matte``: uint8, sRGB, 3 channels (``rgb`` 4 with straight alpha where the background is transparent). ``normal``: uint8,
            ``(n + 1) / 2`` of the geometric unit normal, linear, black where nothing is. ``mask``: uint8, share of the pixel that is
            covered. ``depth``: uint16, 65535 nearest to 1 farthest over the bounding sphere, linear, 0 where nothing is (``ndc-depth``: linear
            in clip space). ``base-color``, ``emissive``, ``metallic-roughness`` (green roughness, blue metallic), ``opacity`` and normals: uint8.
            ``z``: float32, depth along the view axis, 0 where nothing is (``expected-z``: of splats, the mean instead of the median). ``position`` and ``uv``: float32, 4 channels, the last 1 where something
            is. ``part``: uint16, 1 + index of the mesh. ``wire``, ``facing``, ``parts`` and ``parts-…``: uint8, sRGB, 3 channels.

        Raises
        ------
        LoadError, RenderError
        """
    def save(self, asset: AssetLike, folder: PathLike) -> dict[str, Any]:
        """Draws an asset into a folder, like ``meshjudge render``: ``rgb_0.png`` … and ``frames.json``, the record of the drawing.

        Parameters
        ----------
        asset : Asset, str, os.PathLike or bytes
        folder : str or os.PathLike
            Created if it does not exist.

        Returns
        -------
        dict
            ``views`` (int), ``problems`` (views that are empty, cut off, or have too little contrast), ``seconds`` (float).

        Raises
        ------
        LoadError, RenderError, PictureError
        """
    def _stop(self) -> None: ...

@final
class Table:
    """Rows with named, typed columns. ``table["method"]`` is a column as a list, ``table[0]`` a row as a dict, ``table[0, "method"]`` a value,
    ``table[:3]`` a table; iteration goes over rows. ``pandas.DataFrame(table)``, ``polars.DataFrame(table)`` and
    ``duckdb.from_arrow(table)`` read it directly.
    """
    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists, by name."""
    def to_dicts(self) -> list[dict[str, Any]]:
        """The rows, each a dict."""
    @property
    def notes(self) -> list[str]:
        """For a board: its figures and caveats, as below the board in a terminal."""
    def filter(self, **equal: Any) -> Table:
        """The rows whose columns have these values.

        Parameters
        ----------
        **equal
            Values by column, as in ``rows.filter(criterion="overall", judge="probe")``.

        Returns
        -------
        Table

        Raises
        ------
        UnknownNameError
            No such column, or no row with that text.
        """
    def to_pandas(self) -> Any:
        """As a ``pandas.DataFrame``; pandas must be installed."""
    def to_polars(self) -> Any:
        """As a ``polars.DataFrame``; polars must be installed."""
    def to_arrow(self) -> Any:
        """As a ``pyarrow.Table``; pyarrow must be installed."""
    def plot(self, ax: Any = None) -> Any:
        """Draws a board with matplotlib, which must be installed: each method's rating or mean as a dot on its interval. Returns the axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw. Default: a new figure.
        """
    @overload
    def __getitem__(self, key: str, /) -> list[Any]: ...
    @overload
    def __getitem__(self, key: int, /) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice[Any, Any, Any], /) -> Table: ...
    @overload
    def __getitem__(self, key: tuple[int, str], /) -> Any: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> CapsuleType: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...

@final
class Question:
    """The question to a callable judge."""
    @property
    def text(self) -> str:
        """All text of the question, in order."""
    @property
    def pictures(self) -> list[Picture]:
        """The pictures of the question, in order."""
    @property
    def parts(self) -> list[str | Picture]:
        """Text and pictures in the order in which a model receives them."""
    def to_openai(self) -> list[Any]:
        """The question as ``messages`` of OpenAI's chat completions, which many servers take."""
    def to_anthropic(self) -> list[Any]:
        """The question as ``messages`` of Anthropic's API."""
    @property
    def photo(self) -> Picture | None:
        """The photo from which the assets were made, as it is shown."""
    @property
    def views(self) -> list[Picture]:
        """The pictures of the assets: one sheet, or one per object or view, the left object first."""
    @property
    def answer_example(self) -> dict[str, Any]:
        """A valid answer: 'left', 'right', 'tie' or None (undecided) for each criterion of a pair, ``{"score": 2}`` for a
        reconstruction, a number for each aspect and ``overall_score`` for a category. Every key is required.
        """
    @property
    def prompt(self) -> str | None:
        """The text from which the assets were made."""
    @property
    def criteria(self) -> list[str]:
        """Keys of the criteria, in the order of the answer."""
    @property
    def kind(self) -> Literal["pairwise", "reconstruction", "category"]:
        """'pairwise', 'reconstruction' or 'category'."""
    @property
    def rubric(self) -> str:
        """The rubric's name."""
    @property
    def category(self) -> str | None:
        """The kind of the prompt, for the rubric 'category'."""
    @property
    def order(self) -> Literal["ab", "ba"]:
        """'ab' if the asset listed first is on the left, else 'ba'."""

@final
class Comparison:
    """The verdicts of judges on a pair. Made by :func:`compare`."""
    def winner(self, criterion: str = "overall") -> Literal["a", "b", "tie"] | None:
        """The winner of a criterion in both orders of every judge and sample.

        Parameters
        ----------
        criterion : str
            A key of the rubric: 'overall', 'geometry_details', …

        Returns
        -------
        str or None
            'a', 'b' or 'tie'; None if any of them differ, or there is no verdict.

        Raises
        ------
        UnknownNameError
            A criterion that the rubric lacks.
        """
    @property
    def findings(self) -> list[dict[str, Any]]:
        """For each judge and sample: ``judge``, ``sample`` and ``criteria``, which maps each criterion to ``a_left`` and ``b_left`` (the winner
        in each order: 'a', 'b', 'tie', 'undecided', or 'none' without a verdict) and ``verdict`` (the result of both, else 'inconsistent' or 'incomplete').
        """
    def verdicts(self, by: Literal["question", "criterion"] = "question") -> Table:
        """Every question with its evidence.

        Parameters
        ----------
        by : {'question', 'criterion'}
            A row for each question with raw reply, cost and hashes, or one for each question and criterion with its winner.
        """
    @property
    def pictures(self) -> list[Picture]:
        """The pictures that judges saw."""
    @property
    def summary(self) -> dict[str, Any]:
        """Summary of the asking: questions, verdicts, requests, ``spent_usd``, failures."""
    @property
    def run(self) -> Path | None:
        """The run's folder, if there is one."""

@final
class Score:
    """A score of how well an asset matches its prompt or its photo. Made by :func:`score`."""
    @property
    def overall(self) -> float | None:
        """1 to 3 for a reconstruction, 0 to 10 for a category; None without a verdict."""
    @property
    def aspects(self) -> dict[str, float]:
        """For a category, the score of each aspect, from 0 to 10."""
    def verdicts(self, by: Literal["question", "criterion"] = "question") -> Table:
        """Every question with its evidence; see :meth:`Comparison.verdicts`."""
    @property
    def pictures(self) -> list[Picture]:
        """The picture that the judge saw."""
    @property
    def summary(self) -> dict[str, Any]:
        """See :class:`Comparison`."""
    @property
    def run(self) -> Path | None:
        """The run's folder, if there is one."""

@final
class Run:
    """A finished or running run, or several as one. Nothing is cached: each call reads the present state.

    Parameters
    ----------
    folder : str or os.PathLike, or a list of them
        Run folders, or a folder of shards; a question in several of them counts once.
    ties, anchor, prior, bootstraps, seed
        See :func:`rate`; default: the benchmark file's settings.
    mix_protocols : bool
        Whether to rate verdicts together even if their pictures or texts differ.
    with_probe : bool
        Whether probe counts as one of "all judges" if there are models.
    """
    def __new__(  # fmt: skip
        cls, folder: PathLike | Sequence[PathLike], *, ties: Literal["half", "both-win", "davidson"] | None = None,
        anchor: str | None = None, prior: bool | None = None, bootstraps: int | None = None, seed: int | None = None,
        mix_protocols: bool = False, with_probe: bool | None = None,
    ) -> Self: ...
    @property
    def folders(self) -> list[Path]:
        """Folders of the runs, or of the shards."""
    @property
    def summary(self) -> dict[str, Any] | None:
        """Summary of the asking, if this comes from :func:`bench`."""
    @property
    def outcomes(self) -> dict[str, int]:
        """Questions by outcome."""
    def results(self, kind: str = "rating", criterion: str | None = None, judge: str | None = None, *, diagnose: bool = False) -> Table:
        """The rows of one kind of ``meshjudge rate --json``: by default the boards, which are ratings by criterion and judge, best first.

        Parameters
        ----------
        kind : str
            'rating'; 'mean' (mean scores, for rubrics about one object); 'agreement' of two judges, or of judges and people; or 'criterion', 'anchored',
            'controlled', 'category', 'mos', 'people', 'jury', 'generator', 'diagnosis', 'outcomes', …
        criterion, judge : str, optional
            Only these.
        diagnose : bool
            Also the sensitivity of each board's order (kind 'diagnosis': rules for draws, the prior, single prompts and judges, circular wins), and each
            method's rating in each category of prompts (kind 'category'), like ``--diagnose``.

        Returns
        -------
        Table
            For 'rating': ``rubric``, ``criterion``, ``judge``, ``method``, ``rating`` (Elo points), ``bound`` ('at_least' for a method that only won,
            'at_most' for a method that only lost, 'neither' for one between such methods), ``low``, ``high`` (95 %, over prompts; missing for such methods, and for
            fewer than five prompts), ``rank_all_low``, ``rank_all_high`` (all methods' ranks right together), ``next_lower`` (whether it is established that the next line is lower), ``win_rates`` (expected shares of wins), ``games``, ``ties``, ``inconsistent`` (games whose orders differ).
            For 'agreement': shares from 0 to 1 with 95 % intervals (``…_low``, ``…_high``): ``on_decided`` (both name a side), ``with_ties``; ``kappa`` (Cohen),
            ``kendall`` and ``spearman`` of the rankings.

        Raises
        ------
        RunError
            Nothing to rate, or different protocols.
        UnknownNameError
            No such kind, criterion or judge in the run.
        """
    def vectors(self, feature: str) -> tuple[dict[str, list[Any]], NDArray[float32]]:
        """The stored vectors of a feature of a benchmark, as it was last defined.

        Parameters
        ----------
        feature : str
            The name of the feature in the benchmark.

        Returns
        -------
        rows : dict of lists
            ``method`` (empty for a vector of a prompt), ``prompt_id``, ``seed``, ``view``, ``asset_hash`` (empty for photos and texts) and ``key``, for each vector.
        vectors : ndarray [n, dimension], float32
            As the model gave them, not normalised. ``numpy.savez("views.npz", vectors=vectors, **rows)`` keeps them.

        Raises
        ------
        RunError
            A run without vectors of that feature.
        """
    def verdicts(self, by: Literal["question", "criterion"] = "question") -> Table:
        """Every question with its evidence, including pairs that a missing asset decided.

        Parameters
        ----------
        by : {'question', 'criterion'}
            See :meth:`Comparison.verdicts`. Boards rate the rows by criterion, and so does :func:`rate`: they leave out verdicts of earlier
            versions of judges or assets, and add a row for each judge and criterion of a pair that a missing asset decided.
        """
    def report(self, path: PathLike | None = None) -> Path:
        """Writes the page with pictures, plots and every verdict, or the boards in another format.

        Parameters
        ----------
        path : str or os.PathLike, optional
            The extension decides the format, as for ``meshjudge report --out``: .html (the page), .md, .json, .csv, .tex, .bib or .svg.
            Default: ``report.html`` in the run's folder, or in that of its shards.

        Returns
        -------
        pathlib.Path

        Raises
        ------
        ArgumentError
            Another extension.
        RunError
            A file that cannot be written, or no board to plot.
        """

@final
class Audit:
    """The findings of an audit about its judges. Made by :func:`audit`."""
    @property
    def figures(self) -> list[dict[str, Any]]:
        """All measurements for each judge: ``families``, ``findings``, ``sparings``, ``left``, ``consistent``, ``ties``,
        ``false_alarms``, ``injected``, … Shares from 0 to 1, with 95 % intervals over objects.
        """
    @property
    def words(self) -> list[str]:
        """The most important findings, in sentences."""
    @property
    def left_out(self) -> list[str]:
        """Pairs that could not be made, with the reason."""
    @property
    def summary(self) -> dict[str, Any]:
        """Summary of the asking."""
    @property
    def run(self) -> Path | None:
        """The run's folder, if there is one."""
    def findings(self) -> Table:
        """How often the undamaged asset won in both orders, by kind of damage, criterion and level.

        Returns
        -------
        Table
            ``judge``, ``kind``, ``criterion``, ``level``, ``right`` with its interval ``low`` to ``high``, ``undecided``: shares, 0 to 1.
        """

def load(  # fmt: skip
    source: AssetLike, *, name: str | None = None, files: Mapping[str, bytes] | Callable[[str], bytes | None] | None = None,
    normals: Literal["file", "flat", "smooth"] = "file", up: str = "+y", front: str = "+z",
    vertex_colors: Literal["linear", "srgb"] = "linear",
) -> Asset | Any:
    """Reads an asset: .glb, .gltf, .obj, .ply or .stl; splats as .ply, .spz, .sog, .splat or glTF; or a mesh in memory.

    Every call that takes an asset takes these too.

    Parameters
    ----------
    source : str, os.PathLike, bytes, file object, mesh or tuple
        A file, or its bytes; a mesh or scene of trimesh, a mesh of Open3D; or arrays or tensors ``(vertices, faces[, colors[, uv[,
        texture]]])``: (n, 3), (m, 3) or (m, 4), (n, 3) or (n, 4) as uint8 or from 0 to 1 in sRGB, (n, 2) with (0, 0) at the bottom left, and
        a picture.
    name : str, optional
        For bytes: their name in messages; its extension distinguishes .obj, .stl and .splat.
    files : mapping or callable, optional
        For bytes that refer to other files (.gltf, .obj): the content (bytes) of each file, or a function from name to bytes or None.
    normals : {'file', 'flat', 'smooth'}
        From the file (by its format's rules if it has none), or computed for all vertices.
    up, front : str
        The file's up and front axes: '+y', '-z', …
    vertex_colors : {'linear', 'srgb'}
        Space of the vertex colours of glTF files: linear light as specified, or sRGB as trimesh writes them.

    Returns
    -------
    Asset
        For Gaussian splats a :class:`Splats`.

    Raises
    ------
    LoadError
        The file is missing, incomplete, too large, of an unknown format, or refers to files outside its folder.

    Examples
    --------
    >>> import meshjudge as mj
    >>> chair = mj.load(mj.objects.glb("chair"), name="chair.glb")
    >>> chair.num_triangles > 1000
    True
    """
def inspect(asset: AssetLike) -> dict[str, Any]:
    """Measured facts of an asset: size, holes, pieces, noise, textures. The output of ``meshjudge inspect --json``.

    Parameters
    ----------
    asset : Asset, str, os.PathLike or bytes

    Returns
    -------
    dict
        ``path``, ``hash``, ``facts``, ``quality``, ``variants`` and ``warnings``. Lengths in ``facts`` are shares of the diagonal, areas
        shares of the surface, both from 0 to 1; ``facts["extent"]`` is in the file's units. ``quality`` has manifoldness, triangles that
        cross, their shapes, and the quality of texture coordinates. Gaussian splats have ``path``, ``hash``, ``warnings`` and ``splats``, with
        lengths in the file's units.

    Examples
    --------
    >>> import meshjudge as mj
    >>> mj.inspect(mj.objects.load("vase"))["facts"]["is_watertight"]
    True
    """
def measure(  # fmt: skip
    result: AssetLike, reference: AssetLike, metrics: str | Sequence[str] | None = None, *,
    align: Literal["none", "box", "axes", "search"] = "none", samples: int = 100_000, seed: int = 0,
    unit: Literal["longest", "diagonal", "file"] = "longest", cells: int = 64, matched: int = 1024,
) -> dict[str, Any]:
    """Measures an asset against a reference: Chamfer distances, F-scores, normal consistency, Hausdorff distances, IoU of volumes, EMD.

    The output of ``meshjudge measure --json``; docs/METRICS.md gives each formula. The same numbers on every machine and with any number of
    threads, and exactly 0 or 1 for an asset against itself.

    Parameters
    ----------
    result, reference : Asset, str, os.PathLike or bytes
    metrics : str or sequence of str, optional
        Such as ``cd_l1_half``, ``f@0.02``, ``iou``, and ``cd_l1_half_pp``, which measures only between samples. Default: the common ones.
    align : {"none", "box", "axes", "search"}
        Alignment of the result with the reference. Never mirrored.
    samples, seed : int
        Points drawn on each surface, evenly by area, and their seed.
    unit : {"longest", "diagonal", "file"}
        Unit of length: the longest side or the diagonal of the reference's box, or the file's unit.
    cells : int
        Number of cells along the longest side, for volumes.
    matched : int
        Points that ``emd`` matches one to one.

    Returns
    -------
    dict
        ``values`` (metric → number, or None where there is none), ``comparison`` (the numbers with their reasons, floors and hashes of
        definitions; ``alignment``; both sides) and ``definitions`` (hash → everything that decides the number).

    Raises
    ------
    UnknownNameError
        An unknown metric.
    ArgumentError
        A setting out of range.
    LoadError

    Examples
    --------
    >>> import meshjudge as mj
    >>> vase = mj.objects.load("vase")
    >>> mj.measure(vase, vase, ["cd_l1_half", "f@0.01"], samples=1000)["values"]
    {'cd_l1_half': 0.0, 'f@0.01': 1.0}
    """
def check(asset: AssetLike, profile: PathLike, *, unit: Literal["mm", "cm", "m", "in"] | None = None, report: PathLike | None = None) -> dict[str, Any]:
    """Checks an asset against the limits of a profile: whether its file is fit for an engine, a printer or a shop. The output of ``meshjudge check --json``.

    Parameters
    ----------
    asset : Asset, str, os.PathLike or bytes
    profile : str or os.PathLike
        'game', 'web', 'print', 'vrchat', '3d-commerce', or a TOML file, of which docs/METRICS.md shows an example.
    unit : {'mm', 'cm', 'm', 'in'}, optional
        Unit of the file. Default: that of its format, else that of the profile.
    report : str or os.PathLike, optional
        The Khronos glTF Validator's JSON report of the asset, or a folder of reports.

    Returns
    -------
    dict
        ``ready`` (bool), ``limits`` (for each: ``figure``, ``state`` 'passed', 'warned', 'failed' or 'not-measured', ``value``, ``limit``, ``found``,
        ``is_blocking``, ``why``, ``places``), ``profile``, ``profile_hash``, ``path``, ``hash``. A limit that is not measured is not passed.

    Raises
    ------
    ArgumentError
        An unknown profile or unit, an invalid file, or a report about another asset.
    LoadError

    Examples
    --------
    >>> import meshjudge as mj
    >>> mj.check(mj.objects.load("mug"), "game")["ready"]
    True
    """
def object_glb(name: str) -> bytes: ...
def write_file(path: PathLike, data: bytes) -> None: ...
def object_prompts() -> list[tuple[str, str]]: ...
def sheet_pair(a: AssetLike, b: AssetLike, **options: Any) -> Picture: ...
def sheet_grid(asset: AssetLike, **options: Any) -> Picture: ...
def sheet_four_view(asset: AssetLike, **options: Any) -> Picture: ...
def sheet_reference(photo: PictureLike | Photo, mask: PictureLike | None = None) -> tuple[Picture, Picture, Picture]:
    """A photo with its object highlighted, and two zooms, as the reconstruction rubric shows them.

    Parameters
    ----------
    photo : Photo, str, os.PathLike, bytes, Picture or numpy.ndarray
        PNG, JPEG, WebP, or uint8 of shape (height, width, 3).
    mask : str, os.PathLike, bytes, Picture or numpy.ndarray
        Of the same size: white or opaque is the object. Without it, the photo's transparency or
        its plain background says where the object is.

    Returns
    -------
    tuple of Picture
        Highlighted, zoom highlighted, zoom.

    Raises
    ------
    PictureError
        A picture that cannot be read, a mask of another size, or an empty one.
    """
def compare_many(pairs: Sequence[Any], **options: Any) -> list[Comparison]: ...
def score(*given: Any, **options: Any) -> Score: ...
def rate(  # fmt: skip
    games: Any, *, a: str = "a", b: str = "b", winner: str = "winner", prompt: str | None = "prompt",
    ties: Literal["half", "both-win", "davidson"] = "half", anchor: str | None = None, judge: str | None = "judge", order: str = "order",
    control: str | Sequence[str] | None = None, prior: bool = True, bootstraps: int = 1000, seed: int = 0,
) -> Table:
    """Rates methods from games: Bradley–Terry on the Elo scale, with 95 % intervals from a bootstrap over prompts. The games need not have
    anything to do with meshes.

    Parameters
    ----------
    games : table
        A dict of columns, a list of dicts, a :class:`Table`, a pandas or polars frame, or anything with the Arrow PyCapsule interface. A row
        is a game, or with the column `order` an answer in one order. From ``run.verdicts(by="criterion")``, choose one criterion and one
        judge: ``.filter(criterion="overall", judge="probe")`` gives the ratings of ``run.results("rating", "overall", "probe")``.
    a, b : str
        Columns with the names of the two methods.
    winner : str
        Column with 'a', 'b' or 'tie'; rows with missing values are left out, other values are an error.
    prompt : str, optional
        Column with the prompt of both; games on one prompt are a cluster of the bootstrap. Without it (None, or a table that lacks the
        column) each game is a cluster of its own. Prompts with one text and different values in a column ``prompt_id`` are different.
    ties : {'half', 'both-win', 'davidson'}
        How a tie counts.
    anchor : str, optional
        The method with rating 1000. Default: the mean of all. ``'people'``: anchored ratings, from a few of people's votes and the
        boards of judges, by the column `judge`; :func:`rating.judge_worth` gives each judge's information in votes.
    judge : str, optional
        Column with the judge, read if it exists: ``'people'`` or ``'human:NAME'`` for a vote, else a judge's name. Several judges are an
        error unless `anchor` is ``'people'``. None ignores judges and orders: each row is a game.
    order : str
        Column with the asset on the left, read if it exists: 'ab' or 'ba'. As on a run's boards, a judge's answers in both orders are one
        game, which is a draw if they differ; one order only is half a game; the left/right bias is fitted, or an error says why not.
    control : str or list of str, optional
        Figures of the assets for style control: NAME means the columns NAME_a and NAME_b, ``log:NAME`` their logarithms.
        :func:`rating.control_effects` gives the effect of each.
    prior : bool
        Whether a weak prior keeps the rating of a method finite if it only wins.
    bootstraps : int
        Replicates; 0 for no intervals. There are none with fewer than five prompts.
    seed : int

    Returns
    -------
    Table
        Best first: ``method``, ``rating`` (Elo points), ``low``, ``high`` (95 %; none for a method that only won or only
        lost), ``rank_all_low``, ``rank_all_high`` (right together on 95 of 100 boards), ``games``, ``ties``, ``left_bias`` (of the judge, in Elo points). With ``anchor='people'`` ``games`` are votes, and instead of ``ties`` and ``left_bias`` there is
        ``apart``: how much higher people rate a method than the judges, if they disagree. With `control`, they are replaced by
        ``plain``, the rating from the same games without style control, and ``moved``, ``moved_low``, ``moved_high``, the difference.

    Raises
    ------
    RateError
        No games, several criteria or judges, unconnected groups of methods, a rating that is infinite without the prior, too few votes to
        anchor, or an unusable figure.
    UnknownNameError
        An anchor that is no method.

    Examples
    --------
    >>> import meshjudge as mj
    >>> games = {"a": ["x", "x", "y"], "b": ["y", "z", "z"], "winner": ["a", "a", "tie"]}
    >>> mj.rate(games)["method"]
    ['x', 'y', 'z']
    """
def judge_worth(  # fmt: skip
    games: Any, *, a: str = "a", b: str = "b", winner: str = "winner", prompt: str | None = "prompt", judge: str = "judge",
    order: str = "order", ties: Literal["half", "both-win", "davidson"] = "half", seed: int = 0,
) -> Table:
    """Each judge's information as a number of people's votes, in addition to the existing votes.

    Parameters
    ----------
    games : table
        See :func:`rate`, with a column of judges.
    a, b, winner, prompt, judge, order, ties, seed
        See :func:`rate`.

    Returns
    -------
    Table
        A row per judge: ``judge``, ``votes`` (the number of additional votes with the same information), ``low`` and ``high`` (80 % range),
        ``slope`` (people's points for each point on its board; negative if it ranks backwards), ``slope_sd``, ``off`` (the
        error of its board in points, after scaling) and ``refused``: why a judge has no board, and no figures.

    Raises
    ------
    RateError
        No votes, votes on fewer than five prompts, or no judge whose games connect its methods.

    Examples
    --------
    >>> import meshjudge as mj
    >>> pairs = {"a": ["x", "x", "y"] * 12, "b": ["y", "z", "z"] * 12, "winner": ["a", "a", "a", "b"] * 9}
    >>> who = {"judge": ["people"] * 18 + ["model"] * 18, "prompt": [str(i // 3) for i in range(36)]}
    >>> mj.rating.judge_worth(pairs | who)["judge"]
    ['model']
    """
def control_effects(  # fmt: skip
    games: Any, control: str | Sequence[str], *, a: str = "a", b: str = "b", winner: str = "winner", prompt: str | None = "prompt",
    ties: Literal["half", "both-win", "davidson"] = "half", prior: bool = True, bootstraps: int = 1000, seed: int = 0,
) -> Table:
    """Effects of figures of the assets on wins, with the methods accounted for.

    Parameters
    ----------
    games : table
        See :func:`rate`, with the columns of the figures.
    control : str or list of str
        See :func:`rate`.
    a, b, winner, prompt, ties, prior, bootstraps, seed
        See :func:`rate`.

    Returns
    -------
    Table
        A row per figure: ``control``, ``sd`` (the root mean square of its differences), ``effect`` (Elo points for one ``sd`` more), ``low``,
        ``high``, and ``refused``: why it is not controlled for.

    Raises
    ------
    RateError
        See :func:`rate`.

    Examples
    --------
    >>> import meshjudge as mj
    >>> games = {"a": ["x", "x", "y"] * 8, "b": ["y", "z", "z"] * 8, "winner": ["a", "b", "a", "a", "b"] * 4 + ["a"] * 4}
    >>> faces = {"faces_a": list(range(24)), "faces_b": [i * i % 17 for i in range(24)]}
    >>> mj.rating.control_effects(games | faces, "faces")["control"]
    ['faces']
    """
def bench(source: Any, *, folder: PathLike = ".", **options: Any) -> Run: ...
def damage(asset: AssetLike, kind: str, level: float = 0.5, *, seed: int = 0) -> Asset | Any:
    """The same asset, worse in one known way, as in audits.

    Parameters
    ----------
    asset : Asset, Splats, str, os.PathLike or bytes
    kind : str
        One of :func:`damage_kinds`.
    level : float
        Level of damage, from 0 (none) to 1. A higher level gives more of the same damage.
    seed : int
        Decides the places of the damage.

    Returns
    -------
    Asset
        For Gaussian splats a :class:`Splats`. The same on every machine for the same asset, kind, level and seed.

    Raises
    ------
    UnknownNameError
        An unknown kind.
    DamageError
        A level out of range, or an asset that this kind cannot damage.

    Examples
    --------
    >>> import meshjudge as mj
    >>> chair = mj.objects.load("chair")
    >>> worse = mj.damage(chair, "holes", 0.5)
    >>> mj.inspect(worse)["facts"]["holes"]["count"] > 0
    True
    """
def damage_kinds() -> list[dict[str, Any]]:
    """All kinds of damage to assets.

    Returns
    -------
    list of dict
        ``name``, ``family``, ``says`` (the visible effect), ``measure`` (the quantity that grows with the level), ``lowers`` and ``spares`` (keys of criteria
        of the pairwise rubric), ``visible`` (whether pictures show it).
    """
def audit(**options: Any) -> Audit: ...

@final
class BenchNode:
    def __new__(cls, setup: str, threads: int) -> BenchNode: ...
    def look(self, slot: int, rubric: int) -> str: ...
    def compose(self, rubric: int, slots: Sequence[int]) -> bytes: ...
    def make(self, slot: int, gpu: str | None = None) -> tuple[str | None, float]: ...

def sample_points(asset: AssetLike, **options: Any) -> tuple[list[NDArray[Any]], int, str]: ...
def command_line(args: Sequence[str]) -> int: ...
