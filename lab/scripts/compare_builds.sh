#!/usr/bin/env bash
# Compares two builds of the program byte by byte: pictures of a folder of assets, the demo benchmark, exports and reports of a run that
# the old build made, and whether the new build resumes the old one's runs without asking anything.
# usage: lab/scripts/compare_builds.sh OLD NEW MODELS   (from the repository's root; exits 1 where anything differs)
set -euo pipefail
old=$(realpath "$1") new=$(realpath "$2") models=$(realpath "$3") demo=$(realpath assets/demo)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir assets && cp -r "$demo" assets/demo
failed=0
same() { if cmp -s "$1" "$2"; then echo "same     $3"; else echo "DIFFERS  $3"; failed=1; fi; }

mapfile -t assets < <(find "$models" -type f \( -name '*.glb' -o -name '*.gltf' -o -name '*.obj' -o -name '*.ply' -o -name '*.stl' \) | sort)
for build in old new; do
  "${!build}" render "${assets[@]}" --out "pictures-$build" --size 192 --channels rgb,normal,matte,depth,mask --renderer cpu --quiet >/dev/null || true
  (cd "pictures-$build" && find . -name '*.png' -exec sha256sum {} + | sort -k 2) >"pictures-$build.txt"
done
same pictures-old.txt pictures-new.txt "$(wc -l <pictures-old.txt) pictures of ${#assets[@]} assets"

"$old" bench assets/demo/bench.toml --run run --renderer cpu >bench-old.txt 2>/dev/null
cp -r run resumed
"$new" bench assets/demo/bench.toml --run resumed --renderer cpu 2>resumed.err | sed 's/resumed/run/g' >bench-resumed.txt
same bench-old.txt bench-resumed.txt "the demo's board, resumed"
grep -q '48 of 48 questions were answered before' resumed.err || { echo "DIFFERS  questions were asked again"; failed=1; }
"$new" bench assets/demo/bench.toml --run fresh --renderer cpu 2>/dev/null | sed 's/fresh/run/g' >bench-new.txt
same bench-old.txt bench-new.txt "the demo's board, from nothing"
for format in jsonl csv parquet; do
  for build in old new; do "${!build}" export run --format "$format" --out "rows-$build.$format" >/dev/null; done
  same "rows-old.$format" "rows-new.$format" "export --format $format"
done
for form in json md html; do
  for build in old new; do "${!build}" report run --out "page-$build.$form" >/dev/null; done
  same "page-old.$form" "page-new.$form" "report .$form"
done
compare=(compare assets/demo/chair_clean.glb assets/demo/chair_damaged.glb --prompt "a wooden chair" --renderer cpu)
score=(score assets/demo/chair_clean.glb --rubric reconstruction --image assets/demo/photo.png --mask assets/demo/mask.png --renderer cpu)
for command in compare score; do
  args="$command[@]"
  "$old" "${!args}" >"$command-old.txt" 2>/dev/null
  "$new" "${!args}" >"$command-new.txt" 2>/dev/null
  same "$command-old.txt" "$command-new.txt" "$command, resumed"
done
[ "$(find runs -mindepth 1 -maxdepth 1 | wc -l)" = 2 ] || { echo "DIFFERS  a run was begun anew"; failed=1; }
exit $failed
