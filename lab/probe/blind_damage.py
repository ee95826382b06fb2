#!/usr/bin/env python3
"""Makes pairs of 3D assets (ref.glb, bad.glb) with one kind of damage each; seeded and repeatable.

    python lab/probe/blind_damage.py FOLDER MESHJUDGE [KIND ...]

Reads FOLDER/assets, writes FOLDER/pairs/KIND/ASSET/{ref,bad}.glb and FOLDER/kinds.json. Written by someone who had not read the judge; needs
fast_simplification, numpy, Pillow, scipy and trimesh. The program only turns a KTX2 texture into pixels.

Both files of a pair pass through the same loader and the same writer. The -vc assets are copies of textured
assets whose texture is turned into vertex colours on a fine mesh, since no given asset has vertex colours."""
import glob, io, json, multiprocessing, os, struct, subprocess, sys, zlib
import numpy as np
import trimesh
import fast_simplification
from PIL import Image
from scipy import ndimage, sparse
from scipy.spatial import cKDTree
from types import SimpleNamespace as NS
ROOT, PROGRAM = sys.argv[1:3]
LIMIT, TEXTURE = 40000, 512   # triangles after splitting, and texture size: small, for slow machines
# ---- meshes: V, N, UV, C per vertex; F, M (material) per face
def copy(A, **kw):
    return NS(**{**vars(A), **kw})
def diag(A):
    return float(np.linalg.norm(np.ptp(A.V[A.F].reshape(-1, 3), axis=0)))
def ids(*cols):
    x = np.hstack(cols).astype(np.uint64); k = np.random.default_rng(7).integers(1, 2 ** 63, x.shape[1], dtype=np.uint64) | np.uint64(1)
    return np.unique((x * k).sum(1, dtype=np.uint64), return_inverse=True)[1].ravel()   # a hash of each row
def weld(A):
    """Number of the place of each vertex: vertices at one place have one number."""
    return ids(np.round(A.V / (diag(A) * 1e-6)).astype(np.int64))
def cross(A):
    t = A.V[A.F]; return np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
def groups(A):
    """Smoothing groups: vertices with one place and one normal."""
    return ids(weld(A)[:, None], np.round(A.N * 200).astype(np.int64))
def renormal(A, g):
    n = np.zeros((g.max() + 1, 3))
    for k in range(3): np.add.at(n, g[A.F[:, k]], cross(A))
    n = n[g]; ln = np.linalg.norm(n, axis=1, keepdims=True); return copy(A, N=np.where(ln > 0, n / np.maximum(ln, 1e-30), A.N))
def take(A, keep):
    return copy(A, F=A.F[keep], M=A.M[keep])
def refine(A, limit=LIMIT):
    """Splits every triangle into four, as often as the limit allows; the surface stays as it is."""
    while len(A.F) * 4 <= limit:
        e = np.sort(A.F[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        _, first, inv = np.unique(e[:, 0] * np.int64(len(A.V)) + e[:, 1], return_index=True, return_inverse=True); u = e[first]
        m = inv.reshape(-1, 3) + len(A.V); a, b, c = A.F.T
        F = np.stack([a, m[:, 0], m[:, 2], m[:, 0], b, m[:, 1], m[:, 2], m[:, 1], c, m[:, 0], m[:, 1], m[:, 2]], 1)
        mid = lambda x: None if x is None else np.vstack([x, x[u].mean(1).astype(x.dtype)])
        A = copy(A, V=mid(A.V), N=mid(A.N), UV=mid(A.UV), C=mid(A.C), F=F.reshape(-1, 3), M=np.repeat(A.M, 4))
    return A
def refine_to(A, size):
    """Splits only triangles with an edge longer than size (for vertex colours)."""
    cols = np.hstack([A.V, A.N, A.UV])[A.F]; done, mats, M = [], [], A.M
    while len(cols):
        ed = np.linalg.norm(cols[:, :, :3] - np.roll(cols[:, :, :3], 1, 1), axis=2).max(1); ok = ed <= size; done.append(cols[ok]); mats.append(M[ok])
        a, b, c = cols[~ok].transpose(1, 0, 2); p, q, r = (a + b) / 2, (b + c) / 2, (c + a) / 2
        cols = np.concatenate([np.stack(t, 1) for t in ((a, p, r), (p, b, q), (r, q, c), (p, q, r))]); M = np.tile(M[~ok], 4)
    flat = np.concatenate(done).reshape(-1, 8); inv = ids(np.round(flat / np.abs(flat).max(0) * 1e6).astype(np.int64))
    x = np.zeros((inv.max() + 1, 8)); x[inv] = flat
    return copy(A, V=x[:, :3], N=x[:, 3:6], UV=x[:, 6:], F=inv.reshape(-1, 3), M=np.concatenate(mats))
def components(A):
    w = weld(A)[A.F]; n = w.max() + 1; g = sparse.coo_matrix((np.ones(2 * len(w)), (np.r_[w[:, 0], w[:, 1]], np.r_[w[:, 1], w[:, 2]])), (n, n))
    return sparse.csgraph.connected_components(g, False)[1][w[:, 0]]
def waves(P, rng, freq, n=24):
    """Smooth random field of about unit size; freq in waves per unit."""
    d = rng.normal(size=(n, 3)); d *= freq * rng.uniform(.6, 1.4, (n, 1)) / np.linalg.norm(d, axis=1, keepdims=True)
    return np.cos(2 * np.pi * (P @ d.T) + rng.uniform(0, 6.3, n)).sum(1) * np.sqrt(2 / n)
# ---- loading
def lookup(img, uv):
    a = np.asarray(img.convert('RGB')).astype(float); h, w = a.shape[:2]; x, y = (uv[:, 0] % 1) * w - .5, ((1 - uv[:, 1]) % 1) * h - .5
    return np.stack([ndimage.map_coordinates(a[..., k], [y, x], order=1, mode='nearest') for k in range(3)], 1)
def bake_box(path):
    """The sugar box has a KTX2 texture, which Pillow cannot read: collect it from unlit pictures with their UVs."""
    out = ROOT + '/look/bake'
    if not glob.glob(out + '/*/uv_5.npy'):
        subprocess.run([PROGRAM, 'render', path, '--rig', 'six', '--channels', 'uv,base-color', '--format', 'npy',
                        '--size', '1024', '--light', 'unlit', '-q', '--out', out], check=True)
    S = TEXTURE; acc, cnt = np.zeros((S * S, 3)), np.zeros(S * S)
    for f in sorted(glob.glob(out + '/*/uv_*.npy')):
        uv, c = np.load(f), np.load(f.replace('uv_', 'base-color_')); m = uv[..., 3] > .99 if uv.shape[2] == 4 else uv[..., 2] > 0
        x, y = (uv[m][:, 0] * S).astype(int) % S, (uv[m][:, 1] * S).astype(int) % S
        np.add.at(acc, y * S + x, c[m][:, :3]); np.add.at(cnt, y * S + x, 1)
    idx = ndimage.distance_transform_edt(cnt.reshape(S, S) == 0, return_distances=False, return_indices=True)
    im = (acc / np.maximum(cnt, 1)[:, None]).reshape(S, S, 3)[idx[0], idx[1]]; return Image.fromarray(np.round(im).astype(np.uint8))
def load(path):
    name = os.path.basename(path).rsplit('.', 1)[0]
    scene = trimesh.load(path, process=False, force='scene', **({} if path.endswith('glb') else {'maintain_order': True}))
    mats, seen, small, parts = [], {}, {}, []
    def shrink(img):
        if img is None: return None
        if id(img) not in small:
            img2 = img if img.mode in ('RGB', 'RGBA') else img.convert('RGB')
            if max(img2.size) > TEXTURE: img2 = img2.resize((TEXTURE, TEXTURE), Image.LANCZOS)
            small[id(img)] = (img2, img)
        return small[id(img)][0]
    for node in scene.graph.nodes_geometry:
        T, gname = scene.graph[node]; g = scene.geometry[gname]; m = getattr(g.visual, 'material', None)
        pbr = m if type(m).__name__ == 'PBRMaterial' else None
        if id(m) not in seen:
            seen[id(m)] = len(mats)
            d = dict(base=None, mr=None, normal=None, occ=None, factor=[.5, .5, .5, 1], metal=0., rough=.8, alpha='OPAQUE', two=True)
            if pbr:
                fac = lambda v, e: e if v is None else float(v); bf = m.baseColorFactor
                bf = [1, 1, 1, 1] if bf is None else [float(x) / 255 if np.asarray(bf).dtype == np.uint8 else float(x) for x in bf]
                d = dict(base=shrink(m.baseColorTexture), mr=shrink(m.metallicRoughnessTexture), normal=shrink(m.normalTexture),
                         occ=shrink(m.occlusionTexture), factor=bf, metal=fac(m.metallicFactor, 1.), rough=fac(m.roughnessFactor, 1.),
                         alpha=m.alphaMode or 'OPAQUE', two=bool(m.doubleSided))
            if name == 'scan-ycb-sugar-box': d.update(base=bake_box(path), factor=[1, 1, 1, 1])
            mats.append(d)
        V = trimesh.transform_points(g.vertices, T); N = g.vertex_normals @ np.linalg.inv(T[:3, :3]); uv = getattr(g.visual, 'uv', None)
        parts.append((V, N / np.maximum(np.linalg.norm(N, axis=1, keepdims=True), 1e-30),
                      np.zeros((len(V), 2)) if uv is None else np.array(uv), np.array(g.faces), seen[id(m)]))
    off = np.cumsum([0] + [len(p[0]) for p in parts])
    A = NS(name=name, V=np.vstack([p[0] for p in parts]), N=np.vstack([p[1] for p in parts]), UV=np.vstack([p[2] for p in parts]),
           C=None, F=np.vstack([p[3] + o for p, o in zip(parts, off)]), M=np.repeat([p[4] for p in parts], [len(p[3]) for p in parts]),
           mats=mats)
    A = take(A, np.linalg.norm(cross(A), axis=1) > 0)
    if not path.endswith('glb') and name != 'handmade-spider':   # no normals in the file: smooth
        w = weld(A); P = np.zeros((w.max() + 1, 3)); P[w] = A.V
        V, F = fast_simplification.simplify(P.astype(np.float32), w[A.F].astype(np.int32), target_count=min(len(A.F), 19900))
        A = copy(A, V=V.astype(float), N=np.zeros(V.shape), UV=np.zeros((len(V), 2)), F=F, M=np.zeros(len(F), int)); return renormal(A, weld(A))
    return renormal(A, groups(A))
def vertex_coloured(A):
    area = np.linalg.norm(cross(A), axis=1).sum() / 2; size = np.sqrt(area / 20000); B = refine(A, 80000) if len(A.F) > 10000 else refine_to(A, size)
    while len(B.F) > 80000:
        size *= 1.3; B = refine_to(A, size)
    C = np.full((len(B.V), 3), 128, np.uint8)
    for i, m in enumerate(A.mats):
        if m['base'] is not None:
            v = np.unique(B.F[B.M == i]); C[v] = np.round(lookup(m['base'], B.UV[v]))
    m = dict(base=None, mr=None, normal=None, occ=None, factor=[1, 1, 1, 1], metal=0., rough=.8, alpha='OPAQUE', two=True)
    return copy(B, name=A.name + '-vc', C=C, UV=None, mats=[m], M=np.zeros(len(B.F), int))
# ---- writing
ENC = {}
def encode(img):
    if id(img) not in ENC:
        b, png = io.BytesIO(), img.mode == 'RGBA'; img.save(b, 'PNG') if png else img.save(b, 'JPEG', quality=95, subsampling=0)
        ENC[id(img)] = (b.getvalue(), 'image/png' if png else 'image/jpeg', img)
    return ENC[id(img)][:2]
def write(A, path, order=None):
    J = dict(asset=dict(version='2.0'), scene=0, scenes=[dict(nodes=[0])], nodes=[dict(mesh=0)], meshes=[dict(primitives=[])],
             materials=[], accessors=[], bufferViews=[])
    blob, tex = bytearray(), {}
    def view(b):
        while len(blob) % 4: blob.append(0)
        J['bufferViews'].append(dict(buffer=0, byteOffset=len(blob), byteLength=len(b))); blob.extend(b); return len(J['bufferViews']) - 1
    def acc(a, ct, ty, **kw):
        J['accessors'].append(dict(bufferView=view(np.ascontiguousarray(a).tobytes()), componentType=ct, count=a.shape[0], type=ty, **kw))
        return len(J['accessors']) - 1
    def texture(img):
        if id(img) not in tex:
            data, mime = encode(img); J.setdefault('images', []).append(dict(bufferView=view(data), mimeType=mime))
            J.setdefault('textures', []).append(dict(source=len(J['images']) - 1)); tex[id(img)] = len(J['textures']) - 1
        return dict(index=tex[id(img)])
    for i, m in enumerate(A.mats):
        F = A.F[A.M == i]; p = dict(metallicFactor=m['metal'], roughnessFactor=m['rough'], baseColorFactor=m['factor'])
        d = dict(pbrMetallicRoughness=p, alphaMode=m['alpha'], doubleSided=m['two']); J['materials'].append(d)
        for key, where, field in (('base', p, 'baseColorTexture'), ('mr', p, 'metallicRoughnessTexture'),
                                  ('normal', d, 'normalTexture'), ('occ', d, 'occlusionTexture')):
            if m[key] is not None: where[field] = texture(m[key])
        if not len(F): continue
        v, inv = np.unique(F, return_inverse=True); V = A.V[v].astype('<f4')
        at = dict(POSITION=acc(V, 5126, 'VEC3', min=V.min(0).tolist(), max=V.max(0).tolist()), NORMAL=acc((A.N[v] / np.maximum(np.linalg.norm(A.N[v], axis=1), 1e-12)[:, None]).astype('<f4'), 5126, 'VEC3'))
        if A.UV is not None: at['TEXCOORD_0'] = acc((A.UV[v] * [1, -1] + [0, 1]).astype('<f4'), 5126, 'VEC2')
        if A.C is not None:   # glTF wants linear vertex colours
            c = A.C[v] / 255.; c = np.where(c <= .04045, c / 12.92, ((c + .055) / 1.055) ** 2.4); c = np.hstack([c, np.ones((len(c), 1))])
            at['COLOR_0'] = acc(np.round(c * 65535).astype('<u2'), 5123, 'VEC4', normalized=True)
        J['meshes'][0]['primitives'].append(dict(attributes=at, indices=acc(inv.ravel().astype('<u4'), 5125, 'SCALAR'), material=i))
    while len(blob) % 4: blob.append(0)
    J['buffers'] = [dict(byteLength=len(blob))]; j = json.dumps(J).encode(); j += b' ' * (-len(j) % 4)
    with open(path, 'wb') as f:
        f.write(struct.pack('<4sII', b'glTF', 2, 28 + len(j) + len(blob)) + struct.pack('<I4s', len(j), b'JSON') + j
                + struct.pack('<I4s', len(blob), b'BIN\0') + blob)
# ---- shape kinds: f(A, rng) -> A
def decimated(A, rng):
    """Far too few triangles are left, so that round things become angular and thin things collapse."""
    w = weld(A); P = np.zeros((w.max() + 1, 3)); P[w] = A.V
    F = w[A.F]; F = F[(F[:, 0] != F[:, 1]) & (F[:, 1] != F[:, 2]) & (F[:, 2] != F[:, 0])]; goal = max(len(F) * .006, min(len(F) * .25, 220))
    out = fast_simplification.simplify(P.astype(np.float32), F.astype(np.int32), 1 - goal / len(F), agg=7., return_collapses=True)
    pos, _, mp = fast_simplification.replay_simplification(P.astype(np.float32), F.astype(np.int32), out[2]); f = mp[w][A.F]
    B = copy(A, V=pos[mp[w]].astype(float)); B = take(B, (f[:, 0] != f[:, 1]) & (f[:, 1] != f[:, 2]) & (f[:, 2] != f[:, 0]))
    return renormal(B, mp[w])
def melted(A, rng):
    """The shape is smoothed until edges and details melt away and thin parts shrink, as in blurry generated shapes."""
    A = refine(A); g, w, D = groups(A), weld(A), diag(A); P = np.zeros((w.max() + 1, 3)); P[w] = A.V
    f = w[A.F]; r, c = np.r_[f[:, 0], f[:, 1], f[:, 2]], np.r_[f[:, 1], f[:, 2], f[:, 0]]
    L = sparse.coo_matrix((np.ones(2 * len(r)), (np.r_[r, c], np.r_[c, r])), (len(P),) * 2).tocsr()
    L = sparse.diags(1 / np.maximum(np.asarray(L.sum(1)).ravel(), 1)) @ L; Q = P.copy()
    for _ in range(150):
        Q = .4 * Q + .6 * (L @ Q)
        if np.linalg.norm(Q - P, axis=1).mean() > .014 * D: break
    return renormal(copy(A, V=Q[w]), w)
def lumpy(A, rng):
    """Flat and smooth surfaces come out bumpy and rough, as from noisy reconstruction."""
    A = refine(A); g, w, D = groups(A), weld(A), diag(A); n = renormal(A, w).N; P = A.V / D
    h = .0065 * waves(P, rng, 14, 40) + .003 * waves(P, rng, 34, 40); return renormal(copy(A, V=A.V + n * (h * D)[:, None]), g)
def terraced(A, rng):
    """Positions are rounded to a coarse grid, so that slopes and curves become steps like a staircase."""
    A = refine(A); s = np.ptp(A.V, axis=0).max() / 44; o = A.V.min(0) - s * .37; B = copy(A, V=np.round((A.V - o) / s) * s + o)
    B = take(B, np.linalg.norm(cross(B), axis=1) > s * s * 1e-6); flat = lambda x: None if x is None else x[B.F].reshape(-1, x.shape[1])
    B = copy(B, V=flat(B.V), N=flat(B.N), UV=flat(B.UV), C=flat(B.C), F=np.arange(len(B.F) * 3).reshape(-1, 3))
    return renormal(B, np.arange(len(B.V)))
def holes(A, rng):
    """Pieces of the surface are missing, with ragged edges, and one looks inside."""
    A = refine(A); D, c = diag(A), A.V[A.F].mean(1); area = np.linalg.norm(cross(A), axis=1); keep = np.ones(len(A.F), bool)
    for _ in range(9):
        s = c[rng.choice(len(c), p=area / area.sum())]; d = np.linalg.norm(c - s, axis=1) / D + .012 * waves(c / D, rng, 25)
        keep &= d > rng.uniform(.05, .1)
    return take(A, keep)
def missing_part(A, rng):
    """A whole part is missing (a leg, a cup, a handle), or one end of the thing is cut off."""
    comp = components(A); share = np.bincount(comp, np.linalg.norm(cross(A), axis=1)); share /= share.sum()
    ok = np.flatnonzero((share > .06) & (share < .3))
    if len(ok):
        out = [np.linalg.norm(A.V[A.F[comp == k]].mean((0, 1)) - A.V[A.F].mean((0, 1))) for k in ok]
        return take(A, comp != ok[np.argmax(out)])   # the outermost, since the eye finds it
    A = refine(A); c = A.V[A.F].mean(1); k = np.argmax(np.ptp(A.V, axis=0)); t = (c[:, k] - A.V[:, k].min()) / np.ptp(A.V[:, k]); o = (k + 1) % 3
    return take(A, t + .15 * (c[:, o] - A.V[:, o].mean()) / np.ptp(A.V[:, o]) < .8)
def join(A, B):
    cat = lambda x, y: None if x is None else np.vstack([x, y])
    return copy(A, V=cat(A.V, B.V), N=cat(A.N, B.N), UV=cat(A.UV, B.UV), C=cat(A.C, B.C), F=np.vstack([A.F, B.F + len(A.V)]),
                M=np.r_[A.M, B.M])
def floaters(A, rng):
    """Stray lumps hang in the air around the thing."""
    D, ball = diag(A), trimesh.creation.icosphere(2); area = np.linalg.norm(cross(A), axis=1); base, mid = A, (A.V.min(0) + A.V.max(0)) / 2
    for _ in range(16):
        f = rng.choice(len(base.F), p=area / area.sum()); v = base.F[f, 0]; d = base.V[v] - mid + rng.normal(size=3) * D * .1
        r = D * rng.uniform(.007, .026); V = ball.vertices * r * rng.uniform(.6, 1.4, 3) * (1 + .2 * waves(ball.vertices, rng, .7))[:, None]
        V = V + base.V[v] + d / np.linalg.norm(d) * (D * rng.uniform(.03, .14) + r); n = len(V)
        B = copy(base, V=V, N=np.array(ball.vertices), UV=None if base.UV is None else np.tile(base.UV[v], (n, 1)),
                 C=None if base.C is None else np.tile(base.C[v], (n, 1)), F=np.array(ball.faces), M=np.full(len(ball.faces), base.M[f]))
        A = join(A, renormal(B, np.arange(n)))
    return A
def flattened(A, rng):
    """The thing is squeezed in depth, as a generator that saw one picture guesses the depth wrong."""
    e = np.ptp(A.V, axis=0); k = 2 if e[2] > .3 * e.max() else 0; s = np.ones(3); s[k] = .45
    g, m = groups(A), A.V.mean(0); return renormal(copy(A, V=(A.V - m) * s + m), g)
def doubled(A, rng):
    """A second, slightly turned and displaced copy of the surface runs through the first, as from views that disagree."""
    D, m = diag(A), (A.V.min(0) + A.V.max(0)) / 2; a = rng.normal(size=3); R = trimesh.transformations.rotation_matrix(np.radians(7), a)[:3, :3]
    d = rng.normal(size=3); big = np.sort(np.argsort(-np.linalg.norm(cross(A), axis=1))[:80000 - len(A.F)])
    return join(A, copy(take(A, big), V=(A.V - m) @ R.T + m + d / np.linalg.norm(d) * D * .03, N=A.N @ R.T))
def warped(A, rng):
    """The whole thing is bent, lopsided and leaning, so that straight things are crooked."""
    A = refine(A); g, D = groups(A), diag(A); P = (A.V - A.V.min(0)) / D; d = np.stack([waves(P, rng, 1.3, 12) for _ in range(3)], 1) * .035
    d[:, 0] += .18 * P[:, 1]; return renormal(copy(A, V=A.V + d * D), g)
# ---- colour kinds: f(x, rng) -> colours
# x.c: colours 0..1 of the elements (texels on the surface, or vertices); x.P: places, box of size 1; x.N: normals;
# x.img: whole image 0..1 and x.rc: rows and columns of the elements in it (None, None for vertex colours).
def fetch(x, Q, cap=120000):
    """Colours found at the places Q on the surface."""
    s = np.arange(len(x.P)) if len(x.P) <= cap else np.random.default_rng(0).choice(len(x.P), cap, False)
    return x.c[s][cKDTree(x.P[s]).query(Q, workers=1)[1]]
def roll(x, du, dv):
    """Colours of a texture that is moved by parts of its size."""
    h, w = x.img.shape[:2]; return np.roll(x.img, (int(dv * h), int(du * w)), (0, 1))[x.rc]
def grey(c):
    return (c @ [.3, .59, .11])[:, None]
def washed_out(x, rng):
    """Colours are pale, greyish and without contrast."""
    g = grey(x.c); return .42 + .45 * (g + (x.c - g) * .4 - .35)
def gamma_dark(x, rng):
    """Colours are too dark, as when the gamma curve is applied twice."""
    return x.c ** 2.2
def channels_swapped(x, rng):
    """Red and blue are exchanged, a usual mistake of BGR and RGB."""
    return x.c[:, ::-1]
def blurred(x, rng):
    """Prints and patterns are washed together, as from a texture of far too low resolution."""
    if x.img is not None:
        m = np.zeros(x.img.shape[:2]); m[x.rc] = 1; s = x.img.shape[0] * .013; w = ndimage.gaussian_filter(m, s)
        return np.stack([(ndimage.gaussian_filter(x.img[..., k] * m, s) / np.maximum(w, 1e-9))[x.rc] for k in range(3)], 1)
    d, i = cKDTree(x.P).query(x.P, 24, workers=1); k = np.exp(-d ** 2 / (2 * .012 ** 2))[..., None]; c = x.c
    for _ in range(4): c = (c[i] * k).sum(1) / k.sum(1)
    return c
def blocky(x, rng):
    """Hard compression leaves visible square blocks and smeared colours."""
    if x.img is not None:
        h, w = x.img.shape[:2]; b = io.BytesIO()
        Image.fromarray((x.img * 255).astype(np.uint8)).resize((w // 2, h // 2), Image.BOX).save(b, 'JPEG', quality=2)
        return np.asarray(Image.open(b).resize((w, h), Image.NEAREST))[x.rc] / 255.
    cell = ids(np.floor(x.P * 36).astype(int)); n = np.bincount(cell); c = np.stack([np.bincount(cell, x.c[:, k]) / n for k in range(3)], 1)
    return (np.round(c * 7) / 7)[cell]
def speckled(x, rng):
    """Fine coloured grain covers the whole surface."""
    cell = ids(np.floor(x.P * 190 + .5).astype(int)); n = rng.normal(size=(cell.max() + 1, 3)) * .13
    n += (rng.random((len(n), 1)) < .05) * rng.choice([-.5, .5], (len(n), 1)); return x.c + n[cell]
def baked_light(x, rng):
    """Light and dark shadow of the input picture are painted into the colours: one side dark, the other with a white shine."""
    l = np.array([.75, .45, .5]); l /= np.linalg.norm(l); d = x.N @ l; sh = .22 + .95 * np.clip(d, 0, 1)
    sh = np.where(np.abs(waves(x.P, rng, 1.1, 6)) < .28, sh * .5, sh); return x.c * sh[:, None] + (np.clip(d, 0, 1) ** 30)[:, None] * .6
def view_seams(x, rng):
    """Pieces painted from different views differ in brightness and tint and meet at hard seams."""
    dirs = np.vstack([np.eye(3), -np.eye(3)]) + rng.normal(size=(6, 3)) * .35
    r = np.argmax(x.N @ dirs.T + .5 * np.stack([waves(x.P, rng, 1.2) for _ in range(6)], 1), axis=1)
    gain = rng.permutation([.55, .7, .85, 1.1, 1.3, 1.5])[:, None] * rng.uniform(.86, 1.14, (6, 3)); return x.c * gain[r]
def streaked(x, rng):
    """Where no view looked, colours are pulled out to long streaks."""
    k = np.argmax(np.ptp(x.P, axis=0)); lo = x.P[:, k].min() + np.ptp(x.P[:, k]) * .45; hit = x.P[:, k] > lo; Q = x.P.copy(); Q[:, k] = lo - .01
    j = (k + 1) % 3; Q[:, j] = np.round(Q[:, j] * 60) / 60; out = x.c.copy(); out[hit] = fetch(x, Q[hit]); return out
def misplaced(x, rng):
    """The texture does not sit where it belongs: parts carry colours of other parts."""
    if x.img is not None: return roll(x, .21, .13)
    e = np.ptp(x.P, axis=0); lo = x.P.min(0); return fetch(x, lo + (x.P - lo + e * [.33, .27, .4]) % e)
def unpainted(x, rng):
    """Patches that no view saw are left in one flat colour."""
    f = waves(x.P, rng, 2.2) + .25 * waves(x.P, rng, 9); flat = [.03] * 3 if grey(x.c).mean() > .35 else [.75] * 3
    return np.where((f > np.quantile(f, .8))[:, None], flat, x.c)
def ghosted(x, rng):
    """Prints and patterns appear twice, next to each other and half transparent, as from views that disagree."""
    y = roll(x, .03, .022) if x.img is not None else fetch(x, x.P + [.03, .04, .03]); return .52 * x.c + .48 * y
# ---- harmless kinds: f(A, rng) -> A
def split_triangles(A, rng):
    """Every triangle is split and triangles and vertices are stored in another order; the surface stays as it is."""
    B = refine(A, 80000 if len(A.F) <= 20000 else 0); o, p = rng.permutation(len(B.F)), rng.permutation(len(B.V)); back = np.argsort(p)
    pick = lambda v: None if v is None else v[p]; return copy(B, V=pick(B.V), N=pick(B.N), UV=pick(B.UV), C=pick(B.C), F=back[B.F[o]], M=B.M[o])
def saved_again(A, rng):
    """Textures are saved once more as JPEG of good quality, positions are kept to 14 bits, vertex colours to one level."""
    def again(im):
        if im is None or im.mode != 'RGB': return im
        b = io.BytesIO(); im.save(b, 'JPEG', quality=88); return Image.open(io.BytesIO(b.getvalue())).convert('RGB')
    s = np.ptp(A.V, axis=0).max() / 2 ** 14
    C = None if A.C is None else np.clip(A.C.astype(int) + rng.integers(-1, 2, A.C.shape), 0, 255).astype(np.uint8)
    return copy(A, V=np.round(A.V / s) * s, C=C, mats=[{**m, **{k: again(m[k]) for k in ('base', 'mr', 'normal')}} for m in A.mats])
def scaled_moved(A, rng):
    """The thing is larger and in another place, in another unit and origin, with the same look."""
    return copy(A, V=A.V * 1.7 + diag(A) * np.array([.4, -.2, .7]))
GROUPS = dict(shape=[decimated, melted, lumpy, terraced, holes, missing_part, floaters, flattened, doubled, warped],
              colour=[washed_out, gamma_dark, channels_swapped, blurred, blocky, speckled, baked_light, view_seams, streaked,
                      misplaced, unpainted, ghosted],
              harmless=[split_triangles, saved_again, scaled_moved])
FUNC = {f.__name__: f for fs in GROUPS.values() for f in fs}
FAINT = [('doubled', 'handmade-mountain'), ('melted', 'scan-ycb-sugar-box-vc'), ('streaked', 'pbr-table'), ('streaked', 'pbr-table-vc'), ('blurred', 'pbr-table'), ('blurred', 'handmade-desk-fan'), ('blurred', 'pbr-tea-set')] + [   # seen in pictures
    ('ghosted', a) for a in ('handmade-desk-fan', 'pbr-sofa', 'pbr-tea-set', 'pbr-table', 'pbr-table-vc')]
KINDS = {f.__name__: g for g, fs in GROUPS.items() for f in fs}
# ---- running
def texel_faces(A, i, h, w):
    """For material i: face and corner weights of each texel that the surface uses (the last face wins)."""
    face, bary = np.full((h, w), -1), np.zeros((h, w, 3), np.float32)
    for f in np.flatnonzero(A.M == i):
        t = A.UV[A.F[f]] * [w, -h] + [-.5, h - .5]; t -= np.floor((t.mean(0) + .5) / [w, h]) * [w, h]
        lo, hi = np.floor(t.min(0)).astype(int), np.ceil(t.max(0)).astype(int) + 1
        if (hi - lo).max() > 2 * max(h, w): continue
        X, Y = np.meshgrid(np.arange(lo[0], hi[0]), np.arange(lo[1], hi[1])); (x0, y0), (x1, y1), (x2, y2) = t
        den = (y1 - y2) * (x0 - x2) + (x2 - x1) * (y0 - y2)
        if abs(den) < 1e-9: continue
        a = ((y1 - y2) * (X - x2) + (x2 - x1) * (Y - y2)) / den; b = ((y2 - y0) * (X - x2) + (x0 - x2) * (Y - y2)) / den
        k = np.stack([a, b, 1 - a - b], -1); m = k.min(-1) > -1e-6 - .75 * max(np.ptp(Y), np.ptp(X), 1) / max(abs(den), 1); r, c = Y[m] % h, X[m] % w
        face[r, c], bary[r, c] = f, np.clip(k[m], 0, 1)
    return face, bary / np.maximum(bary.sum(-1, keepdims=True), 1e-9)
TEXELS = {}
def elements(A):
    """All coloured elements of an asset, one entry for each base texture (or one for the vertex colours)."""
    if A.name in TEXELS: return TEXELS[A.name]
    lo, s = A.V[A.F].reshape(-1, 3).min(0), np.ptp(A.V[A.F].reshape(-1, 3), axis=0).max(); out = []
    if A.C is not None:
        a = np.zeros(len(A.V))
        for k in range(3): np.add.at(a, A.F[:, k], np.linalg.norm(cross(A), axis=1))
        out.append(NS(c=A.C / 255., P=(A.V - lo) / s, N=A.N, img=None, rc=None, key=None, area=a))
    for img in {id(m['base']): m['base'] for m in A.mats if m['base'] is not None}.values():
        full = np.asarray(img) / 255.; face = np.full(full.shape[:2], -1); bary = np.zeros(full.shape[:2] + (3,))
        for i, m in enumerate(A.mats):
            if m['base'] is img:
                f, b = texel_faces(A, i, *full.shape[:2]); face, bary = np.where(f >= 0, f, face), np.where((f >= 0)[..., None], b, bary)
        rc = np.nonzero(face >= 0); f, b = A.F[face[rc]], bary[rc][..., None]; n = (A.N[f] * b).sum(1)
        ar = np.linalg.norm(cross(A), axis=1) / np.maximum(np.bincount(face[rc], minlength=len(A.F)), 1)
        out.append(NS(c=full[rc][:, :3], P=((A.V[f] * b).sum(1) - lo) / s, N=n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-9),
                      img=full[..., :3], rc=rc, key=img, area=ar[face[rc]]))
    TEXELS[A.name] = out; return out
def paint(A, fn, name):
    """Applies a colour kind to all elements; returns the asset and how much the colours changed (0..255, mean and share)."""
    new, dif, wgt, B = {}, [], [], copy(A)
    for x in elements(A):
        c = np.clip(fn(x, seeded(name, A.name)), 0, 1); dif.append(np.abs(c - x.c).mean(1) * 255); wgt.append(x.area)
        if x.img is None:
            B.C = np.round(c * 255).astype(np.uint8); continue
        im = np.array(x.key); keep = np.zeros(im.shape[:2], bool); keep[x.rc] = True
        full = im[..., :3].copy(); full[x.rc] = np.round(c * 255)
        near, idx = ndimage.distance_transform_edt(~keep, return_indices=True)   # the gutter follows the islands
        full = np.where((near < 9)[..., None], full[idx[0], idx[1]], full); im[..., :3] = full; new[id(x.key)] = Image.fromarray(im)
    B.mats = [{**m, 'base': new.get(id(m['base']), m['base'])} for m in A.mats]; d, w = np.concatenate(dif), np.concatenate(wgt)
    return B, float(np.average(d, weights=w)), float(np.average(d > 25, weights=w))
def seeded(*names):
    return np.random.default_rng(zlib.crc32('/'.join(names).encode()))
def samples(A, n, rng):
    a = np.linalg.norm(cross(A), axis=1); t = A.V[A.F[rng.choice(len(A.F), n, p=a / a.sum())]]; u = rng.dirichlet([1, 1, 1], n)
    return (t * u[..., None]).sum(1)
def shape_change(A, B):
    """Share of the surface of either asset that is farther than 0.6 % of the size from the other's."""
    rng, D = np.random.default_rng(1), diag(A); a, b, a2 = samples(A, 50000, rng), samples(B, 50000, rng), samples(A, 4000, rng); ta = cKDTree(a)
    base = ta.query(a2)[0] / D; far = lambda t, p: np.maximum(t.query(p[:4000])[0] / D - base.mean(), 0); x, y = far(ta, b), far(cKDTree(b), a)
    return max((x > .006).mean(), (y > .006).mean()), max(x.mean(), y.mean())
def make(job):
    path, vc, wanted = job; A = load(path)
    if vc: A = vertex_coloured(A)
    ref = f'{ROOT}/refs/{A.name}.glb'; write(A, ref); coloured = A.C is not None or any(m['base'] is not None for m in A.mats); made = []
    for k in wanted:
        out = f'{ROOT}/pairs/{k}/{A.name}'
        for f in glob.glob(out + '/*.glb'): os.remove(f)
        if KINDS[k] == 'colour':
            if not coloured:
                print(f'left out {k}/{A.name}: no colours', flush=True); continue
            B, mean, share = paint(A, FUNC[k], k); weak = mean < 4 and share < .02
            note = f'mean change of colour {mean:.1f} of 255, over 25 on {share:.1%}'
        else:
            if KINDS[k] == 'shape' and vc and 'sugar' not in A.name:
                print(f'left out {k}/{A.name}: the same shape as the textured asset', flush=True); continue
            B = FUNC[k](A, seeded(k, A.name)); share, mean = shape_change(A, B) if KINDS[k] == 'shape' else (1, 1); weak = share < .02 and mean < .001
            note = f'{share:.1%} of the surface moved, mean {mean:.4f} of the size; {len(B.F)} triangles'
        if weak or (k, A.name) in FAINT:
            print(f'left out {k}/{A.name}: hardly seen ({note})', flush=True); continue
        os.makedirs(out, exist_ok=True); os.link(ref, out + '/ref.glb'); write(B, out + '/bad.glb'); made.append(k)
        print(f'made {k}/{A.name}: {note}', flush=True)
    return made
def main():
    wanted = sys.argv[3:] or list(KINDS); json.dump(KINDS, open(ROOT + '/kinds.json', 'w'), indent=1); os.makedirs(ROOT + '/refs', exist_ok=True)
    jobs = [(p, False, wanted) for p in sorted(glob.glob(ROOT + '/assets/*'), key=lambda p: 'sugar' not in p)]
    jobs[1:1] = [(p, True, wanted) for p, _, _ in jobs if any(w in p for w in ('game-boy', 'table'))]
    made = make(jobs[0])   # first, since it takes the pictures for the other sugar box
    with multiprocessing.Pool(3) as pool:
        made += sum(pool.imap_unordered(make, jobs[1:] + [(jobs[0][0], True, wanted)], 1), [])
    for k in wanted: print(f'{k} | {KINDS[k]} | {FUNC[k].__doc__} | {made.count(k)} pairs')
if __name__ == '__main__': main()
