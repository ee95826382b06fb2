// The gallery and the choice of boards. Everything that a run holds enters the page as text (textContent, value), never as markup.
// An item: r rubric, c category, p prompt, a and b [method, short hash, hash], s answers, d differing criteria as bits
// [orders, judges, people], i pictures, f the photos among them, y a sentence on common fronts, o 1 if b is on the left in them, j pictures of the other order.
// An answer: [judge, 1 if b was on the left, sample, outcome, values, words, reason, seconds, dollars].
"use strict";
(() => {
  const PAGE = 24;
  const isServed = document.currentScript.hasAttribute("data-served");
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const el = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };
  // Control characters as their pictures, as the rest of the page shows them.
  const visible = (text) =>
    String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (c) => String.fromCharCode(c === "\u007f" ? 0x2421 : 0x2400 + c.charCodeAt(0)))
      .replace(/[\u0080-\u009f\u2028\u2029]/g, "\ufffd");
  const name = (text) => el("bdi", {}, visible(text));
  const titled = (key) => (key.charAt(0).toUpperCase() + key.slice(1)).replaceAll("_", " ");

  // ---- Copies for a paper. Where the clipboard is closed, the text is shown and selected.
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.addEventListener("click", async () => {
      const text = document.getElementById(button.dataset.copy);
      const label = button.textContent;
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = label; }, 1500);
      } catch {
        text.hidden = false;
        getSelection().selectAllChildren(text);
      }
    });
  }

  // ---- Boards: one criterion and one voice at a time.
  const boards = [...document.querySelectorAll("#boards > .board")];
  if (boards.length > 1) {
    const pickers = document.getElementById("board-pickers");
    const first = boards.find((b) => b.hasAttribute("data-primary")) || boards[0];
    const chosen = { criterion: first.dataset.criterion, voice: first.dataset.voice };
    const rubrics = new Set(boards.map((b) => b.dataset.rubric));
    const show = () => {
      const both = (b) => b.dataset.criterion === chosen.criterion && b.dataset.voice === chosen.voice;
      let shown = boards.find(both);
      if (!shown) {
        // Not every voice speaks on every criterion.
        shown = boards.find((b) => b.dataset.criterion === chosen.criterion);
        chosen.voice = shown.dataset.voice;
      }
      for (const board of boards) board.hidden = board !== shown;
      for (const input of pickers.querySelectorAll("input")) {
        input.checked = chosen[input.name] === input.value;
        if (input.name === "voice") {
          const has = boards.some((b) => b.dataset.criterion === chosen.criterion && b.dataset.voice === input.value);
          input.disabled = !has;
          input.parentElement.hidden = !has;
        }
      }
      const matrix = shown.querySelector(".matrix-box");
      if (matrix) matrix.open = true;
    };
    const picker = (key, legend, label) => {
      const values = [...new Map(boards.map((b) => [b.dataset[key], b])).entries()];
      if (values.length < 2) return;
      const set = el("fieldset", {}, el("legend", {}, legend));
      for (const [value, board] of values) {
        const input = el("input", { type: "radio", name: key });
        input.value = value;
        input.addEventListener("change", () => { chosen[key] = value; show(); });
        set.append(el("label", {}, input, el("span", {}, name(label(board)))));
      }
      pickers.append(set);
    };
    picker("criterion", "Criterion", (b) => (rubrics.size > 1 ? `${b.dataset.title} (${b.dataset.rubric})` : b.dataset.title));
    picker("voice", "Judged by", (b) => b.dataset.voice);
    pickers.hidden = false;
    show();
  }

  // ---- Gallery.
  const data = read("data");
  const pictures = isServed ? null : read("pictures");
  const isHuman = data.judges.map((judge) => judge.startsWith(data.human));
  const folded = data.prompts.map((prompt) => prompt.toLowerCase());
  // Parts of the gallery: in the page, or in files next to it, which call meshjudgePart.
  const parts = new Map();
  const waiting = new Map();
  window.meshjudgePart = (name, value) => { parts.set(name, value); };
  const load = (name) => {
    if (parts.has(name)) return Promise.resolve(parts.get(name));
    const inline = document.getElementById(name);
    if (inline) { parts.set(name, JSON.parse(inline.textContent)); return Promise.resolve(parts.get(name)); }
    if (!data.parts) return Promise.reject(new Error("missing"));
    if (!waiting.has(name)) {
      waiting.set(name, new Promise((done, fail) => {
        const script = el("script", { src: `${data.parts}${name}.js` });
        const end = () => { waiting.delete(name); script.remove(); };
        script.addEventListener("load", () => { end(); parts.has(name) ? done(parts.get(name)) : fail(new Error("missing")); });
        script.addEventListener("error", () => { end(); fail(new Error("missing")); });
        document.head.append(script);
      }));
    }
    return waiting.get(name);
  };
  const words = async (place) => {
    const part = await load(`words-${Math.floor(place / data.wordsPerPart)}`);
    return part[place % data.wordsPerPart];
  };
  const source = (hash) => (isServed ? `sheet/${hash}` : pictures[hash] && pictures[hash].src);
  const hasPicture = (item) => item.i.some((hash) => source(hash));

  const form = document.getElementById("filters");
  const fill = (field, values, label = (v) => v) => {
    if (values.length === 0) { field.closest("label").hidden = true; return; }
    for (const [value, text] of values) {
      const option = el("option", {}, visible(label(text)).slice(0, 80));
      option.value = value;
      field.append(option);
    }
  };
  const methods = data.methods.map((m, i) => [i, m]).sort((x, y) => (x[1] < y[1] ? -1 : 1));
  fill(form.elements.method, methods);
  fill(form.elements.other, data.hasPairs ? methods : []);
  const criteria = [...new Set(data.criteria.flat())];
  fill(form.elements.criterion, criteria.map((key) => [key, key]), titled);
  fill(form.elements.judge, data.judges.map((judge, i) => [i, judge]));
  fill(form.elements.outcome, data.outcomes.map((o) => [o, o]), (o) => titled(o));
  if (data.numPictured === data.numItems || data.numPictured === 0) form.elements.picture.closest("label").hidden = true;

  const matches = (item, wanted) => {
    if (wanted.text && !(item.p !== null && folded[item.p].includes(wanted.text))) return false;
    const has = (m) => item.a[0] === m || (item.b && item.b[0] === m);
    if (wanted.method !== null && !has(wanted.method)) return false;
    if (wanted.other !== null && !(has(wanted.other) && (wanted.method !== wanted.other || !item.b || item.a[0] === item.b[0]))) return false;
    if (wanted.picture && !hasPicture(item)) return false;
    const keys = data.criteria[item.r];
    const place = wanted.criterion === "" ? null : keys.indexOf(wanted.criterion);
    if (place === -1) return false;
    if (wanted.difference !== null) {
      const bits = item.d[wanted.difference];
      if (place === null ? bits === 0 : !((bits >>> place) & 1)) return false;
    }
    if (wanted.judge !== null || wanted.outcome) {
      const by = (s) => (wanted.judge === null || s[0] === wanted.judge) && (!wanted.outcome || s[3] === wanted.outcome);
      if (!item.s.some(by)) return false;
    }
    return true;
  };

  const LETTERS = { a: "A", b: "B", t: "tie", x: "both bad", u: "undecided", "-": "–" };
  const said = (item, answer, place) => {
    if (!answer) return el("td", { class: "v--" }, "–");
    const value = answer[4] === null ? null : answer[4][place];
    if (value === null || value === undefined) return answer[4] === null ? el("td", { class: "fail" }, answer[3].replaceAll("_", " ")) : el("td", { class: "v--" }, "–");
    if (typeof value === "number") return el("td", {}, String(Math.round(value * 100) / 100));
    return el("td", { class: `v-${value}` }, LETTERS[value]);
  };

  // One column for each order of a judge, one for each person.
  const verdicts = (item, wanted) => {
    const keys = data.criteria[item.r];
    const units = new Map();
    for (const answer of item.s) {
      const key = `${answer[0]} ${answer[2]}`;
      if (!units.has(key)) units.set(key, []);
      units.get(key).push(answer);
    }
    const samples = new Set(item.s.map((s) => s[2])).size;
    // Both orders have a heading each, below their judge's.
    const isPaired = ([[judge]]) => item.b && !isHuman[judge];
    const rowspan = [...units.values()].some(isPaired) ? 2 : null;
    const head = el("tr", {}, el("th", { scope: "col", rowspan }, "Criterion"));
    const orders = rowspan ? el("tr") : null;
    const columns = [];
    for (const answers of units.values()) {
      const [judge, , sample] = answers[0];
      const title = el("span", {}, name(data.judges[judge]), samples > 1 ? ` · ${sample + 1}` : "");
      if (!item.b) {
        head.append(el("th", { scope: "col", rowspan }, title));
        columns.push([answers[0]]);
      } else if (!isPaired(answers)) {
        head.append(el("th", { scope: "col", rowspan }, title, el("small", {}, answers[0][1] ? "B left" : "A left")));
        columns.push([answers[0]]);
      } else {
        head.append(el("th", { scope: "colgroup", colspan: 2 }, title));
        orders.append(...["A left", "B left"].map((order) => el("th", { scope: "col" }, order)));
        columns.push([0, 1].map((side) => answers.find((s) => s[1] === side)));
      }
    }
    const rows = keys.map((key, place) => {
      if (!item.s.some((s) => s[4] === null || (s[4][place] !== "-" && s[4][place] !== null))) return null;
      const row = el("tr", { class: item.b && item.d.some((bits) => (bits >>> place) & 1) ? "has-difference" : null },
        el("th", { scope: "row", class: item.b && item.d.some((bits) => (bits >>> place) & 1) ? "differs" : null }, titled(key)));
      if (wanted.criterion === key) row.style.fontWeight = "600";
      for (const answers of columns) for (const answer of answers) row.append(said(item, answer, place));
      return row;
    }).filter(Boolean);
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Verdicts" },
      el("table", { class: "said" }, el("thead", {}, head, orders), el("tbody", {}, ...rows)));
  };

  const replies = (item) => item.s.filter((s) => s[5] !== null || s[6]).map((answer) => {
    const [judge, side, sample, outcome, , place, reason, seconds, cost] = answer;
    const facts = [item.b ? (side ? "B left" : "A left") : null, sample ? `sample ${sample + 1}` : null,
      outcome === "verdict" ? null : outcome.replaceAll("_", " "), seconds < 0.1 ? `${Math.round(1000 * seconds)} ms` : `${seconds.toFixed(1)} s`, cost ? `$${cost < 0.01 ? cost.toFixed(5) : cost.toFixed(3)}` : null];
    const details = el("details", { class: "words" }, el("summary", {}, name(data.judges[judge]), " · ", facts.filter(Boolean).join(" · ")));
    // Parsed and put in when it is opened first.
    details.addEventListener("toggle", async () => {
      if (reason) details.append(el("p", { class: "fail" }, visible(reason)));
      if (place === null) return;
      const said = el("pre", { dir: "auto", tabindex: "0" }, "…");
      details.append(said);
      try {
        const [answer, reasoning] = (await words(place)).split("\u001e");
        said.textContent = visible(answer) || "The reply contains no answer.";
        if (reasoning) details.append(el("details", { class: "reasoning" }, el("summary", {}, "Reasoning"), el("pre", { dir: "auto", tabindex: "0" }, visible(reasoning))));
      } catch { said.textContent = "The file with this answer is missing; it belongs in the same folder as this page."; }
    }, { once: true });
    return details;
  });

  const flags = (item) => {
    const texts = ["orders differ", "judges differ", "judge against people"];
    return texts.map((text, i) => {
      if (!item.d[i]) return null;
      const keys = data.criteria[item.r].filter((_, place) => (item.d[i] >>> place) & 1);
      return el("span", { class: "flag", title: keys.map(titled).join(", ") }, text);
    });
  };

  const figure = (item) => {
    const shown = item.i.filter((hash) => source(hash));
    if (shown.length === 0) return null;
    const sides = item.o ? [["B", item.b], ["A", item.a]] : [["A", item.a], ["B", item.b]];
    const sources = [shown.map(source), (item.j || []).map(source).filter(Boolean)];
    const alt = item.b ? `Sheet: ${data.methods[sides[0][1][0]]} left, ${data.methods[sides[1][1][0]]} right` : `Picture of ${data.methods[item.a[0]]}`;
    const made = el("figure");
    for (const [n, src] of sources[0].entries()) {
      const size = pictures && pictures[shown[n]];
      const isPhoto = item.f.includes(shown[n]);
      made.append(el("img", { src, class: isPhoto ? "photo" : null, alt: isPhoto ? "The photo that both were made from" : visible(alt), loading: "lazy", decoding: "async", width: size && size.w, height: size && size.h }));
    }
    if (item.b) made.append(el("figcaption", {}, ...sides.map(([key, object]) => el("span", {}, el("span", { class: "key" }, key), " ", name(data.methods[object[0]])))));
    return made;
  };

  const card = (item, wanted) => {
    const prompt = item.p === null ? (item.f.length ? "Made from the photo" : "No prompt") : data.prompts[item.p];
    const object = (key, o) => [item.b ? el("span", { class: "key" }, key) : null, el("b", { title: o[2] }, name(data.methods[o[0]]))];
    const header = el("header", {},
      el("h3", { class: "prompt", dir: "auto", title: prompt.length > 300 ? visible(prompt) : null }, visible(prompt)),
      el("p", { class: "who" }, ...object("A", item.a), ...(item.b ? ["against", ...object("B", item.b)] : []),
        data.rubrics.length > 1 ? el("span", {}, name(data.rubrics[item.r])) : null, item.c ? name(item.c) : null, ...flags(item)));
    const made = el("article", { class: "item" }, header);
    const shown = figure(item);
    if (shown) { made.classList.add("with-picture"); made.append(shown); }
    const side = el("div", { class: "table" }, verdicts(item, wanted), item.y ? el("p", { class: "hint" }, item.y) : null, ...replies(item));
    if (!shown && item.i.length > 0 && !isServed) side.append(el("p", { class: "hint" }, "No picture in this file; ", el("code", {}, "meshjudge serve RUN"), " shows it."));
    made.append(side);
    made.meshjudgeItem = item;
    return made;
  };

  const list = document.getElementById("items");
  const more = document.getElementById("more");
  const count = document.getElementById("count");
  let wanted = {};
  // The search goes through the parts until a page of matches is found, and on when more is looked at.
  let search = null;
  const numParts = Math.ceil(data.numItems / data.itemsPerPart);
  const tell = () => {
    const isAll = search.seen === data.numItems;
    const places = search.found === data.numItems ? `${search.found} shown` : isAll ? `${search.found} of ${data.numItems} match` : `${search.found} match among the first ${search.seen} of ${data.numItems}`;
    count.textContent = search.missing ? "The gallery's folder is missing; it belongs next to this page." : `${places}, ${isAll ? search.pictured : data.numPictured} with picture`;
    more.hidden = search.missing || (isAll && search.shown >= search.matches.length);
  };
  const grow = async () => {
    const mine = search;
    if (mine.isBusy) return;
    mine.isBusy = true;
    // Items that are in the page already are searched at once, so that their matches can be counted.
    while (mine.part < numParts && (!data.parts || mine.matches.length < mine.shown + PAGE)) {
      let items;
      try { items = await load(`items-${mine.part}`); } catch { mine.missing = true; break; }
      if (mine !== search) return;
      mine.part += 1;
      mine.seen += items.length;
      for (const item of items) {
        if (!matches(item, wanted)) continue;
        mine.matches.push(item);
        mine.found += 1;
        if (hasPicture(item)) mine.pictured += 1;
      }
    }
    const next = mine.matches.slice(mine.shown, mine.shown + PAGE);
    mine.shown += next.length;
    const cards = next.map((item) => card(item, wanted));
    list.append(...cards);
    for (const [i, made] of cards.entries()) document.dispatchEvent(new CustomEvent("meshjudge:card", { detail: { item: next[i], card: made } }));
    mine.isBusy = false;
    tell();
  };
  const number = (value) => (value === "" ? null : Number(value));
  const refresh = () => {
    const f = form.elements;
    wanted = { text: f.text.value.trim().toLowerCase(), method: number(f.method.value), other: number(f.other.value), criterion: f.criterion.value,
      judge: number(f.judge.value), difference: number(f.difference.value), outcome: f.outcome.value, picture: f.picture.value === "1" };
    search = { part: 0, seen: 0, found: 0, pictured: 0, matches: [], shown: 0, isBusy: false, missing: false };
    list.replaceChildren();
    grow();
  };
  let timer = 0;
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(refresh, 120); });
  form.addEventListener("reset", () => setTimeout(refresh));
  form.addEventListener("submit", (event) => { event.preventDefault(); refresh(); });
  more.addEventListener("click", grow);
  // The list grows before its end is reached.
  new IntersectionObserver((entries) => { if (entries[0].isIntersecting && search.shown > 0) grow(); }, { rootMargin: "600px" }).observe(more);
  document.getElementById("gallery-app").hidden = false;
  refresh();
})();
