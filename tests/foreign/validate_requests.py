"""Validates requests of every route against the providers' own typed clients.

    MESHJUDGE_REQUESTS=/tmp/requests cargo test --test judge
    pip install openai anthropic google-genai pydantic
    python tests/foreign/validate_requests.py /tmp/requests

Each file is one request body as the tests' servers got it, named after its route. A body passes when the client's own types take it,
with no field left over that they do not know. One broken body a route shows that a fault is seen. A batch passes when what creates it and
each of its lines do; Gemini's, for which the client has no type, when the client makes the same frame for the same keys.
"""

import copy
import importlib.metadata
import json
import pathlib
import sys

from anthropic.types import message_create_params as anthropic_params
from anthropic.types.messages import batch_create_params as anthropic_batch_params
from google.genai import Client
from google.genai import batches as gemini_batches
from google.genai import types as gemini
from openai.types import batch_create_params as openai_batch_params
from openai.types.chat import completion_create_params as chat_params
from openai.types.responses import response_create_params as responses_params
from pydantic import TypeAdapter


def walk(value):
    """Lists in the clients' types are read lazily, and checked only as they are read."""
    if isinstance(value, dict):
        for inner in value.values():
            walk(inner)
    elif hasattr(value, "__iter__") and not isinstance(value, (str, bytes)):
        for inner in value:
            walk(inner)


def strict(typed_dict):
    """A TypedDict's adapter; unknown top-level fields are refused by hand, since nested unions of clients allow none either way."""
    adapter = TypeAdapter(typed_dict)
    known = typed_dict.__required_keys__ | typed_dict.__optional_keys__

    def check(body):
        unknown = set(body) - known
        if unknown:
            raise ValueError(f"unknown fields {sorted(unknown)}")
        walk(adapter.validate_python(body))

    return check


def check_gemini(body):
    unknown = set(body) - {"contents", "generationConfig"}
    if unknown:
        raise ValueError(f"unknown fields {sorted(unknown)}")
    for content in body["contents"]:
        parsed = gemini.Content.model_validate(content)
        for part in parsed.parts:
            assert part.text or part.inline_data.data, "an empty part"
    gemini.GenerationConfig.model_validate(body["generationConfig"])


CHECKS = {
    "openai": strict(chat_params.CompletionCreateParamsNonStreaming),
    "openai-responses": strict(responses_params.ResponseCreateParamsNonStreaming),
    "anthropic": strict(anthropic_params.MessageCreateParamsNonStreaming),
    "gemini": check_gemini,
}

ENDPOINTS = {"/v1/chat/completions": "openai", "/v1/responses": "openai-responses"}


def check_openai_batch(batch):
    strict(openai_batch_params.BatchCreateParams)(batch["create"])
    for line in batch["lines"]:
        assert set(line) == {"custom_id", "method", "url", "body"}, sorted(line)
        assert line["url"] == batch["create"]["endpoint"] and line["method"] == "POST"
        CHECKS[ENDPOINTS[line["url"]]](line["body"])


def check_anthropic_batch(batch):
    strict(anthropic_batch_params.BatchCreateParams)(batch["create"])
    for line in batch["lines"]:
        assert set(line) == {"custom_id", "params"} and len(line["custom_id"]) <= 64, sorted(line)
        CHECKS["anthropic"](line["params"])


def check_gemini_batch(batch):
    frame = copy.deepcopy(batch["create"])
    requests = frame["batch"]["inputConfig"]["requests"]["requests"]
    for line in requests:
        CHECKS["gemini"](line.pop("request"))
    theirs = gemini_batches._CreateBatchJobParameters_to_mldev(
        Client(api_key="none")._api_client,
        {
            "src": {"inlined_requests": [{"metadata": line["metadata"]} for line in requests]},
            "config": {"display_name": frame["batch"]["displayName"]},
        },
    )
    assert frame == theirs, f"{frame} is not {theirs}"


BATCH_CHECKS = {"openai": check_openai_batch, "anthropic": check_anthropic_batch, "gemini": check_gemini_batch}


def broken_batch(batch):
    """A field that nobody knows, in what creates it."""
    field = copy.deepcopy(batch)
    field["create"]["no_such_field"] = True
    return field


PLACES = {"openai": "messages", "openai-responses": "input", "anthropic": "messages", "gemini": "contents"}


def broken(route, body):
    """Two faults: a role that does not exist, and a field that nobody knows."""
    role = copy.deepcopy(body)
    role[PLACES[route]][0]["role"] = 7
    field = copy.deepcopy(body)
    field["no_such_field"] = True
    return [role, field]


def main():
    folder = pathlib.Path(sys.argv[1])
    for package in ["openai", "anthropic", "google-genai", "pydantic"]:
        print(package, importlib.metadata.version(package))
    failed = 0
    for route, check in CHECKS.items():
        files = sorted(folder.glob(f"{route}.*.json"))
        kinds = set()
        for file in files:
            body = json.loads(file.read_text())
            kinds |= {key for key in body if key != PLACES[route]}
            try:
                check(body)
            except Exception as error:
                failed += 1
                print(f"{file.name}: {error}")
        for body in broken(route, json.loads(files[0].read_text())):
            try:
                check(body)
            except Exception:
                continue
            failed += 1
            print(f"{route}: a broken body passes")
        print(f"{route}: {len(files)} bodies; beside the turns they hold {', '.join(sorted(kinds))}")
        failed += not files
    for route, check in BATCH_CHECKS.items():
        batches = [json.loads(file.read_text()) for file in sorted(folder.glob(f"batches.{route}.*.json"))]
        for batch in batches:
            try:
                check(batch)
            except Exception as error:
                failed += 1
                print(f"a batch of {route}: {error}")
        try:
            check(broken_batch(batches[0]))
        except Exception:
            pass
        else:
            failed += 1
            print(f"{route}: a broken batch passes")
        print(f"{route}: {len(batches)} batches of {sum(len(batch['lines']) for batch in batches)} lines")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
