#!/usr/bin/env python3
"""A server on OpenAI's chat route whose answers follow from the question: the same picture and prompt get the same six digits.

Needs Python 3.10 or later. Prints its address, then serves until it is ended; a GET is told how many replies went out, and when the
first and the last did. Used by lab/scripts/scale.py and lab/scripts/lanes.py.
"""
import argparse
import asyncio
import hashlib
import json
import time

WORDS = "The left object has cleaner silhouettes and fewer holes; the right one shows more of the prompt. " * 10


class Judge(asyncio.Protocol):
    delay = 0.0
    status = 200
    replies, first, last = 0, None, None
    log = None

    def connection_made(self, transport):
        self.transport, self.buffer, self.need = transport, bytearray(), None

    def data_received(self, data):
        self.buffer += data
        while True:
            if self.need is None:
                end = self.buffer.find(b"\r\n\r\n")
                if end < 0:
                    return
                head = bytes(self.buffer[:end]).lower()
                at = head.find(b"content-length:")
                length = int(head[at + 15:].split(b"\r\n", 1)[0]) if at >= 0 else 0
                self.head_end, self.need = end + 4, end + 4 + length
                if head.startswith(b"get"):
                    del self.buffer[:self.need]
                    self.need = None
                    self.send(200, {"replies": Judge.replies, "first": Judge.first, "last": Judge.last})
                    continue
            if len(self.buffer) < self.need:
                return
            body = bytes(self.buffer[self.head_end:self.need])
            del self.buffer[:self.need]
            self.need = None
            if self.status == 0:
                continue
            if self.delay:
                asyncio.get_running_loop().call_later(self.delay, self.answer, body)
            else:
                self.answer(body)

    def answer(self, body):
        if self.transport.is_closing():
            return
        if self.status != 200:
            self.send(self.status, {"error": {"message": "not now"}})
            return
        Judge.replies, Judge.last = Judge.replies + 1, time.monotonic()
        Judge.first = Judge.first or Judge.last
        digest = hashlib.blake2b(body, digest_size=8).digest()
        if self.log:
            self.log.write(digest.hex() + "\n")
        digits = " ".join("1" if byte < 150 else "2" if byte < 235 else "3" for byte in digest[:6])
        self.send(200, {
            "id": digest.hex(), "object": "chat.completion", "model": "fake-1",
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": f"{WORDS}\n\nFinal answer:\n{digits}"}}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200},
        })

    def send(self, status, reply):
        text = json.dumps(reply).encode()
        head = b"HTTP/1.1 %d .\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % (status, len(text))
        self.transport.write(head + text)


async def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--delay", type=float, default=0.0, help="seconds before each reply")
    arguments.add_argument("--status", type=int, default=200, help="of every reply; 0 for a server that never replies")
    arguments.add_argument("--log", help="file that gets a line for each question: its hash")
    arguments.add_argument("--port", type=int, default=0)
    given = arguments.parse_args()
    Judge.delay, Judge.status = given.delay, given.status
    if given.log:
        Judge.log = open(given.log, "a", buffering=1)
    server = await asyncio.get_running_loop().create_server(Judge, "127.0.0.1", given.port, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


asyncio.run(main())
