// Everything on the page that can be chosen: boards, prompts, the gallery, one pair large. Each choice is in the address, behind #?, so that it
// can be shared. Everything that a run holds enters the page as text (textContent, value), never as markup.
// An item: id of its link, r rubric, c category, p prompt, a and b [generator, short hash, hash], s answers, d differing criteria as bits
// [orders, judges, people], i pictures, f the photos among them, y a sentence on common fronts, o 1 if b is on the left in them, j pictures of the other order.
// An answer: [judge, 1 if b was on the left, sample, outcome, values, words, reason, seconds, dollars].
"use strict";
(() => {
  const PAGE = 24; // cards
  const ROWS = 20; // prompts
  const FOLLOW_SECONDS = 4;
  const isServed = document.currentScript.hasAttribute("data-served");
  const at = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(at(id).textContent);
  const el = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };
  const button = (label, act, attributes = {}) => {
    const made = el("button", { type: "button", ...attributes }, label);
    made.addEventListener("click", act);
    return made;
  };
  // Control characters as their pictures, as the rest of the page shows them.
  const visible = (text) =>
    String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (c) => String.fromCharCode(c === "\u007f" ? 0x2421 : 0x2400 + c.charCodeAt(0)))
      .replace(/[\u0080-\u009f\u2028\u2029]/g, "\ufffd");
  const name = (text) => el("bdi", {}, visible(text));
  const titled = (key) => (key.charAt(0).toUpperCase() + key.slice(1)).replaceAll("_", " ");
  const plural = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

  // ---- The choices, and the address that holds them.
  const data = read("data");
  const pictures = isServed ? null : read("pictures");
  const boards = [...document.querySelectorAll("#boards > .board")];
  const firstBoard = boards.find((b) => b.hasAttribute("data-primary")) || boards[0];
  const firstKey = (data.criteria[0] || []).includes("overall") ? "overall" : (data.criteria[0] || [])[0];
  const DEFAULTS = {
    criterion: firstBoard ? firstBoard.dataset.criterion : `${data.rubrics[0]} ${firstKey}`, voice: firstBoard ? firstBoard.dataset.voice : "all judges",
    prompt: "", sort: "disagreement", at: "", open: "", text: "", method: "", other: "", key: "", judge: "", category: "", difference: "", outcome: "", picture: "",
  };
  const state = { ...DEFAULTS };
  const load = () => {
    const given = new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "");
    for (const key of Object.keys(DEFAULTS)) state[key] = given.get(key) ?? DEFAULTS[key];
  };
  // A step is what the browser's button takes back.
  const choose = (changes, isStep = false) => {
    Object.assign(state, changes);
    const query = new URLSearchParams(Object.entries(state).filter(([key, value]) => value !== DEFAULTS[key])).toString();
    history[isStep ? "pushState" : "replaceState"](null, "", query ? `#?${query}` : "#");
  };
  load();
  for (const link of document.querySelectorAll(".top nav a[href^='#'], .skip")) {
    link.addEventListener("click", (event) => {
      const section = document.querySelector(link.getAttribute("href"));
      if (!section) return;
      event.preventDefault();
      section.scrollIntoView();
      section.tabIndex = -1;
      section.focus({ preventScroll: true });
      choose({ at: section.id });
    });
  }

  // ---- Copies for a paper. Where the clipboard is closed, the text is shown and selected.
  for (const copier of document.querySelectorAll("button[data-copy]")) {
    copier.addEventListener("click", async () => {
      const text = at(copier.dataset.copy);
      const label = copier.textContent;
      try {
        await navigator.clipboard.writeText(text.textContent);
        copier.textContent = "Copied";
        setTimeout(() => { copier.textContent = label; }, 1500);
      } catch {
        text.hidden = false;
        getSelection().selectAllChildren(text);
      }
    });
  }

  // ---- Tables: a heading sorts, a button downloads.
  const shownText = (cell) => cell.textContent.replace(/\s+/g, " ").trim();
  const sortKey = (cell) => {
    const text = shownText(cell).replaceAll("−", "-").replace(/^[≥≤<>~$\s]+/, "").replaceAll(",", "");
    const value = Number.parseFloat(text);
    return Number.isNaN(value) ? text.toLowerCase() : value;
  };
  const sortBy = (table, head, column) => {
    const isDown = head.getAttribute("aria-sort") === "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", isDown ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows].map((row) => [row.cells[column] ? sortKey(row.cells[column]) : "", row]);
    // Numbers before words, and dashes last.
    const order = (x, y) => (typeof x === typeof y ? (x < y ? -1 : x > y ? 1 : 0) : typeof x === "number" ? 1 : -1);
    rows.sort(([x], [y]) => (isDown ? order(x, y) : order(y, x)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  const csv = (table) => [...table.rows].map((row) => [...row.cells].map((cell) => {
    const more = cell.title || cell.querySelector("[aria-label]")?.getAttribute("aria-label");
    const text = [shownText(cell), cell.tagName === "TD" ? more : ""].filter(Boolean).join(" | ");
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }).join(",")).join("\r\n");
  for (const table of document.querySelectorAll("main table.rows")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (head.classList.contains("wide") || head.querySelector(".vh") || table.rows.length < 3) return;
      const sorter = el("span", { role: "button", tabindex: "0", class: "sort" }, ...head.childNodes);
      const act = () => sortBy(table, head, column);
      sorter.addEventListener("click", act);
      sorter.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); } });
      head.append(sorter);
    });
    const titleOf = () => table.closest(".board")?.getAttribute("aria-label") || table.closest("section")?.querySelector("h2")?.textContent || "table";
    const download = button("Download CSV", () => {
      const link = el("a", { href: URL.createObjectURL(new Blob([csv(table)], { type: "text/csv" })), download: `${titleOf().replace(/[^\p{L}\p{N}]+/gu, "-")}.csv` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href));
    }, { class: "download" });
    (table.closest(".scroll") || table).after(download);
  }

  // ---- Boards: one criterion and one voice at a time, over all prompts or in a category.
  const pickers = at("board-pickers");
  const columnOf = (table, category) => [...table.tHead.rows[0].cells].findIndex((head) => head.querySelector("bdi")?.textContent === category);
  const showBoards = () => {
    const both = (b) => b.dataset.criterion === state.criterion && b.dataset.voice === state.voice;
    // Not every voice speaks on every criterion.
    const shown = boards.find(both) || boards.find((b) => b.dataset.criterion === state.criterion) || firstBoard;
    if (!shown) return;
    [state.criterion, state.voice] = [shown.dataset.criterion, shown.dataset.voice];
    for (const board of boards) board.hidden = board !== shown;
    for (const input of pickers.querySelectorAll("input")) {
      input.checked = state[input.name] === input.value;
      if (input.name === "voice") {
        const has = boards.some((b) => b.dataset.criterion === state.criterion && b.dataset.voice === input.value);
        input.disabled = !has;
        input.parentElement.hidden = !has;
      }
    }
    const matrix = shown.querySelector(".matrix-box");
    if (matrix) matrix.open = true;
    const details = shown.querySelector(".by-category");
    const table = details?.querySelector("table");
    const column = table ? columnOf(table, state.category) : -1;
    shown.classList.toggle("in-category", column > 0);
    if (!table) return;
    details.open = details.open || column > 0;
    for (const row of table.rows) [...row.cells].forEach((cell, i) => { cell.hidden = column > 0 && i > 0 && i !== column; });
  };
  const picker = (key, legend, values) => {
    if (values.length < 2) return;
    const set = el("fieldset", {}, el("legend", {}, legend));
    for (const [value, label] of values) {
      const input = el("input", { type: "radio", name: key });
      input.value = value;
      input.addEventListener("change", () => { choose({ [key]: value }); showAll(); });
      set.append(el("label", {}, input, el("span", {}, name(label))));
    }
    pickers.append(set);
    pickers.hidden = false;
  };
  if (boards.length > 0) {
    const rubrics = new Set(boards.map((b) => b.dataset.rubric));
    const label = (b) => (rubrics.size > 1 ? `${b.dataset.title} (${b.dataset.rubric})` : b.dataset.title);
    picker("criterion", "Criterion", [...new Map(boards.map((b) => [b.dataset.criterion, label(b)]))]);
    picker("voice", "Judged by", [...new Map(boards.map((b) => [b.dataset.voice, b.dataset.voice]))]);
    if (document.querySelector(".by-category")) picker("category", "Category", [["", "all"], ...data.categories.map((c) => [c, c])]);
  }
  // A cell of a win matrix opens its pairs. One cell is in the order of tabs; arrow keys go to the rest.
  for (const matrix of document.querySelectorAll("table.matrix")) {
    const heads = [...matrix.tHead.rows[0].querySelectorAll("th bdi")].map((head) => head.textContent);
    const cells = [...matrix.tBodies[0].rows].map((row) => [...row.querySelectorAll("td")]);
    const targets = cells.map((row, i) => row.map((cell, j) => {
      if (i === j || cell.classList.contains("none")) return null;
      const target = el("span", { role: "button", tabindex: "-1", title: `${cell.title}. Opens the pairs` }, ...cell.childNodes);
      target.addEventListener("click", () => {
        choose({ method: data.methods.find((m) => visible(m) === heads[i]) || "", other: data.methods.find((m) => visible(m) === heads[j]) || "", key: chosenKey(), at: "gallery" });
        showAll();
        at("gallery").scrollIntoView();
      });
      target.addEventListener("keydown", (event) => {
        const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] || [0, 0];
        for (let [y, x] = [i + down, j + right]; (down || right) && targets[y] && x >= 0 && x < heads.length; y += down, x += right) {
          if (targets[y][x]) { event.preventDefault(); targets[y][x].focus(); return; }
        }
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); target.click(); }
      });
      cell.append(target);
      return target;
    }));
    const first = targets.flat().find(Boolean);
    if (first) first.tabIndex = 0;
  }

  // ---- Items, in the page or in files next to it, which call meshjudgePart.
  const isHuman = data.judges.map((judge) => judge.startsWith(data.human));
  const folded = data.prompts.map((prompt) => prompt.toLowerCase());
  const parts = new Map();
  const waiting = new Map();
  window.meshjudgePart = (part, value) => { parts.set(part, value); };
  const loadPart = (part) => {
    if (parts.has(part)) return Promise.resolve(parts.get(part));
    const inline = at(part);
    if (inline) { parts.set(part, JSON.parse(inline.textContent)); return Promise.resolve(parts.get(part)); }
    if (!data.parts) return Promise.reject(new Error("missing"));
    if (!waiting.has(part)) {
      waiting.set(part, new Promise((done, fail) => {
        const script = el("script", { src: `${data.parts}${part}.js` });
        const end = () => { waiting.delete(part); script.remove(); };
        script.addEventListener("load", () => { end(); parts.has(part) ? done(parts.get(part)) : fail(new Error("missing")); });
        script.addEventListener("error", () => { end(); fail(new Error("missing")); });
        document.head.append(script);
      }));
    }
    return waiting.get(part);
  };
  const words = async (place) => {
    const part = await loadPart(`words-${Math.floor(place / data.wordsPerPart)}`);
    return part[place % data.wordsPerPart];
  };
  const numParts = Math.ceil(data.numItems / data.itemsPerPart);
  const source = (hash) => (isServed ? `sheet/${hash}` : pictures[hash] && pictures[hash].src);
  const hasPicture = (item) => item.i.some((hash) => source(hash));
  const chosenKey = () => state.criterion.slice(state.criterion.lastIndexOf(" ") + 1);
  const chosenRubric = () => data.rubrics.indexOf(state.criterion.slice(0, state.criterion.lastIndexOf(" ")));
  const isOfVoice = (judge) => (state.voice === "people" ? isHuman[judge] : state.voice === "all judges" ? !isHuman[judge] : data.judges[judge] === state.voice);

  // What each judge and sample, or person, says of a pair on a criterion: [judge, sample, letters of A left and B left].
  const units = (item, place) => {
    const found = new Map();
    for (const answer of item.s) {
      const id = `${answer[0]} ${answer[2]}`;
      if (!found.has(id)) found.set(id, [answer[0], answer[2], [null, null], [null, null]]);
      const unit = found.get(id);
      unit[2][answer[1]] = answer[4] === null ? null : answer[4][place] ?? null;
      unit[3][answer[1]] = answer;
    }
    return [...found.values()];
  };
  const isDecided = (letter) => letter !== null && "abtx".includes(letter);
  // One game of a unit: a, b or t; null where nothing is decided.
  const game = ([, , letters]) => {
    const said = letters.filter(isDecided);
    if (said.length === 0) return null;
    return said.every((letter) => letter === said[0]) && "ab".includes(said[0]) ? said[0] : "t";
  };

  // ---- Thumbnails: a strip for each prompt, a tile for each generator.
  const stripSource = (n) => (isServed ? `strip/${n}` : pictures[`strip-${n}`]?.src);
  const strips = new Map(data.strips.map(([prompt, methods], n) => [prompt, { methods, src: stripSource(n) }]).filter(([, strip]) => strip.src));
  const tile = (prompt, method, alt = "") => {
    const strip = strips.get(prompt);
    const place = strip ? strip.methods.indexOf(method) : -1;
    if (place < 0) return el("span", { class: "tile" }, "no picture");
    const made = el("img", { class: "tile", src: strip.src, alt, loading: "lazy", decoding: "async" });
    const last = strip.methods.length - 1;
    made.style.objectPosition = `${last ? (100 * place) / last : 0}% 0`;
    return made;
  };

  // ---- Prompts by generators.
  let all = null; // every item, once the prompts were opened
  let rows = []; // of the prompts: { p, c, items, cells: generator → { object, won, lost, tied, sum, count }, differences, surprise, gap }
  let columns = []; // generators, best first
  let rowsShown = ROWS;
  const readAll = async () => {
    const found = [];
    for (let part = 0; part < numParts; part += 1) {
      found.push(...await loadPart(`items-${part}`));
      if (data.parts) at("prompts-said").textContent = `reading ${found.length} of ${data.numItems} …`;
    }
    all = found;
  };
  const share = (cell) => (cell && cell.count ? cell.sum / cell.count : null);
  const bitsOf = (item, place) => item.d.reduce((sum, bits) => sum + (place < 0 ? 0 : (bits >>> place) & 1), 0);
  const countRows = () => {
    const [rubric, key] = [chosenRubric(), chosenKey()];
    const byPrompt = new Map();
    const totals = new Map();
    const cellOf = (cells, object) => {
      if (!cells.has(object[0])) cells.set(object[0], { object, won: 0, lost: 0, tied: 0, sum: 0, count: 0 });
      return cells.get(object[0]);
    };
    for (const item of all) {
      if (item.p === null || (state.category && item.c !== state.category)) continue;
      if (!byPrompt.has(item.p)) byPrompt.set(item.p, { p: item.p, c: item.c, items: [], cells: new Map(), differences: 0 });
      const row = byPrompt.get(item.p);
      row.items.push(item);
      const both = [item.a, item.b].filter(Boolean);
      const here = both.map((object) => cellOf(row.cells, object));
      const place = item.r === rubric ? data.criteria[item.r].indexOf(key) : -1;
      if (place < 0) continue;
      const sums = both.map((object) => cellOf(totals, object));
      row.differences += bitsOf(item, place);
      for (const unit of units(item, place)) {
        if (!isOfVoice(unit[0])) continue;
        if (!item.b) {
          const value = unit[2][0];
          if (typeof value === "number") for (const cell of [here[0], sums[0]]) { cell.sum += value; cell.count += 1; }
          continue;
        }
        const said = game(unit);
        if (!said) continue;
        for (const [side, letter] of ["a", "b"].entries()) {
          const points = said === "t" ? 0.5 : Number(said === letter);
          for (const cell of [here[side], sums[side]]) {
            cell.count += 1;
            cell.sum += points;
            cell[points === 0.5 ? "tied" : points ? "won" : "lost"] += 1;
          }
        }
      }
    }
    columns = [...totals.keys()].sort((x, y) => (share(totals.get(y)) ?? -1) - (share(totals.get(x)) ?? -1) || (data.methods[x] < data.methods[y] ? -1 : 1));
    for (const method of new Set([...byPrompt.values()].flatMap((row) => [...row.cells.keys()]))) if (!columns.includes(method)) columns.push(method);
    for (const row of byPrompt.values()) {
      const shares = columns.map((method) => [share(row.cells.get(method)), share(totals.get(method))]).filter(([here]) => here !== null);
      row.surprise = shares.reduce((sum, [here, usual]) => sum + Math.abs(here - usual), 0);
      row.gap = shares.length ? Math.max(...shares.map(([here]) => here)) - Math.min(...shares.map(([here]) => here)) : -1;
    }
    const by = (value) => (x, y) => value(y) - value(x);
    const names = (x, y) => (folded[x.p] < folded[y.p] ? -1 : 1);
    const orders = {
      disagreement: by((row) => row.differences), surprise: by((row) => row.surprise), gap: by((row) => row.gap),
      category: (x, y) => ((x.c || "") < (y.c || "") ? -1 : (x.c || "") > (y.c || "") ? 1 : names(x, y)), name: names,
    };
    const column = data.methods.indexOf(state.sort.startsWith("wins of ") ? state.sort.slice(8) : "");
    const order = column < 0 ? orders[state.sort] || orders.disagreement : by((row) => share(row.cells.get(column)) ?? -1);
    rows = [...byPrompt.values()].sort((x, y) => order(x, y) || names(x, y));
  };
  const record = (cell, hasPairs) => {
    if (!cell || cell.count === 0) return "–";
    if (!hasPairs) return String(Math.round((100 * cell.sum) / cell.count) / 100);
    return `${cell.won}–${cell.lost}${cell.tied ? `, ${cell.tied}\u00a0=` : ""}`;
  };
  const tint = (cell) => (data.hasPairs && cell && cell.count ? `t${Math.round((share(cell) - 0.5) * 10)}` : "none");
  const filled = (row, method, isNamed) => {
    const cell = row.cells.get(method);
    if (!cell) return el("span", { class: "missing" }, "none");
    const said = record(cell, data.hasPairs);
    const made = button("", () => openObject(row, method), { class: "cell", title: data.hasPairs ? `${cell.won} won, ${cell.lost} lost, ${cell.tied} tied` : null });
    made.append(tile(row.p, method, isNamed ? "" : visible(data.methods[method])), isNamed ? el("b", {}, name(data.methods[method])) : "", el("span", { class: `record ${tint(cell)}` }, said));
    return made;
  };
  const showRows = () => {
    countRows();
    const isText = state.text.trim().toLowerCase();
    const found = rows.filter((row) => !isText || folded[row.p].includes(isText));
    at("prompts").hidden = found.length === 0;
    for (const link of document.querySelectorAll(".needs-script")) link.hidden = found.length === 0;
    if (found.length === 0) return;
    const said = boards.find((b) => !b.hidden);
    at("prompts-said").textContent = `${plural(found.length, "prompt")}, ${plural(columns.length, "generator")}${said ? `: ${data.hasPairs ? "won–lost on" : ""} ${said.dataset.title}, judged by ${state.voice}` : ""}${strips.size && strips.size < data.strips.length ? `; pictures of the ${strips.size} most disputed, and of all in meshjudge serve` : ""}`;
    const head = el("tr", {}, el("th", { scope: "col" }, "Prompt"));
    for (const method of columns) {
      const key = `wins of ${data.methods[method]}`;
      const sorter = button(name(data.methods[method]), () => { choose({ sort: state.sort === key ? "disagreement" : key }); fillTools(); showRows(); }, { class: "sort", title: "Sort by its wins" });
      head.append(el("th", { scope: "col", "aria-sort": state.sort === key ? "descending" : null }, sorter));
    }
    const body = found.slice(0, rowsShown).map((row) => el("tr", {},
      el("th", { scope: "row" }, el("span", { class: "clip", dir: "auto" }, visible(data.prompts[row.p])), row.c ? el("small", {}, name(row.c)) : null, row.differences ? el("small", { class: "fail" }, plural(row.differences, "disagreement")) : null),
      ...columns.map((method) => el("td", {}, filled(row, method)))));
    at("cells").replaceChildren(el("thead", {}, head), el("tbody", {}, ...body));
    at("more-rows").hidden = found.length <= rowsShown;
    at("more-rows").textContent = `Show all ${found.length} prompts`;
    showRow();
  };
  at("more-rows").addEventListener("click", () => { rowsShown = Infinity; showRows(); });
  const sorter = el("select", { name: "sort" });
  for (const [value, label] of [["disagreement", "most disagreement"], ["surprise", "most surprising"], ["gap", "largest difference"], ["category", "category"], ["name", "name"]]) {
    const option = el("option", {}, label);
    option.value = value;
    sorter.append(option);
  }
  sorter.addEventListener("change", () => { choose({ sort: sorter.value }); showRows(); });
  const searcher = el("input", { type: "search", placeholder: "Search prompts", autocomplete: "off" });
  let searching = 0;
  searcher.addEventListener("input", () => { clearTimeout(searching); searching = setTimeout(() => { choose({ text: searcher.value }); showAll(); }, 120); });
  at("prompts-tools").append(el("label", { class: "grow" }, "Prompt", searcher), el("label", {}, "Sort by", sorter));
  const fillTools = () => { sorter.value = state.sort; if (document.activeElement !== searcher) searcher.value = state.text; };

  // ---- The first screen: all generators on one prompt.
  const showRow = () => {
    const box = at("row");
    const whole = rows.filter((row) => strips.has(row.p));
    if (whole.length === 0 || columns.length < 2) { box.hidden = true; return; }
    const most = Math.max(...whole.map((row) => row.cells.size));
    const row = whole.find((r) => data.prompts[r.p] === state.prompt) || whole.find((r) => r.cells.size === most);
    const next = (by) => { choose({ prompt: data.prompts[whole[(whole.indexOf(row) + by + whole.length) % whole.length].p] }); showRow(); };
    const select = el("select", { "aria-label": "Prompt" });
    for (const { p } of whole) {
      const option = el("option", {}, visible(data.prompts[p]).slice(0, 120));
      option.value = data.prompts[p];
      select.append(option);
    }
    select.value = data.prompts[row.p];
    select.addEventListener("change", () => { choose({ prompt: select.value }); showRow(); });
    const focused = document.activeElement?.dataset?.row;
    box.replaceChildren(
      el("div", { class: "row-tools" }, button("‹", () => next(-1), { "aria-label": "Prompt before", "data-row": "before" }), select, button("›", () => next(1), { "aria-label": "Next prompt", "data-row": "next" })),
      el("div", { class: "tiles" }, ...columns.map((method) => filled(row, method, true))));
    box.lastElementChild.style.maxWidth = `${190 * columns.length}px`;
    box.hidden = false;
    box.querySelector(`[data-row="${focused}"]`)?.focus();
  };

  // ---- The gallery.
  const form = at("filters");
  const FIELDS = { text: "text", method: "method", other: "other", criterion: "key", judge: "judge", category: "category", difference: "difference", outcome: "outcome", picture: "picture" };
  const fill = (field, values, label = (v) => v) => {
    field.closest("label").hidden = values.length === 0;
    for (const value of values) {
      const option = el("option", {}, visible(label(value)).slice(0, 80));
      option.value = value;
      field.append(option);
    }
  };
  fill(form.elements.method, [...data.methods].sort());
  fill(form.elements.other, data.hasPairs ? [...data.methods].sort() : []);
  fill(form.elements.criterion, [...new Set(data.criteria.flat())], titled);
  fill(form.elements.judge, data.judges);
  fill(form.elements.category, data.categories);
  fill(form.elements.outcome, data.outcomes, titled);
  form.elements.picture.closest("label").hidden = data.numPictured === data.numItems || data.numPictured === 0;
  const fillForm = () => {
    for (const [field, key] of Object.entries(FIELDS)) if (form.elements[field] !== document.activeElement) form.elements[field].value = state[key];
  };

  const matches = (item, wanted) => {
    if (wanted.text && !(item.p !== null && folded[item.p].includes(wanted.text))) return false;
    if (wanted.category && item.c !== wanted.category) return false;
    const has = (m) => item.a[0] === m || (item.b && item.b[0] === m);
    if (wanted.method !== null && !has(wanted.method)) return false;
    if (wanted.other !== null && !(has(wanted.other) && (wanted.method !== wanted.other || !item.b || item.a[0] === item.b[0]))) return false;
    if (wanted.picture && !hasPicture(item)) return false;
    const keys = data.criteria[item.r];
    const place = wanted.key === "" ? null : keys.indexOf(wanted.key);
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
  const letterOf = (letter) => el("span", { class: `v-${letter}` }, LETTERS[letter]);
  const isPaired = (item, judge) => item.b && !isHuman[judge];
  // One cell for each judge: both orders in one word where they agree.
  const said = (item, [judge, , letters, answers]) => {
    const [first, second] = letters;
    const failed = answers.find((answer) => answer && answer[4] === null);
    if (first === null && second === null) return el("td", failed ? { class: "fail" } : { class: "v--" }, failed ? failed[3].replaceAll("_", " ") : "–");
    if (!item.b) return el("td", {}, String(Math.round(first * 100) / 100));
    if (!isPaired(item, judge)) return el("td", {}, letterOf(first ?? second));
    if (first === null || second === null) return el("td", {}, letterOf(first ?? second), el("small", {}, ` ${first === null ? "B" : "A"} left only`));
    if (first === second) return el("td", {}, letterOf(first), isDecided(first) ? el("small", {}, " both orders") : null);
    return el("td", { class: "differs", title: `${LETTERS[first]} with A on the left, ${LETTERS[second]} with B on the left` }, letterOf(first), " | ", letterOf(second), el("small", {}, " orders differ"));
  };
  const verdicts = (item) => {
    const keys = data.criteria[item.r];
    const samples = new Set(item.s.map((s) => s[2])).size;
    const head = el("tr", {}, el("th", { scope: "col" }, "Criterion"),
      ...units(item, 0).map(([judge, sample]) => el("th", { scope: "col" }, name(data.judges[judge]), samples > 1 ? ` · ${sample + 1}` : "")));
    const body = keys.map((key, place) => {
      if (!item.s.some((s) => s[4] === null || (s[4][place] !== "-" && s[4][place] !== null))) return null;
      const differs = item.b && item.d.some((bits) => (bits >>> place) & 1);
      const row = el("tr", { class: [differs ? "has-difference" : "", state.key === key ? "wanted" : ""].join(" ").trim() || null }, el("th", { scope: "row", class: differs ? "differs" : null }, titled(key)));
      row.append(...units(item, place).map((unit) => said(item, unit)));
      return row;
    }).filter(Boolean);
    return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Verdicts" }, el("table", { class: "said" }, el("thead", {}, head), el("tbody", {}, ...body)));
  };

  // Who won on the chosen criterion, and whether all agree.
  const result = (item) => {
    const keys = data.criteria[item.r];
    const key = [state.key, chosenKey(), "overall", keys[0]].find((wanted) => keys.includes(wanted));
    if (!item.b || !key) return null;
    const found = units(item, keys.indexOf(key));
    const games = found.map(game).filter(Boolean);
    const label = `${titled(key)}: `;
    if (games.length === 0) return el("p", { class: "result" }, label, found.some(([, , letters]) => letters.includes("u")) ? "undecided" : "no verdict");
    const count = (letter) => games.filter((said) => said === letter).length;
    const split = found.filter(([judge, , letters]) => isPaired(item, judge) && letters.every(isDecided) && letters[0] !== letters[1]);
    const orders = split.length === 0 ? (found.some(([judge]) => isPaired(item, judge)) ? "both orders agree" : "")
      : split.length < found.length ? `the orders of ${plural(split.length, "judge")} differ` : "the orders differ";
    const winner = count("a") === games.length ? item.a : count("b") === games.length ? item.b : null;
    const who = winner ? [el("b", {}, name(data.methods[winner[0]])), " won"] : count("t") === games.length ? [split.length ? "no winner" : "tie"]
      : [el("b", {}, name(data.methods[item.a[0]])), ` ${count("a")}, `, el("b", {}, name(data.methods[item.b[0]])), ` ${count("b")}${count("t") ? `, ties ${count("t")}` : ""}`];
    return el("p", { class: "result" }, label, ...who, orders ? `; ${orders}` : "");
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
      const shown = el("pre", { dir: "auto", tabindex: "0" }, "…");
      details.append(shown);
      try {
        const [text, reasoning] = (await words(place)).split("\u001e");
        shown.textContent = visible(text) || "The reply contains no answer.";
        if (reasoning) details.append(el("details", { class: "reasoning" }, el("summary", {}, "Reasoning"), el("pre", { dir: "auto", tabindex: "0" }, visible(reasoning))));
      } catch { shown.textContent = "The file with this answer is missing; it belongs in the same folder as this page."; }
    }, { once: true });
    return details;
  });
  const flags = (item) => ["orders differ", "judges differ", "judge against people"].map((text, i) => {
    if (!item.d[i]) return null;
    const keys = data.criteria[item.r].filter((_, place) => (item.d[i] >>> place) & 1);
    return el("span", { class: "flag", title: keys.map(titled).join(", ") }, text);
  });

  const sidesOf = (item) => (item.b ? (item.o ? [["B", item.b], ["A", item.a]] : [["A", item.a], ["B", item.b]]) : [["", item.a]]);
  const figure = (item, act) => {
    const shown = item.i.filter((hash) => source(hash));
    if (shown.length === 0) return null;
    const sides = sidesOf(item);
    const alt = item.b ? `Sheet: ${data.methods[sides[0][1][0]]} left, ${data.methods[sides[1][1][0]]} right` : `Picture of ${data.methods[item.a[0]]}`;
    const made = el("figure");
    const isSheet = item.b && shown.filter((hash) => !item.f.includes(hash)).length === 1;
    for (const hash of shown) {
      const size = pictures && pictures[hash];
      const isPhoto = item.f.includes(hash);
      const image = el("img", { src: source(hash), class: isPhoto ? "photo" : null, alt: isPhoto ? "The photo that both were made from" : visible(alt), loading: "lazy", decoding: "async", width: size && size.w, height: size && size.h });
      const box = el("span", { class: isSheet && !isPhoto ? "halves" : null }, image);
      if (act) box.addEventListener("click", act);
      made.append(box);
    }
    if (item.b) made.append(el("figcaption", {}, ...sides.map(([key, object]) => el("span", {}, el("span", { class: "key" }, key), " ", name(data.methods[object[0]])))));
    return made;
  };
  const promptOf = (item) => (item.p === null ? (item.f.length ? "Made from the photo" : "No prompt") : data.prompts[item.p]);
  const who = (item) => {
    const object = ([key, o]) => [key ? el("span", { class: "key" }, key) : null, el("b", { title: o[2] }, name(data.methods[o[0]]))];
    const both = item.b ? [...object(["A", item.a]), "against", ...object(["B", item.b])] : object(["", item.a]);
    return el("p", { class: "who" }, ...both, data.rubrics.length > 1 ? el("span", {}, name(data.rubrics[item.r])) : null, item.c ? name(item.c) : null, ...flags(item));
  };
  const card = (item) => {
    const prompt = promptOf(item);
    const header = el("header", {}, el("h3", { class: "prompt", dir: "auto", title: prompt.length > 300 ? visible(prompt) : null }, visible(prompt)), who(item), result(item));
    const made = el("article", { class: "item", tabindex: "-1" }, header);
    header.querySelector(".who").append(button("Open large", () => openItem(item), { class: "open" }));
    const shown = figure(item, () => openItem(item));
    if (shown) { made.classList.add("with-picture"); made.append(shown); }
    const side = el("div", { class: "table" }, verdicts(item), item.y ? el("p", { class: "hint" }, item.y) : null, ...replies(item));
    if (!shown && item.i.length > 0 && !isServed) side.append(el("p", { class: "hint" }, "No picture in this file; ", el("code", {}, "meshjudge serve RUN"), " shows it."));
    made.append(side);
    made.meshjudgeItem = item;
    return made;
  };

  const list = at("items");
  const more = at("more");
  const count = at("count");
  // The search goes through the parts until a page of matches is found, and on when more is looked at.
  let search = null;
  const tell = () => {
    const isAll = search.seen === data.numItems;
    const places = search.matches.length === data.numItems ? `${data.numItems} shown` : isAll ? `${search.matches.length} of ${data.numItems} match` : `${search.matches.length} match among the first ${search.seen} of ${data.numItems}`;
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
      try { items = await loadPart(`items-${mine.part}`); } catch { mine.missing = true; break; }
      if (mine !== search) return;
      mine.part += 1;
      mine.seen += items.length;
      for (const item of items) {
        if (!matches(item, mine.wanted)) continue;
        mine.matches.push(item);
        if (hasPicture(item)) mine.pictured += 1;
      }
    }
    const next = mine.matches.slice(mine.shown, mine.shown + PAGE);
    mine.shown += next.length;
    list.append(...next.map(card));
    mine.isBusy = false;
    tell();
  };
  const refresh = () => {
    const place = (names, wanted) => (wanted === "" ? null : names.indexOf(wanted));
    const wanted = { text: state.text.trim().toLowerCase(), category: state.category, method: place(data.methods, state.method), other: place(data.methods, state.other), key: state.key,
      judge: place(data.judges, state.judge), difference: state.difference === "" ? null : Number(state.difference), outcome: state.outcome, picture: state.picture === "1" };
    search = { wanted, part: 0, seen: 0, pictured: 0, matches: [], shown: 0, isBusy: false, missing: false };
    list.replaceChildren();
    grow();
  };
  let timer = 0;
  const readForm = () => {
    choose(Object.fromEntries(Object.entries(FIELDS).map(([field, key]) => [key, form.elements[field].value])));
    showAll();
  };
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(readForm, 120); });
  form.addEventListener("reset", () => setTimeout(readForm));
  form.addEventListener("submit", (event) => { event.preventDefault(); readForm(); });
  more.addEventListener("click", grow);

  // ---- One object or pair, large, with all generators on its prompt above it.
  const large = at("large");
  let current = null; // { item } or { p, method, object }
  let viewer = null; // 3D, where there is a server or a bundle
  const closeLarge = () => { viewer?.dispose(); viewer = null; current = null; };
  const shut = () => { large.close(); closeLarge(); if (state.open) choose({ open: "" }); };
  // Escape closes it too. The event comes later than the closing, when it may be open again.
  large.addEventListener("close", () => { if (!large.open) shut(); });
  const rowOf = (p) => rows.find((row) => row.p === p);
  const showLarge = (made) => {
    closeLarge();
    current = made;
    const { item } = made;
    const p = item ? item.p : made.p;
    const sides = item ? sidesOf(item) : [["", made.object]];
    const row = rowOf(p);
    const copy = button("Copy link", async () => {
      try { await navigator.clipboard.writeText(location.href); copy.textContent = "Copied"; } catch { copy.textContent = "The link is in the address bar"; }
    });
    const tiles = row ? el("div", { class: "tiles small", role: "group", "aria-label": "Generators on this prompt" }, ...columns.filter((method) => row.cells.has(method)).map((method) => {
      const side = sides.find(([, object]) => object[0] === method);
      const chosen = button("", () => pick(row, method), { class: "cell", "aria-pressed": String(Boolean(side)), title: side ? null : "Compare with it" });
      chosen.append(tile(p, method), el("b", {}, side && side[0] ? el("span", { class: "key" }, side[0]) : null, name(data.methods[method])));
      return chosen;
    })) : null;
    const stage = el("div", { class: "stage" });
    const shown = item ? figure(item) : null;
    large.replaceChildren(
      el("header", {}, el("h2", { dir: "auto", tabindex: "-1" }, visible(item ? promptOf(item) : data.prompts[p])), el("span", { class: "large-tools" }, button("‹", () => move(-1), { "aria-label": "Before (K)" }), button("›", () => move(1), { "aria-label": "Next (J)" }), copy, button("Close", shut))),
      ...[tiles].filter(Boolean));
    if (item) {
      const side = el("div", {}, verdicts(item), item.y ? el("p", { class: "hint" }, item.y) : null, ...replies(item));
      large.append(who(item), ...[result(item)].filter(Boolean), stage, el("div", { class: "large-item" }, shown, side));
    } else {
      const own = row ? row.items.filter((other) => other.b && [other.a[0], other.b[0]].includes(made.object[0])) : [];
      const others = own.map((other) => {
        const against = data.methods[other.a[0] === made.object[0] ? other.b[0] : other.a[0]];
        return el("div", { class: "own" }, button(name(against), () => openItem(other)), result(other));
      });
      large.append(el("h3", {}, name(data.methods[made.object[0]])), el("div", { class: "large-item" }, stage, el("div", {}, ...others)));
    }
    if (!large.open) large.showModal();
    large.scrollTop = 0;
    large.querySelector("h2").focus();
    if (window.meshjudge3d) viewer = window.meshjudge3d(stage, sides.map(([key, object]) => ({ key, label: visible(data.methods[object[0]]), hash: object[2] })));
    else if (!item) stage.append(tile(p, made.object[0], visible(data.methods[made.object[0]])));
  };
  const openItem = (item) => { choose({ open: `pair ${item.id}` }, !large.open); showLarge({ item }); };
  const openObject = async (row, method) => {
    if (!all) { await readAll(); showAll(); }
    const { object } = rowOf(row.p).cells.get(method);
    choose({ open: `object ${object[1]} ${data.methods[method]}` }, !large.open);
    showLarge({ p: row.p, object });
  };
  // A second generator makes a pair with the first, a third takes the place of the second.
  const pick = (row, method) => {
    const first = current.item ? current.item.a[0] : current.object[0];
    const pairs = row.items.filter((item) => item.b && [item.a[0], item.b[0]].includes(first) && [item.a[0], item.b[0]].includes(method) && item.a[0] !== item.b[0]);
    const pair = pairs.find((item) => item.r === chosenRubric()) || pairs[0];
    if (pair && first !== method) openItem(pair); else openObject(row, method);
  };
  const move = (by) => {
    const items = current?.item ? search.matches : [];
    const next = items[items.indexOf(current?.item) + by];
    if (current?.item && items.includes(current.item) && next) { openItem(next); return; }
    const p = current?.item ? current.item.p : current?.p;
    const row = rows[rows.findIndex((found) => found.p === p) + by];
    const method = current?.object?.[0];
    if (row && row.cells.has(method)) openObject(row, method);
  };
  const showOpen = async () => {
    const [kind, id, ...rest] = state.open.split(" ");
    if (!kind) { shut(); return; }
    if (!all) { try { await readAll(); showAll(); } catch { return; } }
    const item = kind === "pair" ? all.find((found) => found.id === id) : null;
    if (item) { showLarge({ item }); return; }
    const method = data.methods.indexOf(rest.join(" "));
    const row = rows.find((found) => found.cells.get(method)?.object[1] === id);
    if (row) showLarge({ p: row.p, object: row.cells.get(method).object });
  };
  document.addEventListener("meshjudge:3d", () => { if (current) showLarge(current); });

  // J and K go through the cards, or through pairs shown large; enter opens a card.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    if (large.open && viewer?.key(event.key)) return;
    const by = { j: 1, k: -1 }[event.key];
    if (by && large.open) { move(by); return; }
    const cards = [...list.children];
    const here = cards.indexOf(document.activeElement?.closest("article.item"));
    if (by && cards.length) {
      const next = cards[here < 0 ? cards.findIndex((made) => made.getBoundingClientRect().bottom > 0) : here + by];
      next?.focus();
      next?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && here >= 0 && document.activeElement === cards[here]) openItem(cards[here].meshjudgeItem);
  });

  // ---- All of it.
  const showAll = () => {
    showBoards();
    fillTools();
    fillForm();
    if (all) showRows();
    refresh();
  };
  // Before all items are read, the first screen shows the pictures without results.
  const heads = firstBoard ? [...firstBoard.querySelectorAll(".plot tbody th bdi")].map((head) => data.methods.findIndex((method) => visible(method) === head.textContent)) : [];
  columns = [...new Set([...heads.filter((method) => method >= 0), ...data.strips.flatMap(([, methods]) => methods)])];
  const empty = () => ({ object: null, won: 0, lost: 0, tied: 0, sum: 0, count: 0 });
  rows = data.strips.map(([p, methods]) => ({ p, items: [], cells: new Map(methods.map((method) => [method, empty()])) }));
  at("gallery-app").hidden = false;
  showAll();
  showRow();
  const readRows = async () => {
    try { await readAll(); showRows(); } catch { at("prompts-said").textContent = "their folder is missing; it belongs next to this page"; }
  };
  if (!data.parts) readRows().then(showOpen);
  else {
    at("prompts").hidden = false;
    at("prompts-said").textContent = plural(data.prompts.length, "prompt");
    new IntersectionObserver((entries, observer) => { if (entries[0].isIntersecting && !all) { observer.disconnect(); readRows(); } }, { rootMargin: "400px" }).observe(at("prompts"));
    showOpen();
  }
  window.addEventListener("popstate", () => { load(); showAll(); showOpen(); });
  if (state.at) at(state.at)?.scrollIntoView();

  // ---- A page of a growing run comes again, unless it is large or somebody is at something.
  const mark = document.currentScript.dataset.served;
  if (isServed && mark) {
    setInterval(async () => {
      let now = mark;
      try { const answer = await fetch("api/mark"); if (answer.ok) now = await answer.text(); } catch { return; }
      if (now === mark) return;
      if (!data.parts && !large.open && !document.activeElement?.matches("input, select")) { location.reload(); return; }
      if (!at("grown")) document.body.append(button("The run has grown. Show it", () => location.reload(), { id: "grown" }));
    }, 1000 * FOLLOW_SECONDS);
  }
})();
