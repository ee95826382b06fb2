"""Clean built-in objects, for audits and examples.

>>> import meshjudge as mj
>>> "chair" in mj.objects.prompts()
True
"""

from ._native import Asset, load as _load, object_glb as _object_glb, object_prompts as _object_prompts

__all__ = ["glb", "load", "prompts"]


def prompts() -> dict[str, str]:
    """The prompt of each object, by its name.

    Returns
    -------
    dict of str to str
    """
    return dict(_object_prompts())


def glb(name: str) -> bytes:
    """The GLB file of an object.

    Parameters
    ----------
    name : str
        One of :func:`prompts`.

    Returns
    -------
    bytes

    Raises
    ------
    UnknownNameError
        There is no object with that name.
    """
    return _object_glb(name)


def load(name: str) -> Asset:
    """An object, ready to be drawn.

    Parameters
    ----------
    name : str
        One of :func:`prompts`.

    Returns
    -------
    Asset

    Raises
    ------
    UnknownNameError
        There is no object with that name.
    """
    return _load(glb(name), name=f"{name}.glb")
