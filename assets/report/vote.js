// Blind voting: one pair at a time, one point after another. The page knows ids that mean nothing, and never who made what.
// On a public server the link identifies the rater: its token follows the #, is sent in a header of each request, and is removed from the address.
import { PairView, Tools, hasWebGL } from "./view3d.js";

const at = (id) => document.getElementById(id);
const NAME = "meshjudge-rater";
const TOKEN = `meshjudge-token ${location.pathname}`;
const TRIES = 6; // 15 s in all: a server that is started again is back by then
const isPublic = document.documentElement.dataset.mode === "public";
if (isPublic && location.hash.length > 1) {
  localStorage.setItem(TOKEN, location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}
const token = isPublic ? localStorage.getItem(TOKEN) : null;
const headers = token ? { authorization: `Bearer ${token}` } : {};
let rater = "";
let consent = null; // a text that is still to be accepted
let view = null;
let tools = null; // of the view
let turn = null; // the pair on the screen: { shown, choices, step, seconds, since, drawn }
// Answers count only while `turn.drawn` has the receipts of the files that are on the screen.
const skipped = []; // pairs that this browser could not show
let past = []; // earlier turns of this visit, for going back
let isBusy = false;
let panes = ["a", "b"]; // on a phone, one or two of a, b and photo

const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));
// A server that is started again, read, or busy is asked again: no vote counts twice.
const ask = async (path, options = {}) => {
  for (let tried = 1; ; tried += 1) {
    let response = null;
    try { response = await fetch(path, { ...options, headers: { ...headers, ...options.headers } }); } catch (error) { if (tried === TRIES) throw new Error("The server cannot be reached. Check your network. Your answers so far are kept."); }
    const isLater = response === null || [409, 429, 502, 503, 504].includes(response.status);
    if (response && (!isLater || tried === TRIES)) return response;
    const wait = response ? Number(response.headers.get("retry-after")) : 0;
    await pause(Math.max(wait || 0, 0.25 * 2 ** tried));
  }
};
const post = async (path, body) => {
  const response = await ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (response.ok) return response.json();
  const error = new Error(await response.text());
  error.status = response.status;
  throw error;
};
const who = () => (isPublic ? {} : { rater });
const fail = (error) => { at("error").textContent = error ? error.message : ""; at("error").hidden = !error; };

// A picture of the ballot, ready to be drawn, with the receipt of its file.
const picture = async (id) => {
  const response = await ask(`picture/${id}`);
  if (!response.ok) throw new Error(await response.text());
  const image = new Image();
  image.src = URL.createObjectURL(await response.blob());
  await image.decode();
  return { src: image.src, receipt: response.headers.get("meshjudge-receipt") };
};

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
const loading = (here, all) => { at("loading").textContent = here ? `Loading … ${megabytes(here)}${all ? ` of ${megabytes(all)}` : ""} MB` : "Loading …"; };

// Nothing of another pair stays on the screen, and nothing can be answered until this one is drawn.
const setDrawn = (receipts) => {
  turn.drawn = receipts;
  turn.since = performance.now();
  at("ballot").setAttribute("aria-busy", String(!receipts));
  at("loading").hidden = Boolean(receipts);
  for (const button of at("answers").children) button.disabled = !receipts;
};
const setSheet = (isShown) => {
  at("sheet").hidden = !isShown;
  at("objects").hidden = isShown;
  if (tools) tools.box.hidden = isShown;
  at("flip").textContent = isShown ? "Show in 3D" : "Show the judges’ picture";
};
const putSheet = ({ src, receipt }) => {
  URL.revokeObjectURL(at("sheet").src);
  at("sheet").src = src;
  return receipt;
};

let calls = 0; // of showObjects: what an earlier one still loads is dropped
const showObjects = async () => {
  calls += 1;
  const mine = calls;
  const isOld = () => mine !== calls;
  const { shown } = turn;
  setDrawn(null);
  loading(0);
  setSheet(false);
  view?.clear();
  at("trouble").hidden = at("flip").hidden = true;
  showPhotos([]);
  const photos = Promise.all(shown.photos.map(({ id }) => picture(id))).then((drawn) => {
    if (!isOld()) showPhotos(shown.photos.map(({ side }, i) => ({ side, src: drawn[i].src })));
    return drawn.map((photo) => photo.receipt);
  });
  const sheet = shown.sheet ? picture(shown.sheet) : Promise.reject(new Error("there is no picture of it either"));
  // Their failures are reported where they are waited for.
  for (const promise of [photos, sheet]) promise.catch(() => {});
  let reason = view ? "" : "3D needs WebGL, which this browser lacks";
  try {
    let receipts = null;
    try {
      if (view) receipts = (await view.show([shown.left, shown.right].filter(Boolean).map((id) => `asset/${id}`), ask, loading))?.map((object) => object.receipt);
    } catch (error) { reason = error.message; }
    if (isOld()) return;
    const found = receipts ? null : await sheet;
    const others = await photos;
    if (isOld()) return;
    const all = [...(receipts || [putSheet(found)]), ...others];
    if (reason) setSheet(true);
    setDrawn(all);
  } catch (error) {
    if (isOld()) return;
    view?.clear();
    at("loading").hidden = true;
    reason = reason ? `${reason}, and ${error.message}` : error.message;
  }
  if (reason) {
    at("reason").textContent = turn.drawn ? `No 3D view: ${reason}. Here is the picture that judges saw.` : `This pair cannot be shown, so it takes no answer: ${reason}.`;
    at("unable").hidden = Boolean(turn.drawn);
    at("trouble").hidden = false;
    return;
  }
  try {
    const found = await sheet;
    if (isOld()) return;
    putSheet(found);
    at("flip").hidden = false;
  } catch { /* Without the picture there is no button for it. */ }
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
  for (const button of at("answers").children) button.setAttribute("aria-pressed", String(choices[point.key] === button.dataset.choice));
  at("back").disabled = step === 0 && past.length === 0;
};

// Above the objects, each enlarged when it is pressed; on a phone also in the place of an object.
const showPhotos = (photos) => {
  for (const image of document.querySelectorAll(".photo img")) URL.revokeObjectURL(image.src);
  const made = () => photos.map(({ src, side }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "photo";
    button.setAttribute("aria-pressed", "false");
    const image = document.createElement("img");
    image.alt = side ? `The photo that both were made from, ${side}` : "The photo that both were made from";
    image.src = src;
    button.append(image, side);
    return button;
  });
  at("photos").replaceChildren(...made());
  at("pane-photo").replaceChildren(...made());
  at("photos").hidden = at("panes").hidden = photos.length === 0;
  panes = turn.shown.right ? ["a", "b"] : ["a"];
  showPanes();
};

const showPanes = () => {
  for (const tab of at("panes").children) {
    const isShown = panes.includes(tab.dataset.pane);
    tab.setAttribute("aria-pressed", String(isShown));
    at(`pane-${tab.dataset.pane}`).classList.toggle("away", !isShown);
  }
  at("objects").classList.toggle("one", panes.length === 1);
};

const showTurn = (next) => {
  turn = next;
  const { prompt, photos } = turn.shown;
  at("prompt").textContent = prompt || (photos.length ? "" : "(no text)");
  at("prompt").hidden = !prompt && photos.length > 0;
  const these = photos.length > 1 ? "these photos" : "this photo";
  at("source-label").textContent = photos.length ? `Made from ${these}${prompt ? " and text" : ""}` : "Made from the text";
  at("enter").hidden = true;
  at("end").hidden = true;
  at("ballot").hidden = false;
  // One object has a checklist.
  const isPair = Boolean(turn.shown.right);
  at("pane-b").hidden = document.querySelector('#panes [data-pane="b"]').hidden = !isPair;
  for (const button of at("answers").children) button.hidden = isPair === button.hasAttribute("data-item");
  showStep();
  if (hasWebGL() && !view) {
    try {
      view = new PairView([at("left"), at("right")]);
      tools = new Tools(view);
      at("tools").prepend(tools.box);
    } catch { view = null; }
  }
  showObjects();
};

const advance = async () => {
  const answer = await post("api/next", { ...who(), skipped });
  at("progress").textContent = `${answer.done} of ${answer.total} ${answer.shown && !answer.shown.right ? "objects" : "pairs"}${isPublic ? "" : `, as ${rater}`}`;
  at("leave").hidden = isPublic;
  consent = answer.consent;
  at("consent").hidden = !consent;
  if (consent) { at("consent-words").textContent = consent; return; }
  if (answer.shown) { showTurn({ shown: answer.shown, choices: {}, step: 0, seconds: 0 }); return; }
  turn = null;
  at("enter").hidden = true;
  at("ballot").hidden = true;
  at("end").hidden = false;
  const voted = skipped.length ? `You have voted on ${answer.done} of ${answer.total} pairs; this browser could not show the rest.` : `You have voted on all ${answer.total} pairs.`;
  at("end-words").textContent = answer.total === 0 ? "This run has no pairs to vote on." : `${voted}${isPublic ? " You can close this page." : ""}`;
  at("end").focus();
};

const choose = async (choice) => {
  if (!turn?.drawn || isBusy) return;
  const { shown, choices } = turn;
  choices[shown.criteria[turn.step].key] = choice;
  if (turn.step + 1 < shown.criteria.length) { turn.step += 1; showStep(); return; }
  isBusy = true;
  try {
    turn.seconds += (performance.now() - turn.since) / 1000;
    turn.since = performance.now();
    const kept = await post("api/vote", { ...who(), pair: shown.pair, drawn: turn.drawn, choices, seconds: turn.seconds, ticket: shown.ticket });
    shown.ticket = kept.ticket;
    fail(null);
    past.push(turn);
    view?.clear();
    await advance();
  } catch (error) {
    fail(error);
    showStep();
    // Another window answered it meanwhile.
    if (error.status === 412) await advance().catch(fail);
  } finally { isBusy = false; }
};

for (const place of ["photos", "pane-photo"]) {
  at(place).addEventListener("click", (event) => {
    const photo = event.target.closest(".photo");
    if (photo) photo.setAttribute("aria-pressed", String(photo.getAttribute("aria-pressed") !== "true"));
  });
}
// The last two that were asked for; pressing one that is shown leaves the other.
for (const tab of at("panes").children) {
  tab.addEventListener("click", () => {
    const { pane } = tab.dataset;
    if (!panes.includes(pane)) panes = [...panes, pane].slice(-2);
    else if (panes.length > 1) panes = panes.filter((other) => other !== pane);
    showPanes();
  });
}

const back = () => {
  if (!turn || isBusy) return;
  if (turn.step > 0) { turn.step -= 1; showStep(); return; }
  const earlier = past.pop();
  // Its vote is kept until the last question is answered again, then the new one replaces it.
  if (earlier) { earlier.step = earlier.shown.criteria.length - 1; showTurn(earlier); }
};

at("enter").addEventListener("submit", async (event) => {
  event.preventDefault();
  rater = at("rater").value.trim();
  if (!isPublic && !rater) return;
  try {
    if (consent) {
      if (!at("accepts").checked) throw new Error("Please read the text and tick the box below it, or close this page.");
      await post("api/consent", { text: consent });
    }
    await advance();
    if (!isPublic) localStorage.setItem(NAME, rater);
    fail(null);
  } catch (error) { fail(error); }
});
at("leave").addEventListener("click", () => { localStorage.removeItem(NAME); location.reload(); });
at("flip").addEventListener("click", () => setSheet(at("sheet").hidden));
at("again").addEventListener("click", () => showTurn(turn));
at("skip").addEventListener("click", () => { skipped.push(turn.shown.pair); advance().catch(fail); });
at("back").addEventListener("click", back);
for (const button of at("answers").children) button.addEventListener("click", () => choose(button.dataset.choice));
const KEYS = { ArrowLeft: "left", ArrowRight: "right", ArrowDown: "tie", ArrowUp: "bad" };
const ITEM_KEYS = { ArrowLeft: "yes", ArrowRight: "no", ArrowDown: "partly" };
document.addEventListener("keydown", (event) => {
  if (!turn || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target instanceof HTMLInputElement) return;
  if (event.key === "Escape") document.querySelector('.photo[aria-pressed="true"]')?.setAttribute("aria-pressed", "false");
  if (tools?.key(event.key)) return;
  const choice = (turn.shown.right ? KEYS : ITEM_KEYS)[event.key];
  if (choice) { event.preventDefault(); choose(choice); }
  if (event.key === "Backspace") { event.preventDefault(); back(); }
});
if (isPublic) {
  at("naming").hidden = true;
  // The link and the text to accept are checked before the first pair.
  if (!token) { at("enter").hidden = true; fail(new Error("Please open the link in your invitation.")); }
  else post("api/next", {}).then((answer) => {
    consent = answer.consent;
    at("consent").hidden = !consent;
    at("consent-words").textContent = consent || "";
    at("progress").textContent = `${answer.done} of ${answer.total} pairs`;
  }).catch((error) => { at("enter").hidden = error.status === 401; fail(error); });
} else {
  at("rater").required = true;
  at("rater").value = localStorage.getItem(NAME) || "";
  at("rater").focus();
}
