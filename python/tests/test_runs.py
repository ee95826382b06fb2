"""Games → ratings, benchmarks → runs, tables → frames."""

import datetime
import functools
import json
import math
import pickle
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import pandas
import polars
import pytest

import meshjudge as mj

GAMES = {
    "a": ["x", "x", "y", "x", "y", "z"],
    "b": ["y", "z", "z", "y", "z", "x"],
    "winner": ["a", "a", "a", "a", "tie", "b"],
    "prompt": ["p", "q", "r", "s", "t", "u"],
}


class ArrowOnly:
    """What a table is that only speaks the Arrow PyCapsule interface."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def categories(games):
    return ArrowOnly(polars.DataFrame(games).with_columns(polars.all().cast(polars.Categorical)))


def with_missing(games):
    """One game more, of which nobody knows who won."""
    longer = {name: [*cells, "x" if name != "winner" else None] for name, cells in games.items()}
    return pandas.DataFrame(longer).astype("string")


def rows_of(games):
    return [dict(zip(games, row)) for row in zip(*games.values())]


KINDS = [dict, rows_of, pandas.DataFrame, polars.DataFrame, polars.LazyFrame, lambda games: ArrowOnly(polars.DataFrame(games)), categories, with_missing]


@pytest.mark.parametrize("kind", KINDS)
def test_any_table_of_games_is_rated(kind):
    assert mj.rate(kind(GAMES))["low"] == [None] * 3  # four prompts each
    twice = {name: cells * 2 for name, cells in GAMES.items()} | {"prompt": list("pqrstuvwxyzk")}
    board = mj.rate(kind(twice))
    assert board["method"] == ["x", "y", "z"]
    # x only won: its games say that it is at least so good, and no more.
    assert (board["low"][0], board["high"][0]) == (None, None)
    lines = zip(board["low"][1:], board["rating"][1:], board["high"][1:])
    assert all(low < rating < high for low, rating, high in lines)
    assert math.isclose(sum(board["rating"]) / 3, 1000)


def test_ratings_are_told_how():
    board = mj.rate(GAMES, anchor="z", bootstraps=0)
    assert board["rating"][2] == 1000 and board["low"] == [None] * 3
    renamed = {"left": GAMES["a"], "right": GAMES["b"], "best": GAMES["winner"]}
    assert mj.rate(renamed, a="left", b="right", winner="best", anchor="z", bootstraps=0)["rating"] == board["rating"]
    assert mj.rate(GAMES, ties="davidson")["method"][0] == "x"


def arena(votes, judge):
    """Votes drawn from a board of four, and a judge's answers on the same pairs: it agrees, or says the contrary."""
    rng, strength = random.Random(7), {"w": 3.0, "x": 1.0, "y": 0.0, "z": -1.0}
    rows = []
    for i in range(votes + 2000):
        a, b = rng.sample(sorted(strength), 2)
        won = rng.random() < 1 / (1 + math.exp(strength[b] - strength[a]))
        is_vote = i < votes
        says = won if is_vote or judge == "fair" else not won
        rows.append({
            "a": a,
            "b": b,
            "winner": "a" if says else "b",
            "prompt": f"p{i % 40}",
            "judge": f"human:rater {i % 5}" if is_vote else judge,
            "order": rng.choice(["ab", "ba"]),
        })
    return {key: [row[key] for row in rows] for key in rows[0]}


@pytest.mark.parametrize("kind", [dict, pandas.DataFrame, lambda games: ArrowOnly(polars.DataFrame(games))])
def test_few_votes_are_anchored_in_judges(kind):
    games = arena(60, "fair")
    board = mj.rate(kind(games), anchor="people")
    assert board["method"] == ["w", "x", "y", "z"] and sum(board["games"]) == 2 * 60
    votes = {key: cells[:60] for key, cells in games.items()}
    alone = mj.rate(votes)
    width = lambda board: sum(high - low for low, high in zip(board["low"], board["high"]) if low is not None)
    assert width(board) < width(alone)
    (fair,) = mj.rating.judge_worth(games).to_dicts()
    assert fair["judge"] == "fair" and fair["low"] < fair["votes"] < fair["high"] and fair["slope"] > 0.5
    # Votes of one of them are one voter's, and nobody's name is a method.
    renamed = games | {"judge": ["people" if name.startswith("human") else name for name in games["judge"]]}
    assert mj.rate(renamed, anchor="people")["method"] == board["method"]
    # Votes win over a judge that says the contrary.
    assert mj.rate(arena(200, "backwards"), anchor="people")["method"][0] == "w"


def test_style_is_held_equal():
    """People vote for the heavier asset whoever made it, and p makes heavy ones."""
    rng, rows = random.Random(3), []
    for i in range(600):
        a, b = rng.sample("pqr", 2)
        faces = [math.exp(rng.gauss(2.0 if name == "p" else 1.0, 1.0)) for name in (a, b)]
        rows.append({"a": a, "b": b, "prompt": f"p{i % 60}", "faces_a": faces[0], "faces_b": faces[1], "winner": "a" if faces[0] > faces[1] else "b"})
    games = {key: [row[key] for row in rows] for key in rows[0]}
    plain, controlled = mj.rate(games), mj.rate(games, control="log:faces")
    assert plain["method"][0] == "p" and plain["rating"][0] > 1080
    p = controlled["method"].index("p")
    assert abs(controlled["rating"][p] - 1000) < 80 and controlled["plain"][p] == pytest.approx(plain["rating"][0])
    assert controlled["rating"][p] - controlled["plain"][p] == pytest.approx(controlled["moved"][p])
    constant = games | {"same_a": [1] * 600, "same_b": [1] * 600}
    effects = mj.rating.control_effects(polars.DataFrame(constant), ["log:faces", "same"])
    assert effects["low"][0] > 100 and effects["refused"] == [None, "the same for both assets of every game"]


@pytest.mark.parametrize(
    "games, options, words",
    [
        ({"a": [], "b": [], "winner": []}, {}, "no games"),
        ({"a": ["x"], "b": ["y"]}, {}, "no column 'winner'"),
        ({"a": ["x"], "b": ["y"], "winner": ["x"]}, {}, "'a', 'b' or 'tie'"),
        ({"a": ["x"], "b": ["y"], "winner": ["a", "b"]}, {}, "length"),
        (GAMES, {"prior": False}, "infinite"),
        (12, {}, "dict of columns"),
        ([12], {}, "list of dicts"),
        (GAMES | {"criterion": list("cccddd")}, {}, "2 criteria .c, d."),
        (GAMES | {"judge": list("jjjkkk")}, {}, "2 judges .j, k."),
        (GAMES | {"protocol": list("pppqqq")}, {}, "2 render protocols"),
        (GAMES, {"anchor": "people"}, "no column 'judge'"),
        (GAMES | {"judge": ["model"] * 6}, {"anchor": "people"}, "nobody voted"),
        (GAMES | {"judge": ["people"] * 6}, {"anchor": "people"}, "no judge has a board"),
        (GAMES | {"judge": ["people"] * 6}, {"anchor": "people", "control": "x"}, "cannot be combined"),
        (GAMES, {"control": "faces"}, "no column 'faces_a'"),
        (GAMES | {"n_a": [1] * 6, "n_b": [1] * 6}, {"control": ["n"]}, "n: the same"),
    ],
)
def test_games_that_cannot_be_rated(games, options, words):
    with pytest.raises(mj.errors.RateError, match=words.replace("'", ".")):
        mj.rate(games, **options)


def test_an_anchor_that_is_no_method_is_an_unknown_name():
    for error in (mj.MeshjudgeError, ValueError, KeyError):
        with pytest.raises(error, match="unknown anchor 'w' .valid: x, y, z"):
            mj.rate(GAMES, anchor="w")


def test_both_orders_are_one_game_and_a_contradiction_is_a_draw():
    """A judge that always says left knows nothing, however often it is asked."""
    prompts = [f"p{i}" for i in range(10)]
    left = [{"a": "x", "b": "y", "prompt": p, "order": order, "winner": "a" if order == "ab" else "b"} for p in prompts for order in ("ab", "ba")]
    board = mj.rate(left)
    assert board["games"] == [10, 10] and board["rating"] == [1000, 1000] and board["ties"] == [0, 0]
    assert any("inconsistent: 10 of 10 pairs" in note for note in board.notes)
    # Samples are no more games either.
    thrice = [row | {"sample": sample} for row in left for sample in range(3)]
    assert mj.rate(thrice)["games"] == [10, 10]
    assert mj.rate(left, judge=None)["games"] == [20, 20]


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """Three generators on six prompts: ours, the same with small holes, and with large ones; one asset is missing."""
    folder = tmp_path_factory.mktemp("bench")
    names = ["chair", "mug", "vase", "rocket", "bench", "drum"]
    names = [name for name in names if name in mj.objects.prompts()]
    names += [name for name in mj.objects.prompts() if name not in names][: 6 - len(names)]
    for method, level in [("clean", 0.0), ("worn", 0.25), ("broken", 1.0)]:
        (folder / method).mkdir()
        for name in names:
            if (method, name) != ("broken", names[0]):
                mj.damage(mj.objects.load(name), "holes", level).save(folder / method / f"{name}.glb")
    bench = {
        "name": "holes",
        "prompts": [{"id": name, "prompt": mj.objects.prompts()[name]} for name in names],
        "generators": [{"name": name, "path": f"{name}/{{prompt_id}}.glb"} for name in ("clean", "worn", "broken")],
        "pictures": {"size_px": 64},
    }
    return bench, folder


@pytest.fixture(scope="module")
def run(bench):
    file, folder = bench
    told = []
    made = mj.bench(file, folder=folder, run=folder / "run", judge=["probe", left], progress=told.append)
    assert told[-1]["done"] > 0
    return made


def left(question):
    return dict.fromkeys(question.criteria, "left")


def test_a_benchmark_becomes_boards(run):
    board = run.results("rating", "geometry_details", "probe")
    assert board["method"] == ["clean", "worn", "broken"]
    assert board["rating"] == sorted(board["rating"], reverse=True)
    assert set(run.results()["judge"]) == {"probe", "python:left"}
    [missing] = run.summary["missing_assets"]
    assert missing["method"] == "broken" and "reason" in missing
    assert run.outcomes["verdict"] > 0
    assert "forfeit" in run.verdicts()["outcome"]
    assert len(run.results("agreement", "overall")) >= 0 and "kappa" in run.results("agreement").columns
    assert set(run.verdicts()["judge"]) == {"probe", "python:left", "rule"}


def test_a_benchmark_is_resumed_and_read_again(run, bench):
    file, folder = bench
    again = mj.bench(file, folder=folder, run=folder / "run", judge=["probe", left])
    assert again.summary["answered_before"] == again.summary["questions"] > 0
    read = mj.Run(folder / "run")
    assert read.results().to_dict() == run.results().to_dict()
    assert mj.Run([folder / "run"], anchor="worn", bootstraps=0).results()["low"][0] is None
    assert read.report(folder / "page.html").stat().st_size > 10_000
    assert read.report() == folder / "run" / "report.html"


def test_a_file_says_what_a_dict_says(bench, tmp_path):
    _, folder = bench
    (tmp_path / "bench.toml").write_text(
        f"""
name = "from a file"
prompts = [{{ id = "mug", prompt = "a mug" }}]
generators = [{{ name = "clean", path = '{folder}/clean/{{prompt_id}}.glb' }}, {{ name = "broken", path = '{folder}/broken/{{prompt_id}}.glb' }}]
"""
    )
    run = mj.bench(tmp_path / "bench.toml", run=tmp_path / "run", judge=lambda question: dict.fromkeys(question.criteria, "tie"))
    assert run.results("rating", "overall")["ties"] == [1, 1]


def test_a_run_without_verdicts_says_what_became_of_its_questions(bench, tmp_path):
    file, folder = bench
    refused = mj.bench(file, folder=folder, run=tmp_path / "run", judge=lambda question: None)
    assert refused.outcomes["refusal"] > 0
    with pytest.raises(mj.errors.RunError, match="refusal"):
        refused.results()


@pytest.mark.parametrize("criterion, judge", [("geometry_details", "probe"), ("overall", "python:left")])
def test_verdicts_are_rated_as_boards_are(run, criterion, judge):
    """Ratings, intervals and counts, those of the missing asset included."""
    rows = run.verdicts(by="criterion")
    with pytest.raises(mj.errors.RateError, match="criteria .*, each of which needs a board of its own"):
        mj.rate(rows)
    with pytest.raises(mj.errors.RateError, match="2 judges .probe, python:left."):
        mj.rate(rows.filter(criterion=criterion))
    board = run.results("rating", criterion, judge)
    chosen = rows.filter(criterion=criterion, judge=judge)
    for games in (chosen, polars.DataFrame(chosen), chosen.to_dicts()):
        rated = mj.rate(games)
        for column in ("method", "games", "ties", "rank_all_low", "rank_all_high"):
            assert rated[column] == board[column], column
        for column in ("rating", "low", "high"):
            assert rated[column] == pytest.approx(board[column]), column
    assert "worn" in rated["method"] and None not in rated["rating"]


def test_unknown_names_are_errors_with_the_nearest(run):
    for call, words in [
        (lambda: run.results("rating", "overal"), "unknown criterion 'overal'; did you mean 'overall'"),
        (lambda: run.results(judge="prob"), "unknown judge 'prob'; did you mean 'probe'"),
        (lambda: run.results("agreement", "geometry"), "unknown criterion"),
        (lambda: run.results("ratings"), "did you mean 'rating'"),
        (lambda: run.verdicts(by="row"), "valid: question, criterion"),
        (lambda: run.verdicts()["judges"], "unknown column 'judges'; did you mean 'judge'"),
        (lambda: run.verdicts().filter(judge="prob"), "did you mean 'probe'"),
        (lambda: mj.Run(run.folders[0], anchor="clea").results(), "did you mean 'clean'"),
        (lambda: mj.Run(run.folders[0], ties="hal"), "did you mean 'half'"),
    ]:
        with pytest.raises(mj.errors.UnknownNameError, match=words):
            call()


def test_a_notebook_shows_every_caveat_of_the_terminal(run, program):
    import html

    printed = subprocess.run([program, "rate", run.folders[0]], capture_output=True, text=True, check=True)
    page = html.unescape(run._repr_html_())
    lines = printed.stdout.splitlines()
    notes = lines[lines.index("notes") + 1 :]
    notes = [line.strip().split(" (")[0].split(": ")[0] for line in notes[: notes.index("")]]
    figures = [line.strip() for line in lines if line.startswith("  ") and line.split(":")[0].strip() in (
        "inconsistent", "left/right bias", "one order only", "lost by a missing asset", "undecided, not counted")]
    unrated = [line.removeprefix("note: ").split(" (")[0] for line in printed.stderr.splitlines() if "decided nothing about" in line or "not rated by" in line]
    assert notes and figures and unrated
    for words in notes + figures + unrated:
        assert words in page, words
    assert "rank_all_low" in page and "does not recognise objects" in page


@pytest.mark.parametrize("extension", ["html", "md", "tex", "svg", "csv", "json", "bib"])
def test_a_report_has_the_format_of_its_name(run, tmp_path, program, extension):
    path = run.report(tmp_path / f"board.{extension}")
    printed = tmp_path / f"printed.{extension}"
    subprocess.run([program, "report", run.folders[0], "--out", printed], check=True, capture_output=True)
    assert path.read_bytes() == printed.read_bytes()


def test_a_report_of_an_unknown_format_is_refused(run, tmp_path):
    with pytest.raises(mj.errors.ArgumentError, match="unknown extension"):
        run.report(tmp_path / "board.docx")
    assert not list(tmp_path.iterdir())


def test_a_run_gives_all_that_the_command_line_prints(run, program):
    done = subprocess.run([program, "rate", run.folders[0], "--diagnose", "--json"], capture_output=True, text=True, check=True)
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = {row["kind"] for row in printed}
    assert len(kinds) > 3
    for kind in kinds:
        rows, table = [row for row in printed if row["kind"] == kind], run.results(kind, diagnose=True)
        assert len(table) == len(rows) and all(table[name] == [row[name] for row in rows] for name in {*table.columns} & {name for name, cell in rows[0].items() if not isinstance(cell, dict)})
    assert len(run.results("diagnosis")) == 0


def test_a_folder_of_shards_is_one_run(bench, tmp_path, program):
    _, folder = bench
    (tmp_path / "bench.toml").write_text(
        f"""
name = "shards"
prompts = [{", ".join(f'{{ id = "{name}", prompt = "{name}" }}' for name in ["mug", "vase", "rocket", "drum"])}]
generators = [{", ".join(f"{{ name = '{name}', path = '{folder}/{name}/{{prompt_id}}.glb' }}" for name in ["clean", "broken"])}]
[pictures]
size_px = 48
"""
    )
    command = [program, "bench", tmp_path / "bench.toml", "--quiet", "--run"]
    for number in (1, 2):
        subprocess.run([*command, tmp_path / "all", "--shard", f"{number}/2"], check=True, capture_output=True)
    subprocess.run([*command, tmp_path / "one"], check=True, capture_output=True)
    whole = mj.Run(tmp_path / "all")
    assert [one.name for one in whole.folders] == ["shard-1-of-2", "shard-2-of-2"]
    assert whole.results().to_dict() == mj.Run(tmp_path / "one").results().to_dict()
    assert whole.report() == tmp_path / "all" / "report.html"
    shutil.rmtree(tmp_path / "all" / "shard-2-of-2")
    with pytest.warns(UserWarning, match="shard-2-of-2"):
        mj.Run(tmp_path / "all")


def test_tables_are_frames_without_pyarrow(run):
    table = run.results()
    frame = polars.DataFrame(table)
    assert frame.columns == table.columns and frame.to_dict(as_series=False) == table.to_dict()
    assert frame.schema["rating"] == polars.Float64 and frame.schema["games"] == polars.Int64
    assert list(pandas.DataFrame(table.to_dict()).columns) == table.columns
    assert len(table) == len(table.to_dicts()) and table.to_dicts()[0]["method"] == table["method"][0]
    assert polars.DataFrame(run.verdicts())["outcome"].len() == len(run.verdicts())
    assert table.to_pandas().equals(pandas.DataFrame(table)) and table.to_polars().equals(frame)


def test_tables_are_indexed_printed_and_pickled(run):
    table = run.results("rating", "geometry_details", "probe")
    assert list(table) == table.to_dicts() and table[0] == table.to_dicts()[0] == table[-len(table)]
    assert table[0, "method"] == table["method"][0] and len(table[1:]) == len(table) - 1
    assert [line.split()[3] for line in str(table).splitlines()[1:4]] == table["method"]
    with pytest.raises(IndexError):
        table[len(table)]
    for one in (table, run.verdicts()):
        again = pickle.loads(pickle.dumps(one))
        assert again.to_dict() == one.to_dict() and again.notes == one.notes


def test_cells_are_structures_and_times(run):
    rows = run.verdicts().filter(judge="probe", outcome="verdict")
    assert rows["verdict"][0]["overall"] in ("a", "b", "tie") and len(rows["pictures"][0][0]) == 64
    now = datetime.datetime.now(datetime.timezone.utc)
    assert abs(rows["asked_at"][0] - now) < datetime.timedelta(hours=1)
    frame = polars.DataFrame(rows)
    assert frame.schema["asked_at"] == polars.Datetime("us", "UTC") and frame["asked_at"].to_list() == rows["asked_at"]


def test_a_run_shows_its_boards(run):
    page = run._repr_html_()
    assert page.count("<table>") >= 2 and "clean" in page
    assert run.verdicts()["id"][0] not in run.verdicts()._repr_html_()  # cut
    board = run.results("rating", "geometry_details", "probe")
    html = board._repr_html_()
    # Beside its ends, where a narrow page shows it; what bounds a rating stands before it.
    assert "<th>high</th><th>95 %</th>" in html and "<th>bound</th>" not in html
    assert [html.count(sign) for sign in "≥≤"] == [board["bound"].count(bound) for bound in ("at_least", "at_most")] != [0, 0]


@pytest.mark.parametrize(
    "source, error, words",
    [
        ({"name": "x", "generator": []}, mj.errors.BenchError, "generator"),
        ({"name": "x", "anchor": None}, mj.errors.BenchError, "None"),
        ({"name": "x", "prompts": ["a"], "generators": [{"name": "g", "path": "g"}]}, mj.errors.BenchError, "two generators"),
        ("none.toml", mj.errors.BenchError, "none.toml"),
    ],
)
def test_benchmarks_that_cannot_be_run(tmp_path, source, error, words):
    with pytest.raises(error, match=words):
        mj.bench(source, folder=tmp_path, run=tmp_path / "run")


def test_methods_are_dicts_folders_and_functions(chair, tmp_path):
    """Assets, meshes, paths and what a function makes; the function is called again only if it has changed."""
    (tmp_path / "old").mkdir()
    for name in ("chair", "a mug"):
        mj.damage(mj.objects.load(name.split()[-1]), "holes", 1.0).save(tmp_path / "old" / f"{name}.glb")
    texts, calls = {"chair": "a wooden chair", "a mug": "a mug"}, []

    def make(prompt):
        calls.append(prompt)
        return mj.objects.load(prompt.split()[-1])

    make.settings = "1"
    methods = {"ours": {"chair": chair, "a mug": mj.objects.load("mug").to_trimesh()}, "old": tmp_path / "old", "made": make}
    for _ in range(2):
        run = mj.bench(methods, prompts=texts, run=tmp_path / "run", renderer=mj.Renderer(size=48))
    assert calls == ["a wooden chair", "a mug"]
    assert run.results("rating", "geometry_details")["method"][-1] == "old" and set(run.verdicts()["prompt"]) == set(texts.values())
    make.settings = "2"
    assert len(mj.bench({"x": make, "old": tmp_path / "old"}, run=tmp_path / "names", prompts=texts).results()) > 0 and len(calls) == 4
    assert set(mj.bench({"x": make, "y": make}, run=tmp_path / "list", prompts=["a mug"], renderer=mj.Renderer(size=16)).verdicts()["prompt"]) == {"a mug"}


def test_each_asset_of_a_function_is_kept_as_soon_as_it_is_made(tmp_path):
    """The function counts, is interrupted, and is edited only in its docstring."""
    names = ["chair", "mug", "vase"]
    calls, rng = [], random.Random(0)

    def ours(text):
        """Makes."""
        calls.append(text)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return mj.damage(mj.objects.load(text), "holes", rng.uniform(0.1, 0.2))

    methods = {"ours": ours, "theirs": {name: mj.objects.load(name) for name in names}}
    bench = functools.partial(mj.bench, methods, prompts=names, run=tmp_path, renderer=mj.Renderer(size=16))
    with pytest.raises(KeyboardInterrupt):
        bench()
    assert len(list((tmp_path / "given" / "ours").glob("*.glb"))) == 2
    bench()
    assert calls == [*names, "vase"]
    ours.__code__ = ours.__code__.replace(co_consts=("Makes one.", *ours.__code__.co_consts[1:]))
    bench()
    assert len(calls) == 4
    ours.factor = 2
    with pytest.warns(UserWarning, match=r"the generator ours has changed since it made 3 .*\(factor\).*kept, because reuse"):
        bench(reuse=[tmp_path])
    bench()
    assert len(calls) == 4
    ours.version = "1"
    with pytest.warns(UserWarning, match="they are made again; reuse="):
        bench()
    ours.factor = 3
    bench()
    assert len(calls) == 7


def test_the_exception_of_a_generator_is_its_reason(tmp_path):
    def theirs(text):
        raise RuntimeError("CUDA out of memory")

    methods = {"ours": {"mug": mj.objects.load("mug")}, "theirs": theirs}
    with pytest.warns(UserWarning, match="CUDA out of memory"):
        run = mj.bench(methods, run=tmp_path, renderer=mj.Renderer(size=16))
    assert [missing["reason"] for missing in run.summary["missing_assets"]] == ["RuntimeError: CUDA out of memory"]
    assert "CUDA out of memory" in run.report().read_text() and "CUDA out of memory" in str(run.verdicts()["reason"])


@pytest.mark.filterwarnings("ignore:the photo")
def test_files_next_to_assets_are_no_prompts_and_a_name_of_a_picture_is_a_photo(root, chair, tmp_path):
    for method in ("ours", "theirs"):
        (tmp_path / method).mkdir()
        chair.save(tmp_path / method / "chair.glb")
        for other in (".DS_Store", "log.txt"):
            (tmp_path / method / other).touch()
    methods = {"ours": tmp_path / "ours", "theirs": tmp_path / "theirs"}
    run = mj.bench(methods, run=tmp_path / "run", renderer=mj.Renderer(size=16))
    assert set(run.verdicts()["prompt"]) == {"chair"}
    photo = str(root / "assets" / "demo" / "photo.png")
    run = mj.bench(methods, prompts={"chair": photo}, fronts="common", form="separate", run=tmp_path / "photos", renderer=mj.Renderer(size=16, up="+z", front="-y"))
    assert {len(photos) for photos in run.verdicts()["photos"]} == {1} and set(run.verdicts()["b_yaw_degrees"]) == {0}
    assert len(run.verdicts()[0, "pictures"]) > 4
    run = mj.bench(methods, run=tmp_path / "other", renderer=mj.Renderer(size=16, elevation=20))
    assert "elevation_degrees = 20" in (tmp_path / "other" / "run.toml").read_text()
    for method in methods:
        (tmp_path / "out" / method / "chair").mkdir(parents=True)
        chair.save(tmp_path / "out" / method / "chair" / "mesh.glb")
    shutil.copy(photo, tmp_path / "out" / "ours" / "chair" / "input.png")
    with pytest.warns(UserWarning, match='input.png is used as the photo of "chair"'):
        run = mj.bench(tmp_path / "out", run=tmp_path / "folder", renderer=mj.Renderer(size=16))
    assert {len(photos) for photos in run.verdicts()["photos"]} == {1}
    mixed = {name: {"a": chair, "b": chair} for name in methods}
    with pytest.raises(mj.errors.BenchError, match='prompt "b" has no `image`, and prompt "a" has no `text`'):
        mj.bench(mixed, prompts={"a": photo, "b": "a chair"}, run=tmp_path / "mixed")


@pytest.mark.filterwarnings("ignore:the photo")
def test_pairs_of_a_frame_are_asked_together_with_their_photos(root, chair, holed, tmp_path):
    demo, running, most = root / "assets" / "demo", [], []

    @mj.judge(version="1")
    def slow(question):
        running.append(1)
        most.append(len(running))
        time.sleep(0.1)
        running.pop()
        return dict.fromkeys(question.criteria, "left" if question.photo is None else "right")

    rows = [
        {"a": chair, "b": holed, "prompt": "a chair"},
        {"a": chair, "b": holed, "photo": demo / "photo.png", "mask": demo / "mask.png"},
        {"a": holed, "b": chair, "prompt": "a chair"},
        {"a": chair, "b": holed, "prompt": "a chair"},
    ]
    options = {"judge": slow, "concurrency": 8, "renderer": mj.Renderer(size=16), "run": tmp_path}
    found = mj.compare_many(pandas.DataFrame(rows), **options)
    assert max(most) > 2
    assert [one.findings[0]["criteria"].get("overall", {}).get("a_left") for one in found] == ["a", "b", "a", "a"]
    assert [len(one.verdicts()) for one in found] == [2] * 4 and "geometry_fidelity" in found[1].findings[0]["criteria"]
    assert [one.summary["questions"] for one in found] == [6] * 4 and len(found[0].pictures) == 2
    with ThreadPoolExecutor() as threads:
        shared = list(threads.map(lambda row: mj.compare(row["a"], row["b"], "a chair", **options), (rows[0], rows[2])))
    assert [one.summary["answered_before"] for one in shared] == [2, 2]
    # Of new questions nothing is lost or asked twice.
    before, texts = len(most), [f"chair {number}" for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        shared = list(threads.map(lambda text: mj.compare(chair, holed, text, **options), texts * 2))
    assert len(most) - before == 8 and {one.winner() for one in shared} == {None}
    asked = mj.Run(tmp_path).verdicts()["prompt"]
    assert [asked.count(text) for text in texts] == [2] * 4
    assert mj.compare_many([], run=tmp_path) == []
    with pytest.raises(mj.errors.LoadError, match="none.glb"):
        mj.compare_many([(chair, holed, "x"), (chair, "none.glb", "x")], renderer=mj.Renderer(size=16), run=tmp_path / "kept")
    assert len(mj.Run(tmp_path / "kept").verdicts()) == 2


def test_words_that_no_row_has(run):
    rows = run.verdicts(by="criterion").filter(criterion="overall", judge="python:left")
    assert len(rows.filter(winner="tie")) == 0 and len(run.results().filter(games=99)) == 0
    games = {"a": ["x", "x"], "b": ["y", "y"], "winner": ["a", "b"]}
    assert mj.rate(games).to_pandas().dtypes["low"] == "float64"


def test_a_folder_and_pairs_are_benchmarks(chair, holed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for method, asset in (("ours", chair), ("old", holed)):
        (tmp_path / "out" / method).mkdir(parents=True)
        asset.save(tmp_path / "out" / method / "chair.glb")
    assert mj.bench("out", run="run", renderer=mj.Renderer(size=48)).results("rating", "geometry_details")["method"] == ["ours", "old"]
    rows = [{"a": chair, "b": holed, "prompt": "a chair"}, {"a": holed, "b": chair, "prompt": "a chair"}]
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    for pairs in (rows, [tuple(row.values()) for row in rows], columns, pandas.DataFrame(rows)):
        found = mj.compare_many(pairs, renderer=mj.Renderer(size=48), run="pairs")
        assert [one.winner("geometry_details") for one in found] == ["a", "b"]


def test_what_is_no_method_or_pair_is_said(chair, tmp_path):
    for source, words in (({"x": tmp_path / "none"}, "there is none"), ({"x": 3}, "not int"), ({"x": {"mugs": chair}}, "mugs")):
        with pytest.raises(mj.errors.ArgumentError, match=words):
            mj.bench(source, prompts=["a mug"], run=tmp_path / "run")
    with pytest.raises(mj.errors.UnknownNameError, match="did you mean 'a'"):
        mj.compare_many(polars.LazyFrame({"a": ["x.glb"], "b": ["y.glb"]}), a="aa")


def test_boards_are_plotted(run):
    pytest.importorskip("matplotlib").use("agg")
    ax = run.results("rating", "geometry_details", "probe").plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["broken", "worn", "clean"]


def test_what_is_no_run_is_said(tmp_path):
    with pytest.raises(mj.errors.RunError):
        mj.Run(tmp_path / "none")


def test_functions_are_models_of_features(chair, holed, tmp_path):
    network = {"rig": "ring", "views": 2, "size_px": 32, "source": "python"}
    entries = [
        {"name": "mean", "input": "rgb", **network},
        {"name": "difference", "input": "rgb", "against": "made/{prompt_id}.glb", **network},
        {"name": "words", "input": "rgb", "against": "text", "template": "a {prompt}", **network},
        {"name": "text", "input": "text", "source": "python"},
        {"name": "center", "input": "points", "points": 50, "source": "python"},
    ]
    scores = [
        {"name": "difference", "of": "difference", "formula": "value", "better": "lower"},
        {"name": "words", "of": "words", "formula": "value", "better": "higher"},
    ]
    seen = []

    def mean(pictures):
        seen.append(len(pictures))
        return [picture.reshape(-1, 3).mean(0) for picture in pictures]

    # The list that it uses is no setting, although it changes.
    mean.settings = "mean"

    def difference(views, others):
        return numpy.array([abs(v.astype(float) - o).mean() for v, o in zip(views, others, strict=True)])

    def words(views, texts):
        assert all(isinstance(text, str) and text.startswith("a ") for text in texts)
        return [float(len(text)) for text in texts]

    def text(texts):
        return [[len(text), ord(text[-1])] for text in texts]

    def center(clouds):
        assert clouds[0].shape == (50, 6) and clouds[0].dtype == numpy.float32
        return numpy.stack([abs(cloud).mean(0) for cloud in clouds])

    (tmp_path / "made").mkdir()
    chair.save(tmp_path / "made" / "seat.glb")
    holed.save(tmp_path / "holed.glb")
    bench = {
        "name": "functions", "prompts": [{"id": "seat", "text": "chair"}], "rubrics": ["pairwise"], "pictures": {"size_px": 32, "views": 1},
        "generators": [{"name": "whole", "path": "made/seat.glb"}, {"name": "holed", "path": "holed.glb"}],
        "features": entries, "scores": scores,
    }  # fmt: skip
    functions = {"mean": mean, "difference": difference, "words": words, "text": text, "center": center}
    calls = []
    run = mj.bench(bench, folder=tmp_path, run=tmp_path / "run", features=functions, progress=calls.append)
    assert seen == [2, 1, 4]
    computing = [now for now in calls if "computing" in now]
    assert {"name": "mean", "done": 2, "total": 2} in [now["computing"] for now in computing]
    assert all(now["done"] == now["total"] for now in computing)
    rows, array = run.vectors("difference")
    found = dict(zip(rows["method"], array[:, 0], strict=True))
    assert found["whole"] == 0 and found["holed"] > 0 and array.shape == (4, 1)
    assert mj.Run(tmp_path / "run").vectors("mean")[1].shape == (4, 3)
    assert run.vectors("words")[1].tolist() == [[7.0]] * 4
    assert run.vectors("text")[0]["method"] == [""]
    for name, read in (("vectors.parquet", polars.read_parquet), ("vectors.jsonl", polars.read_ndjson)):
        subprocess.run([sys.executable, "-m", "meshjudge", "export", tmp_path / "run", "--vectors", "mean", "--out", tmp_path / name], check=True)
        exported = read(tmp_path / name)
        exported = exported.with_columns(polars.col("vector").cast(polars.List(polars.Float32)))
        assert exported["vector"].to_list() == run.vectors("mean")[1].tolist()
    frame = polars.DataFrame(rows | {"vector": array})
    assert frame.filter(polars.col("method") == "holed").height == 2

    # Nothing is computed again, and another function under that name is another model.
    mj.bench(bench, folder=tmp_path, run=tmp_path / "run", features=functions)
    assert seen == [2, 1, 4, 2, 1]
    other = bench | {"features": [entry | ({"views": 1} if entry["name"] == "mean" else {}) for entry in entries]}
    mj.bench(other, folder=tmp_path, run=tmp_path / "run", features=functions)
    assert run.vectors("mean")[1].shape == (2, 3)
    with pytest.raises(mj.MeshjudgeError, match="is a Python function"):
        mj.bench(bench, folder=tmp_path, run=tmp_path / "run")
    with pytest.raises(mj.MeshjudgeError, match="the name other"):
        mj.bench(bench, folder=tmp_path, run=tmp_path / "run", features=functions | {"other": mean})
    with pytest.raises(mj.MeshjudgeError, match="failed.*no such thing"):

        def broken(pictures):
            raise LookupError("no such thing")

        mj.bench(bench, folder=tmp_path, run=tmp_path / "run2", features=functions | {"mean": broken})
    with pytest.raises(mj.errors.RunError, match="no vectors of a feature 'nothing'"):
        run.vectors("nothing")
