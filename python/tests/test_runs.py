"""Games → ratings, benchmarks → runs, tables → frames."""

import json
import math
import random
import shutil
import subprocess

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


KINDS = [dict, pandas.DataFrame, polars.DataFrame, lambda games: ArrowOnly(polars.DataFrame(games)), categories, with_missing]


@pytest.mark.parametrize("kind", KINDS)
def test_any_table_of_games_is_rated(kind):
    board = mj.rate(kind(GAMES))
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
    assert width(board) < 0.9 * width(alone)
    (fair,) = mj.judge_worth(games).to_dicts()
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
    effects = mj.control_effects(polars.DataFrame(constant), ["log:faces", "same"])
    assert effects["low"][0] > 100 and effects["refused"] == [None, "the same for both assets of every game"]


@pytest.mark.parametrize(
    "games, options, words",
    [
        ({"a": [], "b": [], "winner": []}, {}, "no games"),
        ({"a": ["x"], "b": ["y"]}, {}, "no column 'winner'"),
        ({"a": ["x"], "b": ["y"], "winner": ["x"]}, {}, "'a', 'b' or 'tie'"),
        ({"a": ["x"], "b": ["y"], "winner": ["a", "b"]}, {}, "length"),
        (GAMES, {"anchor": "w"}, "anchor"),
        (GAMES, {"prior": False}, "infinite"),
        (12, {}, "dict of columns"),
        ([{"a": "x", "b": "y", "winner": "a"}], {}, "dict of columns"),
        (GAMES, {"anchor": "people"}, "no column 'judge'"),
        (GAMES | {"judge": ["model"] * 6}, {"anchor": "people"}, "nobody voted"),
        (GAMES | {"judge": ["people"] * 6}, {"anchor": "people"}, "no judge has a board"),
        (GAMES | {"judge": ["people"] * 6}, {"anchor": "people", "control": "x"}, "cannot be combined"),
        (GAMES, {"control": "faces"}, "no column 'faces_a'"),
        (GAMES | {"n_a": [1] * 6, "n_b": [1] * 6}, {"control": ["n"]}, "n: the same"),
    ],
)
def test_games_that_cannot_be_rated(games, options, words):
    with pytest.raises(mj.RateError, match=words.replace("'", ".")):
        mj.rate(games, **options)


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
    def left(question):
        return dict.fromkeys(question.criteria, "left")

    file, folder = bench
    told = []
    made = mj.bench(file, folder=folder, run=folder / "run", judge=["probe", left], progress=told.append)
    assert told[-1]["done"] > 0
    return made


def test_a_benchmark_becomes_boards(run):
    board = run.leaderboard("geometry_details", "probe")
    assert board["method"] == ["clean", "worn", "broken"]
    assert board["rating"] == sorted(board["rating"], reverse=True)
    assert set(run.leaderboard()["judge"]) == {"probe", "python:left"}
    [missing] = run.summary["missing_assets"]
    assert missing["method"] == "broken" and "reason" in missing
    assert run.outcomes["verdict"] > 0
    assert "forfeit" in run.verdicts()["outcome"]
    assert len(run.agreement("overall")) >= 0 and "kappa" in run.agreement().columns
    assert set(run.verdicts()["judge"]) == {"probe", "python:left", "rule"}


def test_a_benchmark_is_resumed_and_read_again(run, bench):
    file, folder = bench

    def left(question):
        raise AssertionError("it was asked before")

    again = mj.bench(file, folder=folder, run=folder / "run", judge=["probe", left])
    assert again.summary["answered_before"] == again.summary["questions"] > 0
    read = mj.Run(folder / "run")
    assert read.leaderboard().to_dict() == run.leaderboard().to_dict()
    assert mj.Run([folder / "run"], anchor="worn", bootstraps=0).leaderboard()["low"][0] is None
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
    assert run.leaderboard("overall")["ties"] == [1, 1]


def test_a_run_without_verdicts_says_what_became_of_its_questions(bench, tmp_path):
    file, folder = bench
    refused = mj.bench(file, folder=folder, run=tmp_path / "run", judge=lambda question: None)
    assert refused.outcomes["refusal"] > 0
    with pytest.raises(mj.RunError, match="refusal"):
        refused.leaderboard()


def test_verdicts_are_games_again(run):
    rows = run.verdicts(by="criterion")
    frame = polars.DataFrame(rows).filter(
        (polars.col("judge") == "probe") & (polars.col("criterion") == "geometry_details") & (polars.col("order") == "ab")
    )
    assert mj.rate(frame, prompt="prompt_id")["method"] == ["clean", "worn", "broken"]


def test_a_run_gives_all_that_the_command_line_prints(run, program):
    done = subprocess.run([program, "rate", run.folders[0], "--diagnose", "--json"], capture_output=True, text=True, check=True)
    assert run.results(diagnose=True) == [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["kind"] for row in run.results("diagnosis", diagnose=True)} == {"diagnosis"}
    assert run.results("diagnosis") == []


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
    assert whole.leaderboard().to_dict() == mj.Run(tmp_path / "one").leaderboard().to_dict()
    assert whole.report() == tmp_path / "all" / "report.html"
    shutil.rmtree(tmp_path / "all" / "shard-2-of-2")
    with pytest.warns(UserWarning, match="shard-2-of-2"):
        mj.Run(tmp_path / "all")


def test_tables_are_frames_without_pyarrow(run):
    table = run.leaderboard()
    frame = polars.DataFrame(table)
    assert frame.columns == table.columns and frame.to_dict(as_series=False) == table.to_dict()
    assert frame.schema["rating"] == polars.Float64 and frame.schema["games"] == polars.Int64
    assert list(pandas.DataFrame(table.to_dict()).columns) == table.columns
    assert len(table) == len(table.to_dicts()) and table.to_dicts()[0]["method"] == table["method"][0]
    assert polars.DataFrame(run.verdicts())["outcome"].len() == len(run.verdicts())
    with pytest.raises(KeyError, match="choose from"):
        table["none"]


def test_a_run_shows_its_boards(run):
    page = run._repr_html_()
    assert page.count("<table>") >= 2 and "clean" in page
    board = run.leaderboard("geometry_details", "probe")
    html = board._repr_html_()
    # Beside its ends, where a narrow page shows it; what bounds a rating stands before it.
    assert "<th>high</th><th>95 %</th>" in html and "<th>bound</th>" not in html
    assert [html.count(sign) for sign in "≥≤"] == [board["bound"].count(bound) for bound in ("at_least", "at_most")] != [0, 0]


@pytest.mark.parametrize(
    "source, error, words",
    [
        ({"name": "x", "generator": []}, mj.BenchError, "generator"),
        ({"name": "x", "anchor": None}, mj.BenchError, "None"),
        ({"name": "x", "prompts": ["a"], "generators": [{"name": "g", "path": "g"}]}, mj.BenchError, "two generators"),
        ("none.toml", mj.BenchError, "none.toml"),
    ],
)
def test_benchmarks_that_cannot_be_run(tmp_path, source, error, words):
    with pytest.raises(error, match=words):
        mj.bench(source, folder=tmp_path, run=tmp_path / "run")


def test_what_is_no_run_is_said(tmp_path):
    with pytest.raises(mj.RunError):
        mj.Run(tmp_path / "none")
