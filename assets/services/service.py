"""What the programs of services share: orders and answers, requests, and what follows from each reply.

Python 3.9 or later, standard library only. `meshjudge bench init --service NAME` copies this file and NAME.py next to your
bench.toml. docs/BENCH.md of meshjudge describes the orders and answers.
"""

import base64
import email.utils
import http.client
import json
import os
import pathlib
import ssl
import sys
import time
import traceback
import urllib.error
import urllib.parse
import urllib.request
import uuid

BODY_BYTES_MAX = 1 << 30
PAUSE_SECS_MAX = 60
RETRY_AFTER_SECS_MAX = 600
UNREACHED_MAX = 5
UNKNOWN_MAX = 3
FETCHES_MAX = 3
REFUSALS = ("moderat", "content_policy", "content policy", "nsfw", "flagged")
MEDIA_TYPES = {".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}


class Failed(Exception):
    """Ends an order. `retry`: True (by a new job), False (not in this call), "later" (the same job again) or "never" (refused)."""

    def __init__(self, reason, retry=True):
        super().__init__(reason)
        self.retry = retry


class Pending(Exception):
    """The job, or a file of it, is not there yet."""


class Unreached(Exception):
    """A request without an answer; the service has read all of it only if `was_sent`. Another try cannot help if `is_final`."""

    def __init__(self, reason, was_sent, is_final=False):
        super().__init__(reason)
        self.was_sent, self.is_final = was_sent, is_final


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect could take the key to another host."""

    def redirect_request(self, *_):
        return None


class Service:
    """A service at `base_url` (or at $NAME_BASE_URL, for a program NAME.py), whose key is in the environment variable `key`.

    Without `key` its jobs cost nothing. `is_keyed`: a request with the `Idempotency-Key` of an earlier one is the same job.
    """

    def __init__(self, base_url, key=None, scheme="Bearer", every_secs=5, is_keyed=False):
        name = pathlib.Path(sys.argv[0]).stem.upper()
        self.base_url = os.environ.get(f"{name}_BASE_URL", base_url).rstrip("/")
        self.every_secs = float(os.environ.get("SERVICE_EVERY_SECS", every_secs))
        self.settings = dict(word.partition("=")[::2] for word in sys.argv[1:])
        self.secret = os.environ.get(key, "").strip() if key else None
        self.scheme, self.is_keyed, self.order, self.job = scheme, is_keyed, {}, None
        self.status, self.headers, self.body, self.num_unknown = 0, {}, b"", 0
        if self.secret == "":
            self.refuse_to_start(f"the environment variable {key} is not set")

    def refuse_to_start(self, reason):
        self.say(type="failed", reason=reason)
        sys.exit(2)

    def setting(self, name, default=None):
        """The word `name=value` of the command line."""
        value = self.settings.pop(name, default)
        if value is None:
            self.refuse_to_start(f"the command line needs {name}=…")
        return value

    def inputs(self):
        """All other words `name=value`, for the body of a request. Values are JSON where they can be, else texts."""

        def parsed(value):
            try:
                return json.loads(value)
            except ValueError:
                return value

        return {name: parsed(value) for name, value in self.settings.items() if name != "input"}

    def photo(self):
        """The path of the prompt's photo."""
        if "image" not in self.order:
            raise Failed("its prompt has no `image`, which this generator needs", False)
        return pathlib.Path(self.order["image"])

    def image(self):
        """The photo with `input=image` or for a prompt without a text, else None."""
        wanted = self.settings.get("input", "text" if self.order["prompt"] else "image")
        return self.photo() if wanted == "image" else None

    def run(self, submit, poll=None):
        """Makes assets until there are no more orders.

        `submit(order)` gives the job as one text, or the bytes of the asset. `poll(job)` gives None while the job is under way, then
        the asset: its address, or its bytes.
        """
        self.say(type="ready", protocol=1)
        while True:
            line = sys.stdin.buffer.readline()
            if not line:
                return
            self.order = json.loads(line)
            if self.order.get("type") != "make":
                continue
            self.job, self.num_unknown = self.order.get("job"), 0
            try:
                asset = self.make(submit, poll)
                pathlib.Path(self.order["out"]).write_bytes(asset)
                self.answer("done")
            except Failed as failed:
                self.answer("failed", reason=str(failed), retry=failed.retry)
            except Exception as error:
                traceback.print_exc()
                reason = f"{type(error).__name__}: {error}; the reply was {self.quoted(self.body)}"
                self.answer("failed", reason=reason, retry="later" if self.job else self.refused(True))

    def make(self, submit, poll):
        pause, num_fetched, is_due = self.every_secs, 0, self.job is not None
        if not self.job:
            job = submit(self.order)
            if isinstance(job, bytes):
                return self.whole(job)
            self.keep(job)
        while True:
            if not is_due:
                time.sleep(pause)
                pause = min(1.2 * pause, max(self.every_secs, 30))
            is_due = False
            try:
                asset = poll(self.job)
            except Pending:
                continue
            if asset is None:
                continue
            try:
                return self.whole(asset if isinstance(asset, bytes) else self.fetch(asset))
            except Pending as error:
                # The link has expired, or the file is not complete: the next poll may give another one.
                num_fetched += 1
                if num_fetched == FETCHES_MAX:
                    raise Failed(str(error)) from error

    def submit(self, path, body=None, form=None):
        """The reply to a request that starts a job: bytes, or JSON. Waits as long as the service asks for."""
        pause, num_unreached = 1, 0
        while True:
            headers = {"Idempotency-Key": self.permission()}
            try:
                self.send(path, body, form, headers)
            except Unreached as error:
                if error.was_sent:
                    raise Failed(str(error)) from error
                self.unpaid()
                num_unreached += 1
                if num_unreached == UNREACHED_MAX or error.is_final:
                    raise Failed(str(error), not error.is_final) from error
                wait = pause
            else:
                if self.status < 300:
                    return self.parsed()
                asked = retry_after(self.headers)
                if self.status >= 500 and not (self.status == 503 and asked is not None) or self.status == 408:
                    # It may have been accepted.
                    time.sleep(pause)
                    raise Failed(self.said())
                self.unpaid()
                if self.status not in (429, 503):
                    raise Failed(self.said(), self.refused(False))
                wait = pause if asked is None else asked + pause / 4
                if wait > RETRY_AFTER_SECS_MAX:
                    raise Failed(f"{self.said()}; the service asks to wait {wait:.0f} s, so run the same command again later", False)
            time.sleep(wait)
            pause = min(2 * pause, PAUSE_SECS_MAX)

    def ask(self, path, body=None, form=None):
        """The JSON reply to a request without a price; outages are waited for."""
        self.repeated(path, body, form)
        if self.status in (404, 410):
            self.num_unknown += 1
            if self.num_unknown == UNKNOWN_MAX:
                raise Failed(f"the service no longer knows its job: {self.said()}")
            raise Pending
        self.num_unknown = 0
        if self.status >= 300:
            raise Failed(self.said(), self.refused("later" if self.status in (401, 402, 403) else True))
        found = self.parsed()
        if isinstance(found, bytes):
            raise Pending
        return found

    def fetch(self, address):
        """The bytes at an address, of a `data:` address or of base64."""
        if not address.startswith(("http://", "https://")):
            return base64.b64decode(address.partition(";base64,")[2] or address)
        self.repeated(address)
        if 300 <= self.status < 400:
            self.repeated(urllib.parse.urljoin(address, self.headers.get("Location", "")), is_ours=False)
        if self.status in (401, 403, 404, 410):
            raise Pending(f"the address of its asset has expired: {self.said()}")
        if self.status >= 300:
            raise Failed(self.said())
        return self.body

    def ended(self, state, reason=None, retry=True):
        """Reports a job that ended without an asset."""
        said = f", {self.quoted(str(reason).encode())}" if reason else ""
        raise Failed(f"the service says {state}{said}", self.refused(retry))

    def keep(self, job):
        """The benchmark keeps the job, and hands it back after a kill."""
        self.job = job
        self.answer("job", job=job)

    def permission(self):
        """The key of a job that is about to be submitted. The benchmark has booked its cost and kept the key when this returns."""
        if self.secret is None:
            return uuid.uuid4().hex
        if self.is_keyed and "key" in self.order:
            return self.order.pop("key")
        self.answer("submit")
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit()
        return json.loads(line)["key"]

    def unpaid(self):
        if self.secret is not None:
            self.answer("unpaid")

    def answer(self, kind, **said):
        self.say(type=kind, id=self.order["id"], **said)

    def say(self, **said):
        print(json.dumps(said), flush=True)

    def repeated(self, path, body=None, form=None, is_ours=None):
        """Sends a request until there is an answer: the benchmark's `timeout_secs` ends it."""
        pause = 1
        while True:
            wait = pause
            try:
                self.send(path, body, form, is_ours=is_ours)
                if self.status not in (408, 425, 429) and self.status < 500:
                    return
                why, asked = self.said(), retry_after(self.headers)
                if asked is not None:
                    wait = min(asked, RETRY_AFTER_SECS_MAX) + pause / 4
            except Unreached as error:
                if error.is_final:
                    raise Failed(str(error), "later" if self.job else False) from error
                why = str(error)
            print(f"{why}; again in {wait:.1f} s", file=sys.stderr, flush=True)
            time.sleep(wait)
            pause = min(2 * pause, PAUSE_SECS_MAX)

    def send(self, path, body=None, form=None, headers=(), is_ours=None):
        """GET, or POST of JSON or a form. The key goes only to the service's own origin, and never follows a redirect."""
        url = path if path.startswith(("http://", "https://")) else self.base_url + path
        headers = {"User-Agent": "meshjudge", **dict(headers)}
        data = None
        if form is not None:
            data, headers["Content-Type"] = multipart(form)
        elif body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        if is_ours is None:
            is_ours = urllib.parse.urlsplit(url)[:2] == urllib.parse.urlsplit(self.base_url)[:2]
        if is_ours and self.secret:
            headers["Authorization"] = f"{self.scheme} {self.secret}"
        opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=trusted()), *[NoRedirect] * bool(is_ours))
        try:
            try:
                reply = opener.open(urllib.request.Request(url, data, headers), timeout=60 if data is None else 600)
            except urllib.error.HTTPError as error:
                reply = error
            with reply:
                self.status, self.headers = reply.status, reply.headers
                self.body = reply.read(BODY_BYTES_MAX + 1)
        except urllib.error.URLError as error:
            is_final = isinstance(error.reason, ssl.SSLCertVerificationError)
            raise Unreached(f"the request failed ({error.reason})", False, is_final) from error
        except (OSError, http.client.HTTPException) as error:
            raise Unreached(f"the request failed ({type(error).__name__}: {error})", True) from error
        if len(self.body) > BODY_BYTES_MAX:
            raise Failed(f"the answer has more than {BODY_BYTES_MAX} bytes")

    def parsed(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return self.body

    def whole(self, asset):
        length = int.from_bytes(asset[8:12], "little")
        if not asset.startswith(b"glTF"):
            raise Failed(f"the answer is not a GLB; it starts with {self.quoted(asset)}")
        if len(asset) < max(length, 12):
            raise Pending(f"its asset is incomplete: {len(asset)} bytes of {length}")
        return asset

    def refused(self, retry):
        """"never" if the last reply has words of moderation."""
        said = self.body.decode(errors="replace").lower()
        return "never" if any(word in said for word in REFUSALS) else retry

    def said(self):
        return f"the server answered {self.status}: {self.quoted(self.body)}"

    def quoted(self, body):
        text = body[:3200].decode(errors="replace")
        return json.dumps(text.replace(self.secret or "\0", "[key]")[:200], ensure_ascii=False)


def trusted():
    """The system's certificates, and those that the environment names."""
    context = ssl.create_default_context()
    for place in filter(None, map(os.environ.get, ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"))):
        context.load_verify_locations(**{"capath" if os.path.isdir(place) else "cafile": place})
    return context


def data_url(path):
    """A picture as an address."""
    media_type = MEDIA_TYPES.get(path.suffix.lower(), "image/png")
    return f"data:{media_type};base64,{base64.b64encode(path.read_bytes()).decode()}"


def glb_in(value):
    """The address of a GLB in a reply: one that ends in .glb, or has such a name next to it, or is the only one."""
    found = []

    def collect(value):
        if isinstance(value, str) and value.startswith(("http://", "https://", "data:")):
            found.append((value, value))
        elif isinstance(value, list):
            for item in value:
                collect(item)
        elif isinstance(value, dict):
            name = value.get("file_name") or value.get("filename") or value.get("name")
            if name and isinstance(value.get("url"), str):
                found.append((name, value["url"]))
            else:
                collect(list(value.values()))

    collect(value)
    named = [url for name, url in found if name.split("?")[0].split("#")[0].lower().endswith(".glb")]
    if named or len(found) == 1:
        return named[0] if named else found[0][1]
    raise Failed("the job is done, but its reply has no GLB")


def multipart(form):
    """A form of texts and files (paths), and its media type."""
    boundary, parts = uuid.uuid4().hex, []
    for name, value in form.items():
        is_file = isinstance(value, pathlib.Path)
        named = f'; filename="{value.name}"\r\nContent-Type: {MEDIA_TYPES.get(value.suffix.lower(), "image/png")}' if is_file else ""
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'
        parts += [head.encode(), value.read_bytes() if is_file else str(value).encode(), b"\r\n"]
    return b"".join(parts) + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def retry_after(headers):
    """Seconds that a reply asks to wait; None if it does not."""
    value = headers.get("Retry-After")
    try:
        return max(float(value), 0)
    except (TypeError, ValueError):
        date = value and email.utils.parsedate_to_datetime(value)
        return max(date.timestamp() - time.time(), 0) if date else None
