"""A benchmark of assets in memory: methods with assets, folders or functions → the dict of a benchmark file, with its assets on disk."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._errors import ArgumentError, warn
from ._identity import describe, used

__all__ = ["file_of"]

# Formats that are one file each.
WHOLE = {".glb", ".ply", ".sog", ".splat", ".spz", ".stl"}
ASSETS = WHOLE | {".gltf", ".obj"}
PHOTOS = {".png", ".jpg", ".jpeg", ".webp"}
# By which identity of a function each of its assets was made.
MADE_BY = "made_by.json"


def file_of(
    source: Mapping[str, Any], prompts: Mapping[str, Any] | Iterable[str] | None, run: Path, base: Path, reuse: Sequence[Path]
) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """The keys of a benchmark file, and why functions made no asset, by method and prompt. ``source`` maps each method to its assets by
    prompt, to a folder of them, or to a function of a prompt.
    """
    if prompts is not None and not isinstance(prompts, Mapping):
        prompts = {text: text for text in prompts}
    folders = {name: Path(assets) for name, assets in source.items() if isinstance(assets, str | os.PathLike)}
    for name, folder in folders.items():
        if not (base / folder).is_dir():
            raise ArgumentError(f"the assets of {name} should be in a folder, but there is none at {os.fspath(base / folder)!r}")
    texts: dict[str, Any] = dict(prompts or {})
    if prompts is None:
        for assets in source.values():
            if isinstance(assets, Mapping):
                texts.update({str(key): str(key) for key in assets})
        for folder in folders.values():
            found = [path for path in sorted((base / folder).iterdir()) if path.suffix.lower() in ASSETS and not path.name.startswith(".")]
            texts.update({path.stem: path.stem.replace("_", " ") for path in found})
    if not texts:
        raise ArgumentError("no prompt is known: give prompts={id: text}, or assets by prompt")
    ids = ids_of(texts)
    generators: list[dict[str, str]] = []
    failures: dict[str, dict[str, str]] = {}
    for name, assets in source.items():
        if name in folders:
            generators.append({"name": name, "path": f"{(base / folders[name]).resolve()}/{{prompt_id}}.*"})
            continue
        folder = run / "given" / ids_of([name])[name]
        folder.mkdir(parents=True, exist_ok=True)
        if not callable(assets) and not isinstance(assets, Mapping):
            raise ArgumentError(f"the assets of {name} must be a dict by prompt, a folder or a function, not {type(assets).__name__}")
        if callable(assets):
            failures[name] = make(assets, folder, {ids[key]: text for key, text in texts.items()}, run, run in reuse)
        else:
            for key, asset in assets.items():
                if key not in ids:
                    raise ArgumentError(f"{name} has an asset for {key!r}, which is no prompt; prompts are {', '.join(ids)}")
                if asset is not None:
                    put(asset, folder / ids[key])
        generators.append({"name": name, "path": f"{folder.resolve()}/{{prompt_id}}.*"})
    listed = [{"id": ids[key], **prompt_of(given, run / "given" / "photos" / ids[key], base)} for key, given in texts.items()]
    return {"name": "bench", "prompts": listed, "generators": generators}, failures


def prompt_of(given: Any, place: Path, base: Path) -> dict[str, Any]:
    """The keys of a prompt: of a text, of a photo, or of a dict that has such keys."""
    from ._native import Picture, write_file

    is_photo = isinstance(given, str) and Path(given).suffix.lower() in PHOTOS and (base / given).is_file()
    if isinstance(given, str) and not is_photo:
        return {"prompt": given}
    if isinstance(given, Mapping):
        return dict(given)
    if is_photo or isinstance(given, os.PathLike):
        return {"image": str((base / given).resolve())}
    place.parent.mkdir(parents=True, exist_ok=True)
    # As it is, with what the camera noted; the extension does not decide how it is read.
    picture = Picture(given)
    place = place.with_suffix(".jpg" if picture.media_type == "image/jpeg" else ".png")
    write_file(place, picture.data)
    return {"image": str(place.resolve())}


def ids_of(names: Any) -> dict[str, str]:
    """Names that are names of files everywhere, each its own."""
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:60] or "prompt"
        number, unique = 2, plain
        while unique.lower() in {known.lower() for known in found.values()}:
            number, unique = number + 1, f"{plain}-{number}"
        found[name] = unique
    return found


def put(asset: Any, place: Path) -> None:
    """Writes an asset below ``place`` with its extension, unless the same is there."""
    from ._native import Asset, Splats, load, write_file

    is_path = isinstance(asset, str | os.PathLike)
    if is_path and Path(asset).suffix.lower() in WHOLE:
        target = place.with_name(place.name + Path(asset).suffix.lower())
        if not (target.exists() and target.read_bytes() == Path(asset).read_bytes()):
            shutil.copyfile(asset, target)
    elif isinstance(found := asset if isinstance(asset, Asset | Splats) else load(asset), Splats):
        # A PLY file cannot say that colors are linear, and a GLB file is drawn by distance.
        target = place.with_name(place.name + (".ply" if (found.color_space, found.order) == ("display", "depth") else ".glb"))
        found.save(target)
    else:
        target = place.with_name(place.name + ".glb")
        data = found.to_glb()
        if not (target.exists() and target.read_bytes() == data):
            write_file(target, data)
    for other in place.parent.glob(f"{place.name}.*"):
        if other != target:
            other.unlink()


def make(function: Callable[[Any], Any], folder: Path, texts: Mapping[str, Any], run: Path, is_reused: bool) -> dict[str, str]:
    """Calls a function for each prompt that has no asset by it; each asset is kept as soon as it is made. Returns why there is none, by prompt."""
    note, failed = folder / MADE_BY, dict[str, str]()
    made: dict[str, str] = json.loads(note.read_text(encoding="utf-8")) if note.exists() else {}
    with used([function], "generator", run):
        name, identity, _ = describe(function, "generator")
        there = [key for key in texts if any(folder.glob(f"{key}.*"))]
        old = [key for key in there if made.get(key) != identity]
        if old:
            parts = {part.partition("=")[0] for key in old for part in {*made.get(key, "").split()} ^ {*identity.split()}}
            again = f"made again; reuse=[{os.fspath(run)!r}] keeps them, and a declared identity, @mj.generator(version=\"1\"), prevents this"
            warn(
                f"the generator {name} has changed since it made {len(old)} of its assets in {os.fspath(run)!r} ({', '.join(sorted(parts))}): they are "
                f"{'kept, because reuse names that run' if is_reused else again}"
            )
        for key, text in texts.items():
            if key in there and key not in old:
                continue
            try:
                if key not in there or not is_reused:
                    put(function(text), folder / key)
            except Exception as error:
                failed[key] = f"{type(error).__name__}: {error}"
                for other in folder.glob(f"{key}.*"):
                    other.unlink()
                warn(f"{name} made no asset for {text!r}: {failed[key]}")
            else:
                made[key] = identity
                note.write_text(json.dumps(made), encoding="utf-8")
    return failed
