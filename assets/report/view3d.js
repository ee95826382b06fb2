// Two assets side by side, turned together. Each is moved and scaled so that its bounding sphere has radius 1 at the origin, as the
// renderer does, and lit by the same plain studio: what differs is the asset.
import * as THREE from "three";
import { OrbitControls } from "/viewer/controls/OrbitControls.js";
import { GLTFLoader } from "/viewer/loaders/GLTFLoader.js";

const FOV = 35;
const DISTANCE = 1.12 / Math.sin((FOV / 2) * Math.PI / 180);

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

class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color(0xffffff);
    this.scene.environment = studio(this.renderer);
    this.camera = new THREE.PerspectiveCamera(FOV, 1, 0.05, 50);
    this.camera.position.set(0.45, 0.32, 1).normalize().multiplyScalar(DISTANCE);
    this.key = new THREE.DirectionalLight(0xffffff, 1.1);
    this.camera.add(this.key);
    this.key.position.set(1, 1.5, 1);
    this.scene.add(this.camera);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enablePan = false;
    this.controls.minDistance = 0.6;
    this.controls.maxDistance = 12;
    this.object = null;
  }

  async show(url) {
    this.clear();
    const response = await fetch(url);
    if (!response.ok) throw new Error(await response.text());
    const { scene } = await new GLTFLoader().parseAsync(await response.arrayBuffer(), "");
    const box = new THREE.Box3().setFromObject(scene);
    const center = box.getCenter(new THREE.Vector3());
    let radius = 0;
    const at = new THREE.Vector3();
    scene.traverse((node) => {
      if (!node.isMesh) return;
      const positions = node.geometry.attributes.position;
      for (let i = 0; i < positions.count; i += 1) radius = Math.max(radius, at.fromBufferAttribute(positions, i).distanceTo(center));
    });
    const holder = new THREE.Group();
    scene.position.sub(center);
    holder.add(scene);
    holder.scale.setScalar(1 / (radius || 1));
    this.object = holder;
    this.scene.add(holder);
    this.draw();
    this.canvas.dataset.drawn = "1";
  }

  clear() {
    delete this.canvas.dataset.drawn;
    if (!this.object) return;
    this.object.traverse((node) => {
      if (!node.isMesh) return;
      node.geometry.dispose();
      for (const material of [node.material].flat()) {
        for (const value of Object.values(material)) if (value && value.isTexture) value.dispose();
        material.dispose();
      }
    });
    this.scene.remove(this.object);
    this.object = null;
  }

  draw() {
    const size = Math.max(1, Math.round(this.canvas.clientWidth));
    const height = Math.max(1, Math.round(this.canvas.clientHeight));
    const ratio = this.renderer.getPixelRatio();
    if (this.canvas.width !== Math.floor(size * ratio) || this.canvas.height !== Math.floor(height * ratio)) {
      this.renderer.setSize(size, height, false);
      this.camera.aspect = size / height;
      this.camera.updateProjectionMatrix();
    }
    this.renderer.render(this.scene, this.camera);
  }

  dispose() {
    this.clear();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

// Two views with one camera. `show` takes two addresses and settles when both are drawn.
export class PairView {
  constructor(canvases) {
    this.views = canvases.map((canvas) => new View(canvas));
    const [first] = this.views;
    this.home = first.camera.position.clone();
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

  show(urls) {
    this.reset();
    return Promise.all(this.views.map((view, i) => view.show(urls[i])));
  }

  reset() {
    for (const view of this.views) {
      view.camera.position.copy(this.home);
      view.controls.update();
      view.draw();
    }
  }

  dispose() {
    this.resized.disconnect();
    for (const view of this.views) view.dispose();
  }
}
