// The 3D viewer of the served report and of a bundle. One is open at a time: browsers allow few WebGL contexts.
import { PairView, Tools, hasWebGL } from "./view3d.js";

const element = (tag, className, text = "") => {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
};
const counted = ({ triangles, splats }) => (splats ? `${splats.toLocaleString("en")} splats` : `${triangles.toLocaleString("en")} triangles`);

// Puts one or two objects into `stage`: { key, label, hash }.
window.meshjudge3d = (stage, objects) => {
  const status = element("p", "hint", "Loading …");
  status.setAttribute("role", "status");
  if (!hasWebGL()) {
    status.textContent = "3D needs WebGL, which this browser lacks.";
    stage.append(status);
    return null;
  }
  const box = element("div", objects.length > 1 ? "views" : "views one");
  const canvases = objects.map(({ label }) => {
    const canvas = element("canvas", "");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${label}, in 3D; drag or press arrow keys to turn`);
    canvas.tabIndex = 0;
    return canvas;
  });
  const captions = objects.map(({ key, label }) => {
    const caption = element("figcaption", "");
    const named = element("bdi", "", label);
    if (key) caption.append(element("span", "key", key), " ");
    caption.append(named);
    return caption;
  });
  box.append(...canvases.map((canvas, i) => {
    const figure = element("figure", "");
    figure.append(canvas, captions[i]);
    return figure;
  }));
  stage.append(status, box);
  const view = new PairView(canvases);
  const tools = new Tools(view);
  stage.append(tools.box);
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  const tell = (here, all) => { status.textContent = `Loading … ${megabytes(here)}${all ? ` of ${megabytes(all)}` : ""} MB`; };
  view.show(objects.map(({ hash }) => `asset/${hash}`), undefined, tell).then((shown) => {
    if (!shown) return;
    status.hidden = true;
    shown.forEach((one, i) => captions[i].append(` · ${counted(one)}`));
  }).catch((error) => {
    box.hidden = tools.box.hidden = true;
    status.textContent = `No 3D view: ${error.message}.`;
  });
  return { dispose: () => view.dispose(), key: (key) => tools.key(key) };
};
document.dispatchEvent(new Event("meshjudge:3d"));
