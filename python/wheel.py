"""Packs a library that cargo has built already into a wheel, for the tests: maturin would build everything a second time.

    python python/wheel.py target/debug/lib_native.so FOLDER
"""

import base64
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent / "meshjudge"


def main(library: str, folder: str) -> None:
    files = {f"meshjudge/{path.name}": path.read_bytes() for path in PACKAGE.iterdir() if path.suffix in (".py", ".pyi", ".typed")}
    files["meshjudge/_native.abi3.so"] = Path(library).read_bytes()
    with tempfile.TemporaryDirectory() as made:
        command = ["maturin", "pep517", "write-dist-info", "--metadata-directory", made]
        subprocess.run(command, check=True, capture_output=True, cwd=PACKAGE.parents[1])
        described = [path for path in Path(made).rglob("*") if path.is_file()]
        files |= {path.relative_to(made).as_posix(): path.read_bytes() for path in described}
    [info] = {name.split("/")[0] for name in files if name.endswith("/WHEEL")}
    tag = next(line.split(": ")[1] for line in files[f"{info}/WHEEL"].decode().splitlines() if line.startswith("Tag: "))
    digest = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() for name, data in files.items()}
    record = [f"{name},sha256={digest[name]},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    Path(folder).mkdir(parents=True, exist_ok=True)
    target = Path(folder) / f"{info.removesuffix('.dist-info')}-{tag}.whl"
    # Not deflated: it is installed once and thrown away.
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as wheel:
        for name, data in files.items():
            wheel.writestr(name, data)
    print(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
