// Blind voting: one pair at a time, one point after another. The page knows ids that mean nothing, and never who made what.
import { PairView, hasWebGL } from "/static/view3d.js";

const at = (id) => document.getElementById(id);
const NAME = "meshjudge-rater";
let rater = "";
let view = null;
let turn = null; // what is on the screen: { shown, choices, step, since }
let past = []; // earlier turns of this visit, for going back
let isBusy = false;

const post = async (path, body) => {
  const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
};
const fail = (error) => { at("error").textContent = error ? error.message : ""; at("error").hidden = !error; };

const showObjects = async (shown) => {
  const sheet = at("sheet");
  sheet.hidden = true;
  if (shown.sheet) sheet.src = `/picture/${shown.sheet}`;
  at("trouble").hidden = true;
  at("flip").hidden = !shown.sheet || !view;
  at("flip").textContent = "Show the judges’ picture";
  at("objects").hidden = !view;
  at("reset").hidden = !view;
  let reason = view ? "" : "3D needs WebGL, which this browser lacks; here is the picture that judges saw.";
  if (view) {
    try { await view.show([`/asset/${shown.left}`, `/asset/${shown.right}`]); } catch (error) { reason = `No 3D view: ${error.message}.`; }
    if (!turn || turn.shown.pair !== shown.pair) return;
  }
  if (reason) {
    at("objects").hidden = true;
    at("reset").hidden = true;
    at("flip").hidden = true;
    sheet.hidden = !shown.sheet;
    at("trouble").textContent = shown.sheet ? reason : `${reason} There is no picture either; say “cannot decide”.`;
    at("trouble").hidden = false;
  }
};

const showStep = () => {
  const { shown, step, choices } = turn;
  const point = shown.criteria[step];
  at("title").textContent = point.title;
  at("description").textContent = point.description;
  at("steps").replaceChildren(...shown.criteria.map((criterion, i) => {
    const made = document.createElement("li");
    made.className = i === step ? "now" : choices[criterion.key] ? "done" : "";
    made.title = criterion.title;
    if (i === step) made.setAttribute("aria-current", "step");
    return made;
  }));
  for (const button of at("answers").children) button.classList.toggle("chosen", choices[point.key] === button.dataset.choice);
  at("back").disabled = step === 0 && past.length === 0;
};

const showTurn = (next) => {
  turn = next;
  turn.since = performance.now();
  at("prompt").textContent = turn.shown.prompt || "(no text)";
  at("enter").hidden = true;
  at("end").hidden = true;
  at("ballot").hidden = false;
  showStep();
  if (hasWebGL() && !view) { try { view = new PairView([at("left"), at("right")]); } catch { view = null; } }
  showObjects(turn.shown);
};

const advance = async () => {
  const answer = await post("/api/next", { rater });
  at("progress").textContent = `${answer.done} of ${answer.total} pairs, as ${rater}`;
  at("leave").hidden = false;
  if (answer.shown) { showTurn({ shown: answer.shown, choices: {}, step: 0, seconds: 0 }); return; }
  turn = null;
  at("enter").hidden = true;
  at("ballot").hidden = true;
  at("end").hidden = false;
  at("end-words").textContent = answer.total === 0 ? "This run has no pairs to vote on." : `You have voted on all ${answer.total} pairs.`;
  at("end").focus();
};

const choose = async (choice) => {
  if (!turn || isBusy) return;
  const { shown, choices } = turn;
  choices[shown.criteria[turn.step].key] = choice;
  if (turn.step + 1 < shown.criteria.length) { turn.step += 1; showStep(); return; }
  isBusy = true;
  try {
    turn.seconds += (performance.now() - turn.since) / 1000;
    turn.since = performance.now();
    await post("/api/vote", { rater, pair: shown.pair, choices, seconds: turn.seconds });
    fail(null);
    past.push(turn);
    await advance();
  } catch (error) { fail(error); showStep(); } finally { isBusy = false; }
};

const back = () => {
  if (!turn || isBusy) return;
  if (turn.step > 0) { turn.step -= 1; showStep(); return; }
  const earlier = past.pop();
  // Its vote stands until the last point is answered again, then the new one takes its place.
  if (earlier) { earlier.step = earlier.shown.criteria.length - 1; showTurn(earlier); }
};

at("enter").addEventListener("submit", async (event) => {
  event.preventDefault();
  rater = at("rater").value.trim();
  if (!rater) return;
  try {
    await advance();
    localStorage.setItem(NAME, rater);
    fail(null);
  } catch (error) { fail(error); }
});
at("leave").addEventListener("click", () => { localStorage.removeItem(NAME); location.reload(); });
at("reset").addEventListener("click", () => view && view.reset());
at("flip").addEventListener("click", () => {
  const toSheet = at("sheet").hidden;
  at("sheet").hidden = !toSheet;
  at("objects").hidden = toSheet;
  at("reset").hidden = toSheet;
  at("flip").textContent = toSheet ? "Show in 3D" : "Show the judges’ picture";
});
at("back").addEventListener("click", back);
for (const button of at("answers").children) button.addEventListener("click", () => choose(button.dataset.choice));
const KEYS = { ArrowLeft: "left", ArrowRight: "right", ArrowDown: "tie" };
document.addEventListener("keydown", (event) => {
  if (!turn || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target instanceof HTMLInputElement) return;
  if (KEYS[event.key]) { event.preventDefault(); choose(KEYS[event.key]); }
  if (event.key === "Backspace") { event.preventDefault(); back(); }
});
const known = localStorage.getItem(NAME);
if (known) at("rater").value = known;
