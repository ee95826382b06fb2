// Puts a button for the 3D views on every card of the served report. One pair is open at a time: browsers allow few WebGL contexts.
import { PairView, hasWebGL } from "./view3d.js";

let open = null;
const close = () => {
  if (!open) return;
  open.view.dispose();
  open.box.remove();
  open.button.textContent = "Show in 3D";
  open = null;
};

const canvas = (label) => {
  const made = document.createElement("canvas");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  made.tabIndex = 0;
  return made;
};

const toggle = async (button, card, item) => {
  const isOwn = open && open.button === button;
  close();
  if (isOwn) return;
  const box = document.createElement("div");
  box.className = "views";
  const objects = [item.a, item.b].filter(Boolean);
  const sides = item.b && item.o ? [...objects].reverse() : objects;
  const canvases = sides.map((_, i) => canvas(`3D view ${i + 1}; drag to turn`));
  box.append(...canvases);
  (card.querySelector("figure") || card.querySelector(".table")).append(box);
  button.textContent = "Close 3D";
  const status = document.createElement("p");
  status.className = "hint";
  status.setAttribute("role", "status");
  try {
    const view = new PairView(canvases);
    open = { view, box, button };
    await view.show(sides.map((object) => `asset/${object[2]}`));
  } catch (error) {
    status.textContent = `No 3D view: ${error.message}`;
    box.append(status);
  }
};

const able = hasWebGL();
const add = (card, item) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = able ? "Show in 3D" : "3D needs WebGL, which this browser lacks";
  button.disabled = !able;
  button.className = "show3d";
  button.addEventListener("click", () => toggle(button, card, item));
  card.querySelector(".who").append(button);
};

const added = new WeakSet();
document.addEventListener("meshjudge:card", (event) => {
  added.add(event.detail.card);
  add(event.detail.card, event.detail.item);
});
// Cards that were there before this module was loaded.
for (const card of document.querySelectorAll("article.item")) if (!added.has(card) && card.meshjudgeItem) add(card, card.meshjudgeItem);
