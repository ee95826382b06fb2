"""Judges: the probe, and callables as judges like every other."""

import asyncio
import base64
import dataclasses
import enum
import functools
import json
import random
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace

import numpy as np
import pytest

import meshjudge as mj
from meshjudge._progress import Bar

PROMPT = "a wooden chair"
KEYS = {"overall", "geometry_details", "texture_details", "plausibility", "text_asset_alignment", "geometry_texture_alignment"}


class Counted:
    """A judge that answers by a function and remembers what it was asked."""

    def __init__(self, answer, name="counted"):
        self.name, self.answer, self.asked = name, answer, []
        # It remembers, which is no change of its answers.
        self.settings = f"{name} 1"

    def __call__(self, question):
        self.asked.append(question)
        return self.answer(question)


def everywhere(choice):
    return lambda question: dict.fromkeys(question.criteria, choice)


def test_the_probe_finds_holes(chair, holed):
    comparison = mj.compare(chair, holed, PROMPT)
    with pytest.raises(mj.errors.UnknownNameError, match="did you mean 'overall'"):
        comparison.winner("overal")
    assert comparison.winner("geometry_details") == "a"
    assert mj.compare(holed, chair, PROMPT).winner("geometry_details") == "b"
    [findings] = comparison.findings
    assert findings["judge"] == "probe" and set(findings["criteria"]) == KEYS
    assert comparison.summary["verdicts"] == 2 and comparison.run is None


def test_a_callable_sees_pictures_and_words_in_both_orders(chair, holed):
    judge = Counted(everywhere("left"))
    comparison = mj.compare(chair, holed, PROMPT, judge=judge, renderer=mj.Renderer(size=128))
    assert sorted(question.order for question in judge.asked) == ["ab", "ba"]
    for question in judge.asked:
        [sheet] = question.pictures
        assert sheet.width == sheet.height == 512
        assert PROMPT in question.text and question.prompt == PROMPT
        assert set(question.criteria) == KEYS
        assert question.kind == question.rubric == "pairwise"
        assert [type(part) for part in question.parts].count(mj.Picture) == 1
        assert question.views == [sheet] and question.photo is None
        assert question.answer_example == dict.fromkeys(question.criteria, "tie")
    found = comparison.findings[0]["criteria"]["overall"]
    assert found == {"a_left": "a", "b_left": "b", "verdict": "inconsistent"}
    assert comparison.winner() is None
    rows = comparison.verdicts()
    assert rows["judge"] == ["python:counted"] * 2 and rows["cost_usd"] == [0.0, 0.0]
    assert len(comparison.verdicts(by="criterion")) == 2 * len(KEYS)


@pytest.mark.parametrize(
    "answer, expected",
    [
        (everywhere("tie"), "tie"),
        (lambda question: "I prefer neither.\n\n3 3 3 3 3 3", "tie"),
        (everywhere(None), "undecided"),
    ],
)
def test_a_callable_answers_by_dict_or_text(chair, answer, expected):
    comparison = mj.compare(chair, chair, PROMPT, judge=answer, renderer=mj.Renderer(size=32))
    assert {found["verdict"] for found in comparison.findings[0]["criteria"].values()} == {expected}


def test_an_answer_in_another_form_is_never_asked_again_and_names_one_that_is_read(chair):
    judge = Counted(lambda question: "The left one is better.")
    comparison = mj.compare(chair, chair, PROMPT, judge=judge, renderer=mj.Renderer(size=32))
    assert comparison.winner() is None and len(judge.asked) == 2
    rows = comparison.verdicts()
    assert rows["attempts"] == [1, 1] and rows["outcome"] == ["invalid", "invalid"]
    assert all("question.answer_example" in reason for reason in rows["reason"])


@pytest.mark.parametrize(
    "answer, outcome, attempts",
    [
        (lambda question: None, "refusal", 3),
        (lambda question: "nothing", "invalid", 1),
        (lambda question: 1 / 0, "provider_error", 1),
        (lambda question: object(), "provider_error", 1),
        (lambda question: (_ for _ in ()).throw(ValueError("\ud800")), "provider_error", 1),
        (lambda question: {"overall": "left"}, "provider_error", 1),
        (lambda question: question.answer_example | {"overal": "left"}, "provider_error", 1),
        (lambda question: question.answer_example | {"overall": "up"}, "provider_error", 1),
    ],
)
def test_what_is_no_verdict_is_recorded_and_never_raised(chair, answer, outcome, attempts):
    comparison = mj.compare(chair, chair, PROMPT, judge=answer, renderer=mj.Renderer(size=32))
    rows = comparison.verdicts()
    assert rows["outcome"] == [outcome] * 2 and rows["attempts"] == [attempts] * 2
    assert comparison.winner() is None and comparison.summary["failed"] == {outcome: 2}
    if outcome == "provider_error":
        assert "Error" in rows["reason"][0]


def test_an_exception_is_shown_once_and_ends_a_run_that_repeats_it(chair, capsys):
    calls = []

    def fails(question):
        calls.append(question.order)
        raise ValueError("no weights")

    fails.settings = ""
    with pytest.raises(mj.errors.JudgeError, match="5 times in a row: ValueError: no weights") as raised:
        mj.audit(fails, kinds=["holes"], levels=[1.0], objects=6, renderer=mj.Renderer(size=16))
    assert isinstance(raised.value.__cause__, ValueError) and len(calls) == 5
    shown = capsys.readouterr().err
    assert shown.count("ValueError: no weights") == 1 and "in fails" in shown and "_judges.py" not in shown
    rows = mj.compare(chair, chair, PROMPT, judge=fails, renderer=mj.Renderer(size=16)).verdicts()
    assert "Traceback" in rows["reason"][0] and "in fails" in rows["reason"][0]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_python_is_no_answer(chair, error):
    def ends(question):
        raise error

    with pytest.raises(error):
        mj.compare(chair, chair, PROMPT, judge=ends, renderer=mj.Renderer(size=16))


def test_missing_and_unknown_keys_are_named(chair):
    def reason(answer):
        return mj.compare(chair, chair, PROMPT, judge=lambda question: answer, renderer=mj.Renderer(size=16)).verdicts()["reason"][0]

    missing = reason({"overall": "left"})
    assert all(key in missing.split(";")[0] for key in KEYS - {"overall"}) and "answer_example" in missing
    assert "did you mean 'overall'" in reason({"overal": "left"})
    assert "(valid: left, right, tie)" in reason(dict.fromkeys(KEYS, "up"))


def test_a_callable_is_called_one_at_a_time_unless_told(chair):
    running, most = [], []

    def slow(question):
        running.append(1)
        most.append(len(running))
        time.sleep(0.02)
        running.pop()
        return question.answer_example

    slow.settings = ""
    options = {"kinds": ["holes"], "levels": [1.0], "objects": 3, "renderer": mj.Renderer(size=16)}
    mj.audit(slow, **options)
    assert set(most) == {1}
    mj.audit(slow, concurrency=4, **options)
    assert max(most) > 1


def test_coroutines_are_awaited(chair):
    async def judge(question):
        await asyncio.sleep(0.01)
        return question.answer_example

    assert mj.compare(chair, chair, PROMPT, judge=judge, renderer=mj.Renderer(size=16)).winner() == "tie"

    async def late(question):
        await asyncio.sleep(60)

    rows = mj.compare(chair, chair, PROMPT, judge=late, renderer=mj.Renderer(size=16), timeout_secs=0.1).verdicts()
    assert "no answer within 0.1 s" in rows["reason"][0]
    async def ends(question):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mj.compare(chair, chair, PROMPT, judge=ends, renderer=mj.Renderer(size=16))
    assert mj.compare(chair, chair, PROMPT, judge=judge, renderer=mj.Renderer(size=16)).winner() == "tie"
    with pytest.raises(mj.errors.ArgumentError, match="async def"):
        mj.compare(chair, chair, PROMPT, judge=everywhere("tie"), timeout_secs=1)


def test_a_run_is_resumed_and_nothing_is_asked_twice(chair, tmp_path):
    judge = Counted(everywhere("tie"))
    first = mj.compare(chair, chair, PROMPT, judge=judge, renderer=mj.Renderer(size=32), run=tmp_path / "run")
    again = mj.compare(chair, chair, PROMPT, judge=judge, renderer=mj.Renderer(size=32), run=tmp_path / "run")
    assert len(judge.asked) == 2
    assert again.summary["answered_before"] == 2
    assert [picture.hash for picture in again.pictures] == [picture.hash for picture in first.pictures]
    assert (tmp_path / "run" / "run.toml").exists() and again.run == tmp_path / "run"
    replayed = mj.compare(chair, chair, PROMPT, judge=judge, renderer=mj.Renderer(size=32), reuse=[tmp_path / "run"], replay=True)
    assert replayed.summary["reused"] == 2 and len(judge.asked) == 2


THRESHOLD = 1


def prefers_left(question):
    return dict.fromkeys(question.criteria, "left" if THRESHOLD else "right")


def test_an_edited_judge_is_a_new_judge(chair, holed, tmp_path, monkeypatch):
    """Its code, constants, defaults, closure and the globals that it names; each change is a warning, and earlier answers are not used."""

    def compare(judge, run="run"):
        return mj.compare(chair, holed, PROMPT, judge=judge, renderer=mj.Renderer(size=32), run=tmp_path / run)

    def answering(choice, other=None):
        def judge(question, default=other):
            return dict.fromkeys(question.criteria, choice)

        return judge

    assert compare(answering("left")).winner("plausibility") is None
    assert compare(answering("left")).summary["answered_before"] == 2
    for edited in (answering("tie"), answering("tie", other=1), lambda question: dict.fromkeys(question.criteria, "tie")):
        edited.__name__ = "judge"
        with pytest.warns(UserWarning, match="has changed since it last answered"):
            changed = compare(edited)
        assert changed.summary["answered_before"] == 0 and changed.winner() == "tie"
    compare(prefers_left, "globals")
    monkeypatch.setattr(sys.modules[__name__], "THRESHOLD", 0)
    with pytest.warns(UserWarning, match="THRESHOLD"):
        assert compare(prefers_left, "globals").findings[0]["criteria"]["overall"]["a_left"] == "b"
    assert set(mj.Run(tmp_path / "globals").verdicts(by="criterion")["winner"]) == {"a", "b"}
    # Only what the present version said is rated, and the rest is counted.
    monkeypatch.setattr(sys.modules[__name__], "THRESHOLD", 1)
    with pytest.warns(UserWarning, match="THRESHOLD"):
        again = compare(prefers_left, "globals")
    assert again.summary["answered_before"] == 2
    rows = mj.Run(tmp_path / "globals").verdicts(by="criterion").filter(criterion="overall", order="ab")
    assert rows["winner"] == ["a"]
    assert any("2 verdicts are kept and not rated" in note for note in mj.Run(tmp_path / "globals").results().notes)


class Slotted:
    __slots__ = ("choice",)

    def __init__(self, choice):
        self.choice = choice

    def __call__(self, question):
        return dict.fromkeys(question.criteria, self.choice)


def test_reading_a_judge_does_not_change_it(chair, tmp_path):
    """Copying an object of a class with slots leaves a note in its class."""
    asked = [mj.compare(chair, chair, PROMPT, judge=Slotted("tie"), renderer=mj.Renderer(size=16), run=tmp_path).summary["answered_before"] for _ in range(2)]
    assert asked == [0, 2]


def test_settings_say_what_a_judge_is(chair, tmp_path):
    def judge(question):
        asked.append(question)
        return dict.fromkeys(question.criteria, "tie")

    asked = [threading.Lock()]
    with pytest.warns(UserWarning, match="uses asked, whose content cannot be read") as warned:
        for _ in range(2):
            mj.compare(chair, chair, PROMPT, judge=judge, renderer=mj.Renderer(size=32))
    # Once, at the line of the call.
    assert [one.filename for one in warned] == [__file__]
    judge.settings = "first weights"
    for _ in range(2):
        mj.compare(chair, chair, PROMPT, judge=judge, renderer=mj.Renderer(size=32), run=tmp_path / "run")
    assert len(asked) == 7


class Counting:
    """Counts its tokens, has a cache, draws numbers, and holds a pattern."""

    def __init__(self, pattern="left|right"):
        self.tokens, self.seen, self.rng, self.noise, self.pattern = 0, {}, random.Random(), np.random.default_rng(), re.compile(pattern)

    @functools.cached_property
    def words(self):
        return ["left", "right"]

    def __call__(self, question):
        self.tokens += 1234
        self.seen[question.order] = self.rng.random()
        return dict.fromkeys(question.criteria, self.pattern.search(" ".join(self.words))[0])


@pytest.mark.filterwarnings("error")
def test_what_a_judge_changes_itself_is_no_change(chair, tmp_path):
    judge, options = Counting(), {"renderer": mj.Renderer(size=16), "run": tmp_path}
    asked = [mj.compare(chair, chair, PROMPT, judge=one, **options).summary["answered_before"] for one in (judge, judge, Counting())]
    assert asked == [0, 2, 2]
    judge.tokens = 7
    with pytest.warns(UserWarning, match=r"\(tokens\)"):
        assert mj.compare(chair, chair, PROMPT, judge=judge, **options).summary["answered_before"] == 0
    with pytest.warns(UserWarning, match="pattern.*reuse="):
        changed = mj.compare(chair, chair, PROMPT, judge=Counting("right"), **options)
    assert changed.summary["answered_before"] == 0 and changed.findings[0]["criteria"]["overall"]["a_left"] == "b"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("made", [np.random.default_rng, np.random.RandomState, lambda: np.random.Generator(np.random.MT19937()), random.Random])
def test_a_random_generator_that_a_function_keeps_is_no_part_of_its_identity(chair, tmp_path, made):
    """Neither its state, which each call changes, nor its seed, which another process draws anew."""

    def kept():
        rng = made()

        def judge(question, other=made()):
            sides = ["left", "right"]
            return {criterion: sides[int(rng.random() < 0.5)] for criterion in question.criteria} if other else {}

        return judge

    first = kept()
    options = {"renderer": mj.Renderer(size=16), "run": tmp_path}
    asked = [mj.compare(chair, chair, PROMPT, judge=judge, **options).summary["answered_before"] for judge in (first, first, kept())]
    assert asked == [0, 2, 2]


def test_earlier_answers_are_adopted_with_a_word(chair, tmp_path):
    """Of the same judge with another identity, in the same run or another."""

    def compare(choice, run, **options):
        def judge(question):
            return dict.fromkeys(question.criteria, choice)

        return mj.compare(chair, chair, PROMPT, judge=judge, renderer=mj.Renderer(size=16), run=tmp_path / run, **options)

    compare("left", "run")
    with pytest.warns(UserWarning, match="used, because reuse names that run"):
        again = compare("right", "run", reuse=[tmp_path / "run"])
    assert again.summary["reused"] == 2 and again.findings[0]["criteria"]["overall"]["a_left"] == "a"
    with pytest.warns(UserWarning, match="used, because reuse names that run"):
        assert compare("tie", "other", reuse=[tmp_path / "run"]).summary["reused"] == 2


def test_a_declared_identity_is_all_that_counts(chair, tmp_path):
    def declared(choice, version):
        @mj.judge(name="model", version=version)
        def anything(question):
            return dict.fromkeys(question.criteria, choice)

        return mj.compare(chair, chair, PROMPT, judge=anything, renderer=mj.Renderer(size=16), run=tmp_path)

    first = declared("left", "1")
    assert set(first.verdicts()["judge"]) == {"python:model"}
    # Another closure, and other code.
    assert declared("right", "1").summary["answered_before"] == 2

    class Other:
        name, version = "model", "1"

        def __call__(self, question):
            return dict.fromkeys(question.criteria, "tie")

    with pytest.warns(UserWarning, match="the code of the judge model has changed.*earlier answers count"):
        assert mj.compare(chair, chair, PROMPT, judge=Other(), renderer=mj.Renderer(size=16), run=tmp_path).summary["answered_before"] == 2
    with pytest.warns(UserWarning, match="has changed since it last answered"):
        assert declared("right", "2").summary["answered_before"] == 0


def test_identities_are_equal_in_every_process(python, tmp_path):
    """Of a class of pydantic and a docstring too; an edited field is another."""
    pytest.importorskip("pydantic")
    script = """
import functools, pydantic
from meshjudge._identity import describe
class Answer(pydantic.BaseModel):
    '''DOC'''
    overall: str = pydantic.Field("left", description="FIELD")
    @functools.cached_property
    def side(self): return self.overall
def judge(question):
    '''DOC'''
    return dict.fromkeys(question.criteria, Answer(overall="left").side)
print(describe(judge)[1])
"""
    first = python(script)
    assert python(script) == python(script.replace("DOC", "Another.")) == python(script.replace("    '''DOC'''\n", "")) == first
    assert python(script.replace("FIELD", "other")) != first


def test_an_audit_counts_only_the_present_judge(tmp_path):
    def audit(choice):
        def judge(question):
            return dict.fromkeys(question.criteria, choice)

        return mj.audit(judge, kinds=["holes"], levels=[1.0], objects=2, renderer=mj.Renderer(size=32), run=tmp_path / "run")

    assert audit("tie").figures[0]["ties"]["value"] == 1
    with pytest.warns(UserWarning, match="choice"):
        assert audit("left").figures[0]["ties"]["value"] == 0


def test_several_judges_and_samples(chair, holed):
    judges = ["probe", Counted(everywhere("left"), "one"), Counted(everywhere("right"), "two")]
    comparison = mj.compare(chair, holed, PROMPT, judge=judges, samples=2, renderer=mj.Renderer(size=64))
    said = [(found["judge"], found["sample"]) for found in comparison.findings]
    assert said == [(name, sample) for name in ("probe", "python:one", "python:two") for sample in (0, 1)]
    with pytest.raises(mj.errors.JudgeError, match="twice"):
        mj.compare(chair, holed, PROMPT, judge=["probe", "probe"])


@pytest.mark.parametrize(
    "judge, words",
    [("nobody", "no such judge"), ("openai:gpt-5", "OPENAI_API_KEY"), (12, "callable"), ([], "no judge")],
)
def test_judges_that_cannot_be_asked(chair, monkeypatch, judge, words):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(mj.errors.JudgeError, match=words):
        mj.compare(chair, chair, PROMPT, judge=judge)


def test_every_pass_over_the_assets_has_a_bar(monkeypatch):
    bars = []

    class Tqdm:
        def __init__(self, unit):
            self.unit = unit
            bars.append(self)

        def set_postfix_str(self, text):
            self.text = text

        def close(self):
            self.is_closed = True

    monkeypatch.setitem(sys.modules, "tqdm.auto", SimpleNamespace(tqdm=Tqdm))
    bar = Bar()
    asked = {"done": 1, "total": 1, "in_flight": 0}
    bar(asked)
    for name in ("metrics", "metrics", "clip"):
        for done in (1, 2):
            bar(asked | {"computing": {"name": name, "done": done, "total": 2}})
    assert [(bar.unit, bar.text, bar.n) for bar in bars if bar.is_closed] == [
        ("question", "0 in flight", 1), ("asset", "metrics", 2), ("asset", "metrics", 2), ("asset", "clip", 2),
    ]  # fmt: skip


def test_progress_is_reported_and_its_errors_are_raised(chair):
    reported = []
    mj.compare(chair, chair, PROMPT, judge=everywhere("tie"), renderer=mj.Renderer(size=32), progress=reported.append)
    assert reported[-1]["done"] == reported[-1]["total"] == 2

    def fails(now):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        mj.compare(chair, chair, PROMPT, judge=everywhere("tie"), renderer=mj.Renderer(size=32), progress=fails)


def test_a_bar_is_shown(chair, capsys):
    mj.compare(chair, chair, PROMPT, judge=everywhere("tie"), renderer=mj.Renderer(size=32), progress=True)
    assert "2" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:the photo")
def test_scores_of_a_photo_and_of_a_prompt(root, chair):
    photo, mask = root / "assets" / "demo" / "photo.png", root / "assets" / "demo" / "mask.png"
    score = mj.score(chair, photo=photo, mask=mask)
    assert 1 <= score.overall <= 3 and score.aspects == {} and len(score.pictures) == 4
    assert mj.score(chair, photo=photo, mask=mask, judge=lambda question: 2).overall == 2
    assert mj.score(chair, photo=photo, mask=mask, judge=lambda question: question.answer_example).overall == 3

    def judge(question):
        assert question.kind == "category" and question.category == "single_object"
        assert question.answer_example == {"overall_score": 10} | dict.fromkeys(question.criteria, 10)
        return {"overall_score": 7} | dict.fromkeys(question.criteria, 5)

    score = mj.score(chair, prompt=PROMPT, category="single_object", judge=judge)
    assert score.overall == 7 and set(score.aspects.values()) == {5}
    with pytest.raises(mj.errors.RubricError, match="category"):
        mj.score(chair, prompt=PROMPT, category="poetry")
    with pytest.raises(mj.errors.PictureError, match="give a mask"):
        mj.score(chair, photo=photo)
    with pytest.raises(mj.errors.RubricError, match="the photo"):
        mj.score(chair, rubric="reconstruction")
    with pytest.raises(mj.errors.RubricError, match="two objects"):
        mj.score(chair, rubric="pairwise")


class Side(str, enum.Enum):
    LEFT = "left"


class Dumped:
    def __init__(self, keys):
        self.keys = keys

    def model_dump(self, *, mode="python"):
        return dict.fromkeys(self.keys, Side.LEFT)


@pytest.mark.parametrize("answer", [lambda keys: dict.fromkeys(keys, Side.LEFT), Dumped, lambda keys: dataclasses.make_dataclass("Made", keys)(*[Side.LEFT] * len(keys))])
def test_objects_and_enums_are_answers(chair, answer):
    found = mj.compare(chair, chair, PROMPT, judge=lambda question: answer(question.criteria), renderer=mj.Renderer(size=16))
    assert found.findings[0]["criteria"]["overall"]["a_left"] == "a"


def test_a_question_is_a_message_of_providers(chair):
    judge = Counted(everywhere("left"))
    mj.compare(chair, chair, PROMPT, judge=judge, renderer=mj.Renderer(size=16))
    [question, _] = judge.asked
    [sheet] = question.pictures
    for messages, shown in ((question.to_openai(), lambda part: part["image_url"]["url"]), (question.to_anthropic(), lambda part: part["source"]["data"])):
        [message] = messages
        assert message["role"] == "user" and [part["text"] for part in message["content"] if part["type"] == "text"][0] in question.text
        [picture] = [part for part in message["content"] if part["type"] != "text"]
        assert base64.b64decode(shown(picture).split(",")[-1]) == sheet.data
    assert sheet.data_url.startswith("data:image/png;base64,")


def test_calls_are_awaited(chair, tmp_path):
    """Judges that are coroutines run together, in the loop of the caller; a cancelled call asks nothing more."""
    running, most, loops, asked = [], [], set(), []

    @mj.judge(version="1")
    async def slow(question):
        asked.append(question)
        running.append(1)
        most.append(len(running))
        loops.add(asyncio.get_running_loop())
        await asyncio.sleep(0.05)
        running.pop()
        return question.answer_example

    async def main():
        pairs = {"x": chair, "y": mj.objects.load("mug")}
        found, run = await asyncio.gather(
            mj.acompare(chair, chair, PROMPT, judge=slow, renderer=mj.Renderer(size=16)),
            mj.abench({"ours": pairs, "theirs": pairs}, judge=slow, run=tmp_path, renderer=mj.Renderer(size=16)),
        )
        assert found.winner() == "tie" and run.outcomes["verdict"] > 0 and loops == {asyncio.get_running_loop()}
        before = len(asked)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await mj.abench({"ours": pairs, "theirs": pairs}, judge=slow, samples=100, concurrency=1, run=tmp_path / "b", renderer=mj.Renderer(size=16))
        await asyncio.sleep(2)
        assert len(asked) - before < 60

    asyncio.run(main())
    assert max(most) > 1


def test_numbers_of_numpy_are_answers(root, chair):
    photo, mask = root / "assets" / "demo" / "photo.png", root / "assets" / "demo" / "mask.png"
    for answer in (np.int64(2), np.float32(2), {"score": np.int64(2)}, np.array(2)):
        assert mj.score(chair, photo=photo, mask=mask, judge=lambda question: answer).overall == 2


@pytest.mark.filterwarnings("ignore:the photo")
def test_a_photo_is_upright_whatever_it_is_given_as(tmp_path):
    image = pytest.importorskip("PIL.Image")
    pixels = np.full((400, 600, 3), 255, np.uint8)
    pixels[100:200, 100:500], pixels[200:300, 100:200] = (200, 0, 0), (0, 0, 200)
    noted = image.Exif()
    noted[0x0112] = 6
    path = tmp_path / "held.jpg"
    image.fromarray(pixels).save(path, exif=noted, quality=95)
    held = image.open(path)
    held.load()
    upright = mj.Photo.open(np.rot90(pixels, -1)).picture.to_numpy().astype(int)
    assert abs(mj.Photo.open(pixels).picture.to_numpy() - upright).mean() > 20
    for given in (path, path.read_bytes(), mj.Picture(path), held):
        assert abs(mj.Photo.open(given).picture.to_numpy() - upright).mean() < 2
    assert mj.Photo.open(path).picture == mj.Photo.open(path.read_bytes()).picture
    mask = np.zeros((600, 400), np.uint8)
    mask[100:500, 100:300] = 255
    assert mj.sheet.reference(path, mask) == mj.sheet.reference(path.read_bytes(), mask)


@pytest.mark.filterwarnings("ignore:the photo")
def test_a_pair_is_compared_with_a_photo(root, chair):
    photo, mask = root / "assets" / "demo" / "photo.png", root / "assets" / "demo" / "mask.png"
    shown = []

    def judge(question):
        """Remembers plain numbers, which are readable."""
        assert question.photo == question.pictures[0] and question.views == question.pictures[-1:]
        shown.append([(picture.width, picture.height) for picture in question.pictures])
        return dict.fromkeys(question.criteria, "left")

    comparison = mj.compare(chair, chair, photo=photo, mask=mask, judge=judge, renderer=mj.Renderer(size=64))
    assert [pictures[0] for pictures in shown] == [(512, 512)] * 2
    assert "geometry_fidelity" in comparison.findings[0]["criteria"]
    with pytest.raises(mj.errors.ArgumentError, match="without its photo"):
        mj.compare(chair, chair, PROMPT, mask=mask)
    with pytest.raises(mj.MeshjudgeError, match="text that both"):
        mj.compare(chair, chair)

    mj.compare(chair, chair, photo={"back": photo, "front": mask}, mask={"back": mask}, judge=judge, renderer=mj.Renderer(size=64))
    assert [len(pictures) for pictures in shown[2:]] == [3, 3]
    with pytest.raises(mj.errors.PictureError, match="no photo of that name"):
        mj.compare(chair, chair, photo={"front": photo}, mask={"back": mask})


RIG = """name = "photo"\ndescription = ""\n[camera]\nprojection = "perspective"\nfov_y_degrees = 40.0\nfit = 1.02
[[view]]\nazimuth_degrees = 60.0\nelevation_degrees = 15.0\n"""


def test_a_photo_is_opened_once_and_two_assets_face_it(root, chair, tmp_path):
    (tmp_path / "rig.toml").write_text(RIG)
    shown = mj.render(chair, rig=tmp_path / "rig.toml", size=256, background="#88aacc")["rgb"][0]
    photo = mj.Photo.open(shown, style="hunyuan3d")
    assert photo.note == "cut out of the plain background" and photo.picture != mj.Photo.open(shown).picture
    mask = mj.Photo.open(root / "assets" / "demo" / "photo.png", root / "assets" / "demo" / "mask.png")
    assert mask.note is None and mask._repr_png_() == mask.picture.data
    with pytest.raises(mj.errors.PictureError, match=r"Photo\.open"):
        mj.compare(chair, chair, photo=photo, mask=shown)

    damaged = mj.damage(chair, "holes", 0.5)
    with pytest.warns(UserWarning, match="plain background"):
        rows = mj.compare(chair, damaged, photo=photo, fronts="photo", renderer=mj.Renderer(size=64), run=tmp_path / "run").verdicts()
    assert list(rows["a_yaw_degrees"]) == list(rows["b_yaw_degrees"]) == [60, 60]
    (tmp_path / "chair.glb").write_bytes(chair.to_glb())
    with pytest.warns(UserWarning, match="plain background"):
        rows = mj.compare(tmp_path / "chair.glb", damaged, photo=photo, fronts="photo", renderer=mj.Renderer(size=64)).verdicts()
    assert list(rows["a_yaw_degrees"]) == [60, 60]
    with pytest.raises(mj.MeshjudgeError, match="give the photo"):
        mj.compare(chair, damaged, PROMPT, fronts="photo")


@pytest.mark.filterwarnings("ignore:the photo")
def test_prompts_of_a_bench_are_texts_or_photos(root, chair, tmp_path):
    photo = root / "assets" / "demo" / "photo.png"
    methods = {"ours": {"a": chair, "b": chair, "c": chair}, "theirs": dict.fromkeys("abc", mj.damage(chair, "holes", 1.0))}
    prompts = {"a": photo, "b": mj.Picture(photo), "c": {"image": str(photo)}}
    run = mj.bench(methods, prompts=prompts, run=tmp_path, renderer=mj.Renderer(size=64))
    assert {len(photos) for photos in run.verdicts()["photos"]} == {1}


def test_words_of_judges_cannot_leave_their_page(chair):
    comparison = mj.compare(chair, chair, PROMPT, judge=lambda question: "<script>alert(1)</script>", renderer=mj.Renderer(size=32))
    page = comparison._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page and "data:image/png;base64," in page


def test_an_audit_of_a_callable_counts_what_it_finds(tmp_path):
    def blind(question):
        return dict.fromkeys(question.criteria, "tie")

    audit = mj.audit([blind, "probe"], kinds=["holes"], levels=[1.0], objects=2, renderer=mj.Renderer(size=64), run=tmp_path / "run")
    right = dict(zip(zip(audit.findings()["judge"], audit.findings()["criterion"]), audit.findings()["right"]))
    assert right["python:blind", "geometry_details"] == 0.0
    assert right["probe", "geometry_details"] == 1.0
    assert [found["judge"] for found in audit.figures] == ["probe", "python:blind"]
    assert audit.words and audit.left_out == [] and "<li>" in audit._repr_html_()
    with pytest.raises(mj.errors.UnknownNameError, match="rust"):
        mj.audit(kinds=["rust"])
    with pytest.raises(mj.errors.AuditError, match="above 0"):
        mj.audit(levels=[0.0])
    for nothing in ({"objects": 0}, {"fresh": 0}):
        with pytest.raises(mj.errors.AuditError, match="at least 1"):
            mj.audit(**nothing)


class Server(BaseHTTPRequestHandler):
    """Keeps requests and always prefers the left side."""

    def log_message(self, *args):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append((dict(self.headers), body))
        said = {"choices": [{"message": {"content": "1 1 1 1 1 1"}, "finish_reason": "stop"}]}
        data = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def test_settings_of_a_judge_are_sent(chair, holed, monkeypatch):
    monkeypatch.setenv("OWN_KEY", "own-0123456789")
    server = HTTPServer(("127.0.0.1", 0), Server)
    server.seen = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = {"effort": "low", "body": {"top_p": 0.5}, "headers": {"x-own": "$OWN_KEY"}, "max_output_tokens": 77}
    address = f"http://127.0.0.1:{server.server_port}/v1"
    comparison = mj.compare(chair, holed, PROMPT, judge="openai:m", base_url=address, renderer=mj.Renderer(size=64), **settings)
    server.shutdown()
    server.server_close()
    assert comparison.summary["verdicts"] == 2
    for headers, body in server.seen:
        assert headers["x-own"] == "own-0123456789"
        assert (body["reasoning_effort"], body["top_p"], body["max_completion_tokens"]) == ("low", 0.5, 77)
    with pytest.raises(mj.errors.JudgeError, match="looks like a secret"):
        mj.compare(chair, holed, PROMPT, judge="openai:m", base_url=address, headers={"api-key": "abc"})
