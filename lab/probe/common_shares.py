"""Asks a program about every pair of common_damage.py, and counts right, wrong, undecided and tie by kind.

    python lab/probe/common_damage.py ASSETS PAIRS
    python lab/probe/common_shares.py MESHJUDGE PAIRS OUT.jsonl

Right: a criterion of the kind names the undamaged asset, and none the damaged one. Wrong: one names the damaged one.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

GEOMETRY = "relief back_is_front blobby stairs webbed cut_limb swollen lumpy spikes crumbs torn slab twisted".split()
OUTCOMES = ["right", "wrong", "undecided", "tie", "error"]


def outcome(program, folder, kind):
    with tempfile.TemporaryDirectory() as run:
        command = [program, "compare", folder / "ref.glb", folder / "bad.glb", "--prompt", "an object", "--judge", "probe", "--json", "--run", f"{run}/r"]
        lines = subprocess.run(command, capture_output=True, text=True, timeout=300).stdout.splitlines()
    rows = [json.loads(line) for line in lines if line.startswith("{")]
    verdicts = [row["verdict"] for row in rows if "verdict" in row and row.get("order") == "ab"]
    if not verdicts:
        return "error"
    undecided = verdicts[0].get("undecided", [])
    criteria = ["plausibility", "geometry_details"] if kind in GEOMETRY else ["texture_details"]
    said = ["undecided" if it in undecided else verdicts[0].get(it) for it in criteria]
    return "wrong" if "b" in said else "right" if "a" in said else "tie" if set(said) == {"tie"} else "undecided"


def main(program, pairs, out):
    counts = collections.defaultdict(collections.Counter)
    with open(out, "w") as file:
        for bad in sorted(pathlib.Path(pairs).glob("*/*/bad.glb")):
            kind = bad.parts[-3]
            found = outcome(program, bad.parent, kind)
            file.write(json.dumps([kind, bad.parts[-2], found]) + "\n")
            for group in [kind, "geometry" if kind in GEOMETRY else "texture"]:
                counts[group][found] += 1
    for kind, count in sorted(counts.items()):
        print(f"| {kind} | {' | '.join(str(count[it]) for it in OUTCOMES)} |")


main(*sys.argv[1:])
