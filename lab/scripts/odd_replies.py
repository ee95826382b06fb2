#!/usr/bin/env python3
"""What a small benchmark makes of odd replies and of spellings of an answer: verdicts, requests and exit code, for each program given.

Needs Python 3.10 or later and built programs. 168 questions with one odd reply, the hundredth; 56 questions whose every answer is spelled
in one way. The local server answers rightly otherwise.

    python3 lab/scripts/odd_replies.py OLD_PROGRAM target/release/meshjudge
"""
import http.server
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import threading

import scale

LIMIT_S = 25


def answer(text):
    message = {"role": "assistant", "content": text}
    reply = {"id": "x", "model": "fake-1", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
    return 200, {}, json.dumps({**reply, "usage": {"prompt_tokens": 1000, "completion_tokens": 20}})


def error(status, code):
    return status, {}, json.dumps({"error": {"message": "no", "code": code}})


GOOD = answer("The left one is better.\nFinal answer: 1 2 1 1 2 1")
ODD = {
    "no choices": (200, {}, '{"choices": []}'),
    "403": error(403, "forbidden"),
    "404": error(404, "model_not_found"),
    "307": (307, {"location": "/login"}, ""),
    "NaN beside the text": (200, {}, GOOD[2].replace('"usage"', '"logprob": NaN, "usage"')),
    "a lone surrogate in the text": (200, {}, GOOD[2].replace("The left", "\\ud83d The left")),
    "1e999 beside the text": (200, {}, GOOD[2].replace('"usage"', '"score": 1e999, "usage"')),
    "429, Retry-After 1e19": (429, {"retry-after": "10000000000000000000"}, "{}"),
}
SPELLINGS = [
    "最终答案：1 2 1 1 2 1",
    "1、2、1、1、2、1",
    "| 1 | 2 | 1 | 1 | 2 | 1 |",
    "1\n2\n1\n1\n2\n1",
    "121121",
    "1-2-1-1-2-1",
    "Final answer (in order): 1 2 1 1 2 1",
    "My scores: 1 2 1 1 2 1",
]


def outcome(program, reply, questions):
    """`reply` gives status, headers and body for the number of a request."""
    lock, count = threading.Lock(), [0]

    class Judge(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            with lock:
                number = count[0]
                count[0] += 1
            status, headers, body = reply(number)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            body = body.encode()
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Judge)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        scale.place(folder, questions, size_px=32, concurrency=2)
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        bench = [program, "bench", "bench.toml", "--run", "run", "--judge", "openai:fake-1", "--base-url", url, "--quiet"]
        try:
            code = subprocess.run(bench, cwd=folder, capture_output=True, timeout=LIMIT_S).returncode
        except subprocess.TimeoutExpired:
            code = f"over {LIMIT_S} s"
        rows = sqlite3.connect(folder / "run" / "run.sqlite")
        verdicts = rows.execute("SELECT count(*) FROM attempts WHERE outcome = 'verdict'").fetchone()[0]
    server.shutdown()
    return f"{verdicts} verdicts, {count[0]} requests, exit {code}"


def main():
    programs = [str(pathlib.Path(program).resolve()) for program in sys.argv[1:]]
    if not programs:
        sys.exit(__doc__)
    for name, odd in ODD.items():
        found = [outcome(program, lambda n: odd if n == 100 else GOOD, 168) for program in programs]
        print(name, *found, sep=" | ", flush=True)
    for text in SPELLINGS:
        found = [outcome(program, lambda _: answer("I looked.\n" + text), 56) for program in programs]
        print(repr(text), *found, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
