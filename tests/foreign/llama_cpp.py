"""Asks llama.cpp's own server, with a vision model that tiny_vision_model.py makes, in every form that meshjudge knows.

    pip install xllamacpp gguf numpy
    python tests/foreign/llama_cpp.py target/debug/meshjudge

The model is noise, so nothing is said about its answers: only that they arrive, whole or streamed, by schema, with log-probabilities, and
that a server without a vision half is given up at once.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import xllamacpp

HERE = pathlib.Path(__file__).resolve().parent
DEMO = HERE.parents[1] / "assets" / "demo"
MODELS = 'dated = "a test"\n[[models]]\nnames = ["tiny"]\nroutes = ["openai"]\nlogprobs = true\n'


def served(folder, sees):
    """The server and its address; without its vision half if it does not see."""
    params = xllamacpp.CommonParams()
    params.model.path = str(folder / "tiny.gguf")
    if sees:
        params.mmproj.path = str(folder / "tiny-mmproj.gguf")
    params.n_ctx, params.n_parallel, params.n_gpu_layers, params.warmup = 16384, 1, 0, False
    params.cpuparams.n_threads = 2
    # Any free one.
    params.port = 0
    server = xllamacpp.Server(params)
    return server, server.listening_address


def asked(program, folder, address, *more):
    """The rows of one pair, and what was printed."""
    run = tempfile.mkdtemp(dir=folder)
    words = [program, "compare", DEMO / "chair_clean.glb", DEMO / "chair_damaged.glb", "--prompt", "a chair", "--fit", "256", "--run", run]
    words += ["--models", folder / "models.toml", "--judge", "openai:tiny", "--base-url", f"{address}/v1"]
    words += more if "--max-output-tokens" in more else ["--max-output-tokens", "4000", *more]
    ended = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    rows = subprocess.run([program, "export", run, "--format", "jsonl"], capture_output=True, text=True, check=True).stdout
    return [json.loads(row) for row in rows.splitlines()], ended.stdout + ended.stderr


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(tempfile.mkdtemp())
    subprocess.run([sys.executable, HERE / "tiny_vision_model.py", folder], check=True)
    (folder / "models.toml").write_text(MODELS)
    server, address = served(folder, sees=True)
    for more in [[], ["--stream"], ["--logprobs"], ["--body", '{"top_p": 0.9}'], ["--answers", "text", "--max-output-tokens", "64"]]:
        rows, said = asked(program, folder, address, *more)
        assert len(rows) == 2, said
        for row in rows:
            # Without a schema noise is no answer; it has to arrive all the same.
            expected = ["invalid", "truncated"] if "text" in more else ["verdict"]
            assert row["outcome"] in expected, (more, row["outcome"], row["reason"], said)
            assert row["input_tokens"] > 1000 and row["output_tokens"] > 5 and row["raw"], row
        print(f"{' '.join(more) or 'by schema'}: {rows[0]['outcome']}, {rows[0]['input_tokens']} + {rows[0]['output_tokens']} tokens")
    del server
    server, address = served(folder, sees=False)
    start = time.monotonic()
    rows, said = asked(program, folder, address)
    seconds = time.monotonic() - start
    assert all(row["outcome"] == "provider_error" and row["attempts"] == 1 for row in rows), said
    assert "image input is not supported" in rows[0]["reason"] and seconds < 30, (seconds, said)
    print(f"without a vision half: {rows[0]['reason']}")


if __name__ == "__main__":
    main()
