"""Sixteen kinds of damage that generators of 3D objects show, from common sense.

Written on 25 November, before its author read the judge's code, signals, issue
or weights. Each kind has one strength, chosen so that a person sees it at once
in a picture of the whole object. Every pair is written by the same exporter:
`ref.glb` is the asset, `bad.glb` the damaged one, the same number of units.
Front is +z, up is +y.
"""
import sys, os, json, hashlib
import numpy as np, trimesh
from PIL import Image, ImageFilter
from scipy import ndimage
from scipy.spatial import cKDTree

ASSETS = [
    "gen-trellis-sample-1.glb", "gen-trellis-sample-2.glb", "gen-pointe-corgi.ply",
    "gen-detailgen-1.glb", "handmade-astronaut.glb", "handmade-choco-bunny.glb",
    "handmade-phoenix.glb", "handmade-red-car.glb", "handmade-shiba.glb",
    "kaykit-chest-gold.glb", "kaykit-crossbow.glb", "kenney-motorcycle.glb",
    "kenney-character.glb", "pbr-flower-vase.glb", "pbr-damask-chair.glb",
    "scan-ycb-mustard.glb", "scan-venus-statue.glb", "scan-saxophone.glb",
    "game-biplane.obj", "game-vr-hand.glb", "cad-camera-d415.glb", "lowpoly-camp.glb",
]

def load(path):
    s = trimesh.load(path, process=False)
    ms = [s] if isinstance(s, trimesh.Trimesh) else list(s.dump(concatenate=False))
    ms = [m for m in ms if isinstance(m, trimesh.Trimesh) and len(m.faces)]
    return [m.copy() for m in ms]

def save(ms, path):
    sc = trimesh.Scene()
    for i, m in enumerate(ms):
        sc.add_geometry(m, node_name=f"n{i}", geom_name=f"g{i}")
    sc.export(path, include_normals=True)

def box(ms):
    lo = np.min([m.vertices.min(0) for m in ms], 0); hi = np.max([m.vertices.max(0) for m in ms], 0)
    return lo, hi, np.linalg.norm(hi - lo)

def moved(ms, f):
    """Each vertex to f(position, smooth normal); vertices at one place move as one."""
    allv = np.vstack([m.vertices for m in ms]); lo, hi, d = box(ms)
    key = np.round((allv - lo) / (d * 1e-6)).astype(np.int64)
    _, inv = np.unique(key, axis=0, return_inverse=True); inv = inv.ravel()
    n = np.zeros((inv.max() + 1, 3)); o = 0
    for m in ms:
        fn = m.face_normals * m.area_faces[:, None]
        for k in range(3):
            np.add.at(n, inv[o + m.faces[:, k]], fn)
        o += len(m.vertices)
    n /= np.linalg.norm(n, axis=1, keepdims=True) + 1e-30
    p = np.zeros_like(n); p[inv] = allv
    q = f(p, n)[inv]
    out, o = [], 0
    for m in ms:
        c = trimesh.Trimesh(q[o:o + len(m.vertices)], m.faces, visual=m.visual.copy(), process=False)
        o += len(m.vertices); out.append(c)
    return out

def fine(ms, want=6000):
    """Enough triangles for a deformation to show: midpoint subdivision."""
    while sum(len(m.faces) for m in ms) < want:
        ms = [m.subdivide() for m in ms]
    return ms

def drop(ms, keep):
    out = []
    for m in ms:
        k = keep(m)
        if k.any():
            c = m.copy(); c.update_faces(k); c.remove_unreferenced_vertices(); out.append(c)
    return out

def vcol(m):
    v = m.visual
    if v.kind == "texture":
        mat = v.material
        try:
            c = v.to_color().vertex_colors
        except Exception:
            c = None
        if c is None or len(c) != len(m.vertices):
            f = getattr(mat, "main_color", np.array([180, 180, 180, 255]))
            c = np.tile(f, (len(m.vertices), 1))
        return np.asarray(c, np.uint8)
    if v.kind == "vertex":
        return np.asarray(v.vertex_colors, np.uint8)
    if v.kind == "face":
        return np.asarray(v.to_vertex().vertex_colors if hasattr(v, "to_vertex") else v.vertex_colors, np.uint8)
    return np.tile(np.array([180, 180, 180, 255], np.uint8), (len(m.vertices), 1))

def cloud(ms, n=200000):
    ps, cs = [], []
    tot = sum(m.area for m in ms)
    for m in ms:
        k = int(n * m.area / tot) + 1
        p, fi = trimesh.sample.sample_surface(m, k, seed=1)
        ps.append(p)
        b = trimesh.triangles.points_to_barycentric(m.triangles[fi], p)
        if m.visual.kind == "texture" and m.visual.uv is not None and image(m) is not None:
            uv = (m.visual.uv[m.faces[fi]] * b[:, :, None]).sum(1); a = np.asarray(image(m).convert("RGBA"))
            h, w = a.shape[:2]
            cs.append(a[((1 - uv[:, 1]) % 1 * h).astype(int) % h, (uv[:, 0] % 1 * w).astype(int) % w])
        else:
            cs.append((vcol(m)[m.faces[fi]] * b[:, :, None]).sum(1).clip(0, 255).astype(np.uint8))
    return np.vstack(ps), np.vstack(cs)

def solid(ms, res):
    """A filled voxel grid of the surface, and its transform."""
    lo, hi, d = box(ms); pitch = (hi - lo).max() / res
    p, _ = cloud(ms, max(400000, res * res * 60))
    dims = np.ceil((hi - lo) / pitch).astype(int) + 7
    g = np.zeros(dims, bool); i = np.floor((p - lo) / pitch).astype(int) + 3; g[tuple(i.T)] = True
    return g, lo - 3 * pitch + pitch / 2, pitch

def from_field(field, level, lo, pitch, ms):
    from skimage import measure
    v, f, _, _ = measure.marching_cubes(field, level)
    v = v * pitch + lo
    p, c = cloud(ms); _, j = cKDTree(p).query(v)
    return [trimesh.Trimesh(v, f[:, ::-1], vertex_colors=c[j], process=False)]

# ---------------------------------------------------------------- geometry
def relief(ms, r):            # depth guessed from one view: the object is flat
    _, _, d = box(ms); return moved(ms, lambda p, n: p * [1, 1, 0.35])

def back_is_front(ms, r):     # two fronts: the back half is the front half mirrored
    lo, hi, _ = box(ms); mid = (lo + hi)[2] / 2
    out = []
    for m in drop(ms, lambda m: m.triangles_center[:, 2] >= mid):
        out.append(m); c = m.copy(); v = c.vertices.copy(); v[:, 2] = 2 * mid - v[:, 2]
        out.append(trimesh.Trimesh(v, c.faces[:, ::-1], visual=c.visual.copy(), process=False))
    return out

def blobby(ms, r):            # small parts melted away by a coarse field
    g, lo, pitch = solid(ms, 28); g = ndimage.binary_fill_holes(g)
    return from_field(ndimage.gaussian_filter(g.astype(float), 1.0), 0.35, lo, pitch, ms)

def stairs(ms, r):            # the voxels of a coarse field show as steps
    g, lo, pitch = solid(ms, 48); g = ndimage.binary_fill_holes(g)
    return from_field(g.astype(float), 0.5, lo, pitch, ms)

def webbed(ms, r):            # gaps between limbs grown shut
    g, lo, pitch = solid(ms, 90); g = np.pad(g, 10)
    g = ndimage.binary_fill_holes(ndimage.binary_closing(g, ndimage.generate_binary_structure(3, 1), 8))
    return from_field(ndimage.gaussian_filter(g.astype(float), 1.0), 0.5, lo - 10 * pitch, pitch, ms)

def cut_limb(ms, r):          # about a sixth of the surface is missing at one end
    v = np.vstack([m.triangles_center for m in ms]); w = np.hstack([m.area_faces for m in ms])
    ax = r.normal(size=3); ax /= np.linalg.norm(ax); t = v @ ax; o = np.argsort(t)
    lim = t[o][np.searchsorted(np.cumsum(w[o]), 0.84 * w.sum())]
    return drop(ms, lambda m: m.triangles_center @ ax < lim)

def swollen(ms, r):           # everything is thicker than it should be
    _, _, d = box(ms); return moved(fine(ms), lambda p, n: p + n * d * 0.03)

def waves(ms, r, amp=0.012, wave=0.10):
    lo, hi, d = box(ms); k = r.normal(size=(24, 3)); k *= (2 * np.pi / (wave * d) * r.uniform(.6, 1.4, 24) / np.linalg.norm(k, axis=1))[:, None]
    ph = r.uniform(0, 2 * np.pi, 24)
    return lambda p: d * amp * np.sqrt(2 / 24) * np.sin(p @ k.T + ph).sum(1)

def lumpy(ms, r):             # smooth surfaces come out with dents and lumps
    ms = fine(ms, 20000); h = waves(ms, r); return moved(ms, lambda p, n: p + n * h(p)[:, None])

def spikes(ms, r):            # a few needles
    ms = fine(ms); _, _, d = box(ms)
    def f(p, n):
        q = p.copy(); i = r.choice(len(p), 14, replace=False); q[i] += n[i] * (d * r.uniform(.08, .2, 14))[:, None]; return q
    return moved(ms, f)

def crumbs(ms, r):            # bits that hang in the air around the object
    lo, hi, d = box(ms); out = list(ms); p, c = cloud(ms, 5000)
    for _ in range(9):
        j = r.integers(len(p)); s = trimesh.creation.icosphere(2, d * r.uniform(.012, .035))
        s.vertices *= r.uniform(.6, 1.3, 3); away = p[j] - (lo + hi) / 2; away /= np.linalg.norm(away) + 1e-9
        s.vertices += p[j] + away * d * r.uniform(.06, .15); s.visual.vertex_colors = np.tile(c[j], (len(s.vertices), 1)); out.append(s)
    return out

def torn(ms, r):              # patches of the surface are missing
    ms = fine(ms); _, _, d = box(ms); p, _ = cloud(ms, 5000); c = p[r.choice(len(p), 8, replace=False)]
    rad = d * r.uniform(.03, .06, 8)
    return drop(ms, lambda m: (np.linalg.norm(m.triangles_center[:, None] - c[None], axis=2) > rad).all(1))

def slab(ms, r):              # a piece of floor came along
    lo, hi, d = box(ms); s = trimesh.creation.box([1.5 * (hi - lo)[0], .03 * d, 1.5 * (hi - lo)[2]])
    s.vertices += [(lo + hi)[0] / 2, lo[1], (lo + hi)[2] / 2]; s.visual.vertex_colors = np.tile([150, 145, 140, 255], (len(s.vertices), 1))
    return ms + [s]

def twisted(ms, r):           # the object leans and twists
    ms = fine(ms); lo, hi, d = box(ms); mid = (lo + hi) / 2
    def f(p, n):
        q = p - mid; t = (q[:, 1]) / (hi - lo)[1] * np.radians(50); x = q[:, 0] * np.cos(t) - q[:, 2] * np.sin(t); z = q[:, 0] * np.sin(t) + q[:, 2] * np.cos(t)
        return np.c_[x + .25 * q[:, 1], q[:, 1], z] + mid
    return moved(ms, f)

# ---------------------------------------------------------------- texture
def image(m):
    mat = getattr(m.visual, "material", None); im = getattr(mat, "baseColorTexture", None)
    if im is None: im = getattr(mat, "image", None)
    return im

def raster(m, w, h):
    """World position of each texel that a triangle covers (nan elsewhere)."""
    pos = np.full((h, w, 3), np.nan, np.float32); uv = m.visual.uv % 1.0 if (m.visual.uv.min() < -.01 or m.visual.uv.max() > 1.01) else m.visual.uv
    x = uv[:, 0] * w - .5; y = (1 - uv[:, 1]) * h - .5
    for f in m.faces:
        X, Y, P = x[f], y[f], m.vertices[f]
        x0, x1 = max(int(np.floor(X.min())) - 1, 0), min(int(np.ceil(X.max())) + 1, w - 1); y0, y1 = max(int(np.floor(Y.min())) - 1, 0), min(int(np.ceil(Y.max())) + 1, h - 1)
        if x1 < x0 or y1 < y0 or (x1 - x0) > w * .9 and (y1 - y0) > h * .9 and len(m.faces) > 50: continue
        gx, gy = np.meshgrid(np.arange(x0, x1 + 1), np.arange(y0, y1 + 1))
        den = (Y[1] - Y[2]) * (X[0] - X[2]) + (X[2] - X[1]) * (Y[0] - Y[2])
        if abs(den) < 1e-9: continue
        a = ((Y[1] - Y[2]) * (gx - X[2]) + (X[2] - X[1]) * (gy - Y[2])) / den; b = ((Y[2] - Y[0]) * (gx - X[2]) + (X[0] - X[2]) * (gy - Y[2])) / den
        k = (a > -.2) & (b > -.2) & (1 - a - b > -.2)
        pos[gy[k], gx[k]] = a[k, None] * P[0] + b[k, None] * P[1] + (1 - a - b)[k, None] * P[2]
    return pos

def painted(ms, f, dense=True):
    """Each colour to f(rgb in 0..255, position); texels where there is a texture, else vertices."""
    out = []
    for m in ms:
        im = image(m)
        if im is not None and m.visual.kind == "texture" and m.visual.uv is not None:
            im = im.convert("RGBA"); s = min(1, 1024 / max(im.size)); im = im.resize((max(int(im.size[0] * s), 1), max(int(im.size[1] * s), 1)))
            if max(im.size) < 256: im = im.resize((im.size[0] * max(1, 256 // im.size[0]), im.size[1] * max(1, 256 // im.size[1])), Image.NEAREST)
            a = np.asarray(im).copy(); pos = raster(m, *im.size); k = np.isfinite(pos[..., 0])
            a[k, :3] = np.clip(f(a[k, :3].astype(float), pos[k]), 0, 255).astype(np.uint8)
            c = m.copy(); mat = c.visual.material.copy()
            if hasattr(mat, "baseColorTexture"): mat.baseColorTexture = Image.fromarray(a)
            else: mat.image = Image.fromarray(a)
            c.visual = trimesh.visual.TextureVisuals(uv=m.visual.uv.copy(), material=mat); out.append(c)
        else:
            c = m.copy(); col = vcol(m)
            c = trimesh.Trimesh(m.vertices, m.faces, vertex_colors=col, process=False)
            if dense:
                while len(c.faces) < 3000: c = c.subdivide()
            col = np.asarray(c.visual.vertex_colors).copy(); col[:, :3] = np.clip(f(col[:, :3].astype(float), c.vertices), 0, 255).astype(np.uint8)
            c.visual = trimesh.visual.ColorVisuals(c, vertex_colors=col); out.append(c)
    return out

def smeared(ms, r):           # the paint is blurred: colour averaged over 6 % of the object
    p, c = cloud(ms, 60000); c = c[:, :3].astype(float); _, _, d = box(ms); t = cKDTree(p)
    k = max(1, 60000 // 60)
    sel = r.choice(len(p), 6000, replace=False)
    avg = np.array([c[i].mean(0) for i in t.query_ball_point(p[sel], .05 * d)]); ts = cKDTree(p[sel])
    def f(rgb, q):
        dd, j = ts.query(q, k=4); w = 1 / (dd + 1e-9); w /= w.sum(1, keepdims=True); return (avg[j] * w[..., None]).sum(1)
    return painted(ms, f)

def blotches(ms, r):          # stains: patches of colours that do not belong
    _, _, d = box(ms); p, _ = cloud(ms, 5000); c = p[r.choice(len(p), 14, replace=False)]; rad = d * r.uniform(.03, .08, 14); col = r.uniform(20, 235, (14, 3))
    def f(rgb, q):
        o = rgb.copy()
        for i in range(14):
            k = np.linalg.norm(q - c[i], axis=1) < rad[i]; o[k] = .25 * o[k] + .75 * col[i]
        return o
    return painted(ms, f)

def baked_shade(ms, r):       # a hard shadow is painted in: one side nearly black
    lo, hi, d = box(ms); ax = np.array([1., .3, -.4]); ax /= np.linalg.norm(ax); mid = (lo + hi) / 2
    return painted(ms, lambda rgb, q: rgb * np.clip(.55 - 1.6 * ((q - mid) @ ax) / d, .12, 1)[:, None])

def grey_back(ms, r):         # nothing was painted where the view did not reach
    lo, hi, d = box(ms); z = (lo + hi)[2] / 2
    return painted(ms, lambda rgb, q: np.where((q[:, 2] < z)[:, None], 128., rgb))

def colour_cast(ms, r):       # the whole object has the wrong tint
    M = np.array([[.5, .1, .0], [.25, 1., .2], [.0, .1, .45]]); return painted(ms, lambda rgb, q: rgb @ M.T + [0, 18, 0])

def speckle(ms, r):           # grain all over the paint
    lo, hi, d = box(ms); n = 90; g = r.normal(0, 45, (n + 2, n + 2, n + 2, 3))
    def f(rgb, q):
        i = np.clip(((q - lo) / (hi - lo).max() * n).astype(int), 0, n + 1); return rgb + g[i[:, 0], i[:, 1], i[:, 2]]
    return painted(ms, f)

def offset_projection(ms, r):  # two views painted with an offset: edges show twice
    p, c = cloud(ms, 150000); _, _, d = box(ms); t = cKDTree(p); c = c[:, :3].astype(float)
    def f(rgb, q):
        _, j = t.query(q + np.array([.035, .02, 0]) * d); return .5 * rgb + .5 * c[j]
    return painted(ms, f)

GEOMETRY = [relief, back_is_front, blobby, stairs, webbed, cut_limb, swollen, lumpy, spikes, crumbs, torn, slab, twisted]
TEXTURE = [smeared, blotches, baked_shade, grey_back, colour_cast, speckle, offset_projection]
SEAMLESS = {}

if __name__ == "__main__":
    src, dst = sys.argv[1:3]
    for a in ASSETS:
        try:
            ms = load(os.path.join(src, a))
        except Exception as e:
            print("skip", a, e); continue
        if any(not np.isfinite(m.vertices).all() or m.area <= 0 for m in ms) : print("skip", a); continue
        coloured = len(np.unique(cloud(ms, 4000)[1][:, :3] // 32, axis=0)) > 2
        for k in GEOMETRY + TEXTURE:
            if k in TEXTURE and not coloured: continue
            name = os.path.splitext(a)[0]; out = os.path.join(dst, k.__name__, name); os.makedirs(out, exist_ok=True)
            if os.path.exists(out + "/bad.glb"): continue
            r = np.random.default_rng(int(hashlib.md5((k.__name__ + name).encode()).hexdigest()[:8], 16))
            try:
                bad = k(ms, r); save(ms, out + "/ref.glb"); save(bad, out + "/bad.glb")
            except Exception as e:
                print("fail", k.__name__, name, repr(e)[:150])
        print("done", a, flush=True)
