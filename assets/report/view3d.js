// The one 3D viewer of the report, the ballot and the bundle: one or two assets side by side, turned together. Each is moved and scaled so that its bounding sphere has radius 1 at the origin, as the
// renderer does, and lit by the same plain studio: what differs is the asset. Gaussian splats have their light in their colours.
import * as THREE from "three";
import { OrbitControls } from "../viewer/controls/OrbitControls.js";
import { GLTFLoader } from "../viewer/loaders/GLTFLoader.js";

const FOV = 35;
const MARGIN = 1.06; // around the objects
const GZIP = 0x1f; // first byte of an SPZ file; a GLB begins with "g"
const SLOPE = Math.tan((FOV / 2) * Math.PI / 180);
const STEP = Math.PI / 18; // of an arrow key
const NEAR = 0.6;
const FAR = 12;
const TURNTABLE_SECONDS = 12; // for a whole turn
const SPLATS_SECONDS = 3; // longest wait for their first picture
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export const hasWebGL = () => {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2");
  if (!context) return false;
  const lose = context.getExtension("WEBGL_lose_context");
  if (lose) lose.loseContext();
  return true;
};

// A grey room with three soft lights, for reflections: without one every metal is black.
const studio = (renderer) => {
  const room = new THREE.Scene();
  room.add(new THREE.Mesh(new THREE.SphereGeometry(10, 16, 12), new THREE.MeshBasicMaterial({ color: 0x9a9a9a, side: THREE.BackSide })));
  for (const [x, y, z, size, strength] of [[4, 5, 5, 4, 5], [-6, 3, 3, 4, 2.5], [0, 4, -6, 5, 2]]) {
    const light = new THREE.Mesh(new THREE.PlaneGeometry(size, size), new THREE.MeshBasicMaterial({ color: new THREE.Color(strength, strength, strength), side: THREE.DoubleSide }));
    light.position.set(x, y, z);
    light.lookAt(0, 0, 0);
    room.add(light);
  }
  const maker = new THREE.PMREMGenerator(renderer);
  const made = maker.fromScene(room, 0.03).texture;
  maker.dispose();
  return made;
};

// Colours splats by their shortest axes, turned towards the viewer.
const normalColors = (dyno, worldToView) => dyno.dynoBlock({ gsplat: dyno.Gsplat }, { gsplat: dyno.Gsplat }, ({ gsplat }) => {
  const seen = worldToView.applyGsplat(gsplat);
  const axis = dyno.gsplatNormal(seen);
  const isAway = dyno.greaterThanEqual(dyno.dot(dyno.splitGsplat(seen).outputs.center, axis), dyno.dynoConst("float", 0));
  const half = dyno.dynoConst("float", 0.5);
  const rgb = dyno.add(dyno.mul(dyno.select(isAway, dyno.neg(axis), axis), half), half);
  return { gsplat: dyno.combineGsplat({ gsplat, rgb }) };
});

// Reads a response and reports how much of it is here.
const bytesOf = async (response, tell) => {
  const total = Number(response.headers.get("content-length")) || 0;
  const parts = [];
  let size = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    tell(size, total);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
};

class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.shows = 0; // counts calls of show, so that a late file of an earlier one is dropped
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color(0xffffff);
    this.scene.environment = studio(this.renderer);
    this.camera = new THREE.PerspectiveCamera(FOV, 1, 0.05, 50);
    this.camera.position.set(0.45, 0.32, 1).normalize();
    this.key = new THREE.DirectionalLight(0xffffff, 1.1);
    this.camera.add(this.key);
    this.key.position.set(1, 1.5, 1);
    this.scene.add(this.camera);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enablePan = false;
    this.controls.minDistance = NEAR;
    this.controls.maxDistance = FAR;
    this.object = null;
    this.splats = null; // if the object is splats
    this.half = { radius: 1, height: 1 }; // of the object, about the upright axis
    this.isBare = false;
    this.isWire = false;
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const [aside, down] = ARROWS[event.key] || [0, 0];
      const nearer = { "+": 0.9, "=": 0.9, "-": 1 / 0.9 }[event.key] || 1;
      if (!aside && !down && nearer === 1) return;
      // Neither scrolls the page nor answers a question.
      event.preventDefault();
      event.stopPropagation();
      this.turn(aside * STEP, down * STEP, nearer);
    });
  }

  // Moves the camera around the object: to its right, downwards, and to a multiple of its distance.
  turn(right, down, nearer = 1) {
    const place = new THREE.Spherical().setFromVector3(this.camera.position);
    place.theta += right;
    place.phi = Math.min(Math.max(place.phi + down, 0.02), Math.PI - 0.02);
    place.radius = Math.min(Math.max(place.radius * nearer, NEAR), FAR);
    this.camera.position.setFromSpherical(place);
    this.controls.update();
  }

  // Settles when the asset is drawn, with its number of triangles or splats and the receipt of its file; null if another call came after this one.
  async show(url, get, tell) {
    this.clear();
    const mine = this.shows;
    const response = await get(url);
    if (!response.ok) throw new Error(await response.text());
    const receipt = response.headers.get("meshjudge-receipt");
    const bytes = await bytesOf(response, tell);
    if (mine !== this.shows) return null;
    const shown = bytes[0] === GZIP ? await this.showSplats(bytes, mine) : await this.showMesh(bytes, mine);
    if (mine !== this.shows) return null;
    if (this.renderer.getContext().isContextLost()) throw new Error("the browser has taken its 3D view away; close other pages with 3D views");
    return { ...shown, receipt };
  }

  async showMesh(bytes, mine) {
    const { scene } = await new GLTFLoader().parseAsync(bytes.buffer, "");
    if (mine !== this.shows) return null;
    let triangles = 0;
    const box = new THREE.Box3().setFromObject(scene);
    const center = box.getCenter(new THREE.Vector3());
    let radius = 0;
    const half = { radius: 0, height: 0 };
    const at = new THREE.Vector3();
    scene.updateMatrixWorld(true);
    scene.traverse((node) => {
      if (!node.isMesh) return;
      const positions = node.geometry.attributes.position;
      triangles += (node.geometry.index || positions).count / 3;
      for (let i = 0; i < positions.count; i += 1) {
        at.fromBufferAttribute(positions, i).applyMatrix4(node.matrixWorld).sub(center);
        radius = Math.max(radius, at.length());
        half.radius = Math.max(half.radius, Math.hypot(at.x, at.z));
        half.height = Math.max(half.height, Math.abs(at.y));
      }
    });
    this.half = { radius: half.radius / (radius || 1), height: half.height / (radius || 1) };
    const holder = new THREE.Group();
    scene.position.sub(center);
    holder.add(scene);
    holder.scale.setScalar(1 / (radius || 1));
    this.object = holder;
    this.scene.add(holder);
    this.paint();
    return { triangles: Math.round(triangles) };
  }

  // The server has put the splats around the origin, with radius 1. Filter and order are the renderer's: 0.3 px², by depth.
  async showSplats(bytes, mine) {
    const spark = await import("../viewer/splats/spark.module.min.js");
    const splats = new spark.SplatMesh({ fileBytes: bytes, fileType: "spz" });
    await splats.initialized;
    if (mine !== this.shows) { splats.dispose(); return null; }
    let count = 0;
    splats.enableWorldToView = true;
    this.normals = normalColors(spark.dyno, splats.context.worldToView);
    const drawer = new spark.SparkRenderer({ renderer: this.renderer, preBlurAmount: 0.3, blurAmount: 0, maxStdDev: Math.sqrt(2 * Math.log(255)), view: { sortRadial: false } });
    this.half = { radius: 0, height: 0 };
    splats.forEachSplat((_, { x, y, z }) => {
      count += 1;
      if (Math.hypot(x, y, z) > 1) return; // a floater
      this.half.radius = Math.max(this.half.radius, Math.hypot(x, z));
      this.half.height = Math.max(this.half.height, Math.abs(y));
    });
    this.object = new THREE.Group();
    this.object.add(splats, drawer);
    this.splats = splats;
    this.scene.add(this.object);
    this.paint();
    // They are sorted elsewhere, so the picture is right some frames after the camera moved.
    this.renderer.setAnimationLoop(() => this.draw());
    for (const start = performance.now(); performance.now() - start < 1000 * SPLATS_SECONDS && mine === this.shows && this.isEmpty();) await new Promise(requestAnimationFrame);
    return { splats: count };
  }

  // Whether it shows nothing but the background.
  isEmpty() {
    const small = document.createElement("canvas");
    small.width = small.height = 32;
    const context = small.getContext("2d");
    context.drawImage(this.canvas, 0, 0, 32, 32);
    return context.getImageData(0, 0, 32, 32).data.every((value) => value === 255);
  }

  // The bare shape is coloured by where its surface points: right is red, up is green, towards the viewer is blue.
  paint() {
    if (this.splats) {
      this.splats.worldModifier = this.isBare ? this.normals : undefined;
      this.splats.updateGenerator();
    } else if (this.object) {
      this.object.traverse((node) => {
        if (!node.isMesh) return;
        node.userData.painted = node.userData.painted || node.material;
        const isFlat = !node.geometry.attributes.normal;
        const old = node.material;
        node.material = this.isBare ? new THREE.MeshNormalMaterial({ side: THREE.DoubleSide, flatShading: isFlat }) : node.userData.painted;
        for (const material of [node.material].flat()) material.wireframe = this.isWire;
        if (old !== node.material && old !== node.userData.painted) old.dispose();
      });
    }
    this.draw();
  }

  // Distance of the camera at which the object fills the picture, and stays in it when turned about its upright axis.
  distance() {
    const { radius, height } = this.half;
    const rise = this.camera.position.y / (this.camera.position.length() || 1);
    const level = Math.sqrt(1 - rise * rise);
    const up = (height * level + radius * Math.abs(rise)) / SLOPE;
    const aside = radius / (SLOPE * this.camera.aspect);
    return MARGIN * (Math.max(up, aside) + radius * level * 0.6);
  }

  // Empties the canvas at once.
  clear() {
    this.shows += 1;
    delete this.canvas.dataset.drawn;
    if (!this.object) return;
    if (this.splats) {
      this.renderer.setAnimationLoop(null);
      this.splats.dispose();
      this.splats = null;
    }
    this.object.traverse((node) => {
      if (!node.isMesh) return;
      node.geometry.dispose();
      for (const material of [node.material, node.userData.painted].flat().filter(Boolean)) {
        for (const value of Object.values(material)) if (value && value.isTexture) value.dispose();
        material.dispose();
      }
    });
    this.scene.remove(this.object);
    this.object = null;
    this.draw();
  }

  resize() {
    const size = Math.max(1, Math.round(this.canvas.clientWidth));
    const height = Math.max(1, Math.round(this.canvas.clientHeight));
    const ratio = this.renderer.getPixelRatio();
    if (this.canvas.width !== Math.floor(size * ratio) || this.canvas.height !== Math.floor(height * ratio)) {
      this.renderer.setSize(size, height, false);
      this.camera.aspect = size / height;
      this.camera.updateProjectionMatrix();
    }
  }

  draw() {
    this.resize();
    if (this.object) this.canvas.dataset.drawn = "1";
    this.renderer.render(this.scene, this.camera);
  }

  dispose() {
    this.clear();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

// One or two views with one camera.
export class PairView {
  constructor(canvases) {
    this.views = canvases.map((canvas) => new View(canvas));
    const [first] = this.views;
    this.home = first.camera.position.clone();
    this.turning = 0; // the request of the next frame of a turntable
    for (const view of this.views) {
      view.controls.addEventListener("change", () => {
        for (const other of this.views) {
          if (other !== view) {
            other.camera.position.copy(view.camera.position);
            other.camera.quaternion.copy(view.camera.quaternion);
          }
          other.draw();
        }
      });
    }
    this.resized = new ResizeObserver(() => this.views.forEach((view) => view.draw()));
    for (const view of this.views) this.resized.observe(view.canvas);
  }

  // Takes addresses, fewer than views if some stay empty, who fetches them, and who hears of the bytes that are here and those that are wanted. Settles when all are drawn, with
  // what View.show says of each; with null if another call came after this one.
  async show(urls, get = (url) => fetch(url), tell = () => {}) {
    const read = urls.map(() => [0, 0]);
    for (const view of this.views.slice(urls.length)) view.clear();
    const shown = await Promise.all(this.views.slice(0, urls.length).map((view, i) => view.show(urls[i], get, (here, all) => {
      read[i] = [here, all];
      tell(read.reduce((sum, [bytes]) => sum + bytes, 0), read.every(([, bytes]) => bytes) ? read.reduce((sum, [, bytes]) => sum + bytes, 0) : 0);
    })));
    if (shown.includes(null)) return null;
    this.reset();
    return shown;
  }

  clear() {
    for (const view of this.views) view.clear();
  }

  // Both from as far away as the larger one needs.
  reset() {
    for (const view of this.views) {
      view.resize();
      view.camera.position.copy(this.home);
    }
    const distance = Math.max(...this.views.map((view) => view.distance()));
    for (const view of this.views) {
      view.camera.position.copy(this.home).multiplyScalar(distance);
      view.controls.update();
      view.draw();
    }
  }

  bare(isOn) {
    for (const view of this.views) { view.isBare = isOn; view.paint(); }
  }

  wire(isOn) {
    for (const view of this.views) { view.isWire = isOn; view.paint(); }
  }

  turntable(isOn) {
    cancelAnimationFrame(this.turning);
    let before = performance.now();
    const step = (now) => {
      this.views[0].turn((now - before) / 1000 / TURNTABLE_SECONDS * 2 * Math.PI, 0);
      before = now;
      this.turning = requestAnimationFrame(step);
    };
    if (isOn) this.turning = requestAnimationFrame(step);
  }

  dispose() {
    this.turntable(false);
    this.resized.disconnect();
    for (const view of this.views) view.dispose();
  }
}

// The buttons of a view and their keys, which the page hands on to `key`.
export class Tools {
  constructor(view) {
    this.view = view;
    this.box = document.createElement("div");
    this.box.className = "view-tools";
    this.box.setAttribute("role", "group");
    this.box.setAttribute("aria-label", "3D view");
    this.buttons = new Map();
    this.add("r", "reset", "Front view", () => view.reset());
    this.add("n", "bare", "Show the bare shape", (isOn) => view.bare(isOn), true);
    this.add("w", "wire", "Wireframe", (isOn) => view.wire(isOn), true);
    this.add("t", "turn", "Turntable", (isOn) => view.turntable(isOn), true);
  }

  add(key, name, label, act, isSwitch = false) {
    const button = document.createElement("button");
    const hint = document.createElement("kbd");
    hint.textContent = key.toUpperCase();
    button.type = "button";
    button.dataset.tool = name;
    button.append(label, " ", hint);
    if (isSwitch) button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      const isOn = button.getAttribute("aria-pressed") !== "true";
      if (isSwitch) button.setAttribute("aria-pressed", String(isOn));
      act(isOn);
    });
    this.buttons.set(key, button);
    this.box.append(button);
  }

  // Whether the key belongs to a button.
  key(key) {
    const button = this.buttons.get(key.toLowerCase());
    if (!button || this.box.hidden || button.disabled) return false;
    button.click();
    return true;
  }
}
