#!/usr/bin/env python3
"""Makes pairs of 3D assets (ref.glb, bad.glb) with 14 kinds of damage to their colours and 3 harmless kinds; seeded and repeatable.

    OMP_NUM_THREADS=1 python lab/probe/blind_colours.py FOLDER MESHJUDGE [KIND,KIND] [ASSET,ASSET]

Reads FOLDER/assets, writes FOLDER/pairs/KIND/ASSET/{ref,bad}.glb. Written by someone who had read nothing of the judge but the loader and
the writer of blind_damage.py, which both files of a pair pass through. LEFT_OUT was chosen by looking at pictures. The assets are named in
docs/runs/audit/2026-11-26-probe-colours.md; -vc are copies whose texture is turned into vertex colours."""
import shutil, sys
import blind_damage as base
from blind_damage import *
HERE, ARGS = ROOT, sys.argv[3:]
VC = ['scan-ycb-potted-meat', 'seagull', 'bottle']
LEFT_OUT = {
    'smeared_sides': ['CesiumMilkTruck', 'greySnapper_vertColor', 'scan-mars-terrain-a', 'monkey', 'Fox', 'sword'],
    'posterised': ['scan-mars-terrain-a', 'monkey', 'Fox', 'CesiumMilkTruck', 'barrel', 'seagull', 'seagull-vc', 'sword'],
    'uv_shift': ['scan-mars-terrain-a', 'monkey', 'sword'],
    'melted': ['scan-mars-terrain-a', 'monkey', 'sword', 'Fox'],
    'blurry': ['monkey', 'sword'],
    'ghosting': ['monkey', 'sword', 'Fox', 'scan-mars-terrain-a'],
    'baked_shadow': ['sword'],
    'baked_glare': ['sword'],
    'colour_bleed': ['sword', 'CesiumMilkTruck', 'bottle', 'monkey'],
    'jpeg_blocks': ['sword', 'monkey'],
    'seam_lines': ['sword', 'scan-ycb-gelatin-box', 'barrel'],
    'speckle': ['sword'],
}
def bake(path, name):
    """KTX2 textures cannot be read by Pillow: collected from unlit pictures with their UVs."""
    out = HERE + '/look/bake/' + name
    if not glob.glob(out + '/*/uv_5.npy'):
        subprocess.run([PROGRAM, 'render', path, '--rig', 'six', '--channels', 'uv,base-color', '--format', 'npy', '--size', '1024',
                        '--threads', '1', '--light', 'unlit', '-q', '--out', out], check=True)
    S = TEXTURE; acc, cnt = np.zeros((S * S, 3)), np.zeros(S * S)
    for f in sorted(glob.glob(out + '/*/uv_*.npy')):
        uv, c = np.load(f), np.load(f.replace('uv_', 'base-color_')); m = uv[..., 3] > .99 if uv.shape[2] == 4 else uv[..., 2] > 0
        x, y = (uv[m][:, 0] * S).astype(int) % S, (uv[m][:, 1] * S).astype(int) % S
        np.add.at(acc, y * S + x, c[m][:, :3]); np.add.at(cnt, y * S + x, 1)
    idx = ndimage.distance_transform_edt(cnt.reshape(S, S) == 0, return_distances=False, return_indices=True)
    im = (acc / np.maximum(cnt, 1)[:, None]).reshape(S, S, 3)[idx[0], idx[1]]
    if im.max() <= 1.01: im = im * 255
    return Image.fromarray(np.round(im).clip(0, 255).astype(np.uint8))
def load2(path):
    A = load(path)
    if path.endswith('.ply'):
        g = trimesh.load(path, process=False, maintain_order=True); c = np.asarray(g.visual.vertex_colors)[:, :3]
        A = copy(A, C=c[cKDTree(g.vertices).query(A.V)[1]].astype(np.uint8), UV=None); A.mats[0]['factor'] = [1, 1, 1, 1]; return A
    b = open(path, 'rb').read(); j = json.loads(b[20:20 + struct.unpack('<I', b[12:16])[0]])
    if 'KHR_texture_basisu' in j.get('extensionsUsed', []): A.mats[0]['base'] = bake(path, A.name)
    return A
# ---- tools on elements
ORIG, CACHE = {}, {}
CUR = [None]
def bump(t): t = np.clip(t, 0, 1); return t * t * (3 - 2 * t)
def per(x, key, make):
    k = (CUR[0].name, id(x.key) if x.key is not None else 0, key)
    if k not in CACHE: CACHE[k] = make()
    return CACHE[k]
def spacing(x):
    def f():
        i = np.random.default_rng(0).choice(len(x.P), min(3000, len(x.P)), replace=False); q = cKDTree(x.P[i]) if 0 else tree(x)
        d = q.query(np.hstack([x.P, .05 * x.N])[i], k=3)[0][:, 2]; return float(np.median(d))
    return per(x, 'sp', f)
def tree(x): return per(x, 'tree', lambda: cKDTree(np.hstack([x.P, .05 * x.N]), balanced_tree=False, compact_nodes=False))
def smooth(x, sigma, n=144):
    """Gaussian blur over the surface, with a grid in space."""
    g = np.zeros((n, n, n, 4), np.float32); i = np.clip(np.round(x.P * (n - 9)).astype(int) + 4, 0, n - 1); w = (x.area + 1e-12 * x.area.max())
    flat = (i[:, 0] * n + i[:, 1]) * n + i[:, 2]
    for k in range(4): g[..., k] = np.bincount(flat, w * (x.c[:, k] if k < 3 else 1), minlength=n ** 3).reshape(n, n, n)
    g /= w.max()
    lo, hi = np.maximum(i.min(0) - 4, 0), i.max(0) + 5; g = g[lo[0]:hi[0], lo[1]:hi[1], lo[2]:hi[2]]
    h = [ndimage.gaussian_filter(g[..., k], sigma * (n - 9), truncate=2.5) for k in range(4)]; at = (x.P * (n - 9) + 4 - lo).T
    v = [ndimage.map_coordinates(a, at, order=1, mode='nearest') for a in h]; ok = v[3] > 1e-9
    return np.where(ok[:, None], np.stack(v[:3], 1) / np.maximum(v[3], 1e-9)[:, None], x.c)
def moved(x, d):
    """Colours at the place moved by d along the surface."""
    d = d - (d * x.N).sum(1, keepdims=True) * x.N
    return x.c[tree(x).query(np.hstack([x.P + d, .05 * x.N]), eps=.3)[1]]
def cellrandom(P, size, rng, k):
    """Random numbers (k each), one row for each cell of the given size."""
    q = ids(np.floor(P / size).astype(np.int64)); return rng.normal(size=(q.max() + 1, k))[q]
def luma(c): return c @ [.299, .587, .114]
# ---- the kinds
def blurry(x, r): return smooth(x, .0085)
def seam_lines(x, r):
    A = ORIG[CUR[0].name.replace('-vc', '')]
    def f():
        w, F = weld(A), A.F; e = F[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2); g = w[e]; s = g[:, 0] > g[:, 1]; e[s] = e[s][:, ::-1]; g = np.sort(g, 1)
        _, inv, n = np.unique(g[:, 0] * np.int64(len(A.V)) + g[:, 1], return_inverse=True, return_counts=True); o = np.argsort(inv, kind='stable'); st = np.r_[0, np.cumsum(n)]
        two = np.flatnonzero(n == 2); a, b = o[st[two]], o[st[two] + 1]; far = np.abs(A.UV[e[a]] - A.UV[e[b]]).max((1, 2)) > 1e-3; seg = A.V[e[a][far]]
        lo, s = A.V[A.F].reshape(-1, 3).min(0), np.ptp(A.V[A.F].reshape(-1, 3), axis=0).max(); seg = (seg - lo) / s
        if not len(seg): return None
        k = np.ceil(np.linalg.norm(seg[:, 1] - seg[:, 0], axis=1) / .003).astype(int) + 1
        i = np.repeat(np.arange(len(seg)), k); t = (np.arange(len(i)) - np.repeat(np.cumsum(k) - k, k)) / np.maximum(np.repeat(k, k) - 1, 1)
        return cKDTree(seg[i, 0] * (1 - t[:, None]) + seg[i, 1] * t[:, None])
    T = per(x, 'seam', f)
    if T is None: return x.c
    w = min(max(.0045, 1.1 * spacing(x)), .0075); d = T.query(x.P, distance_upper_bound=3 * w)[0]
    m = bump(1.6 - np.minimum(d, 9) / w) * bump(waves(x.P, r, 1.5) * .8 + 1.2) * .85
    return x.c + m[:, None] * (np.where(np.average(luma(x.c), weights=x.area) > .4, .05, .85) - x.c)
def baked_shadow(x, r):
    L = np.array([.75, .55, .35]) + r.normal(size=3) * .12; L /= np.linalg.norm(L); a = np.cross(L, [0, 1, 0]); a /= np.linalg.norm(a); b = np.cross(L, a)
    self_ = bump(.5 - 2.2 * (x.N @ L)); uv = np.stack([x.P @ a, x.P @ b, 0 * x.P[:, 0]], 1); f = waves(uv, r, 1.9)
    cast = bump((f - np.quantile(f[r.choice(len(f), 20000, p=x.area / x.area.sum())], .68)) * 14 + .5); k = np.maximum(.4 * self_, cast); return x.c * (1 - k[:, None] * [.56, .52, .46])
def baked_glare(x, r):
    g = np.zeros(len(x.P)); p = x.area / x.area.sum()
    for _ in range(9):
        i = r.choice(len(x.P), p=p); n = x.N[i]; t = r.normal(size=3); t -= n * (n @ t); t /= np.linalg.norm(t); q = x.P - x.P[i]; b = np.cross(n, t)
        d = np.sqrt((q @ t / .085) ** 2 + (q @ b / .035) ** 2 + (q @ n / .035) ** 2); g = np.maximum(g, bump(1.55 - d) * .92 * ((x.N @ n) > .2))
        if np.average(g, weights=x.area) > .09: break
    return x.c + g[:, None] * (1 - x.c)
def ghosting(x, r):
    d = r.normal(size=3); d *= .042 / np.linalg.norm(d); return .52 * x.c + .48 * moved(x, np.tile(d, (len(x.P), 1)))
def smeared_sides(x, r):
    A = CUR[0]; n = cross(A); ax = int(np.argmax((n ** 2 / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-30)).sum(0))); o = [k for k in range(3) if k != ax]
    z = x.N[:, ax]; mid = (x.P[:, ax].min() + x.P[:, ax].max()) / 2; side = np.abs(z) < .62; out = x.c.copy()
    for s in (-1, 1):
        src = np.flatnonzero((z * s >= .62)); dst = np.flatnonzero(side & ((x.P[:, ax] - mid) * s >= 0))
        if len(src) < 50 or not len(dst): continue
        q = np.round(x.P[dst][:, o] / .006) * .006; out[dst] = x.c[src[cKDTree(x.P[src][:, o], balanced_tree=False, compact_nodes=False).query(q, eps=.2)[1]]]
    return out
def view_patches(x, r):
    s = r.random((9, 3)) * x.P.max(0) if 0 else r.random((9, 3)) * np.ptp(CUR[0].V, axis=0) / np.ptp(CUR[0].V, axis=0).max()
    q = x.P + .03 * np.stack([waves(x.P, r, 3) for _ in range(3)], 1); cell = cKDTree(s).query(q)[1]
    gain = np.where(np.arange(9) % 2, .72, 1.22) * r.uniform(.93, 1.07, 9); tint = 1 + r.normal(size=(9, 3)) * .055; return (x.c + .015) * (gain[:, None] * tint)[cell]
def jpeg_blocks(x, r):
    if x.img is not None:
        im = Image.fromarray(np.round(x.img * 255).astype(np.uint8)); w, h = im.size; m = 256 if max(w, h) > 256 else 128
        for q in (30, 24, 18, 14, 10, 7):   # as much as it takes for a mean change of 16.5 of 255
            b = io.BytesIO(); im.resize((m * w // max(w, h), m * h // max(w, h)), Image.LANCZOS).save(b, 'JPEG', quality=q, subsampling=2)
            c = (np.asarray(Image.open(b).convert('RGB').resize((w, h), Image.NEAREST)) / 255.)[x.rc]
            if np.average(np.abs(c - x.c).mean(1), weights=x.area) * 255 > 16.5: break
        return c
    size = .05; q = ids(np.floor(x.P / size).astype(np.int64), np.argmax(np.abs(x.N), 1)[:, None]); n = np.bincount(q); mean = np.stack([np.bincount(q, x.c[:, k]) / n for k in range(3)], 1)[q]
    qs = ids(np.floor(x.P / .0125).astype(np.int64), q[:, None]); n2 = np.bincount(qs); l = (np.bincount(qs, luma(x.c)) / n2)[qs] - luma(mean); return np.round(mean * 10) / 10 + (np.round(l / .12) * .12)[:, None]
def posterised(x, r):
    i = r.choice(len(x.c), 8000, p=x.area / x.area.sum()); b = np.round(x.c[i] * 15).astype(int); q, inv, n = np.unique(b, axis=0, return_inverse=True, return_counts=True)
    q, w = q / 15., np.sqrt(n); pal = [q[np.argmax(n)]]
    while len(pal) < min(6, len(q)): pal.append(q[np.argmax(cKDTree(pal).query(q)[0] * w ** .5)])
    for _ in range(10):
        k = cKDTree(pal).query(q)[1]; pal = np.array([np.average(q[k == j], axis=0, weights=w[k == j]) if (k == j).any() else pal[j] for j in range(len(pal))])
    return pal[cKDTree(pal).query(x.c)[1]]
def speckle(x, r):
    s = max(.0055, 1.2 * spacing(x)); g = cellrandom(x.P, s, r, 3); l = cellrandom(x.P, s, r, 2); hot = (np.abs(l[:, 1]) > 2.0)[:, None] * np.sign(l[:, 1:]) * .28
    return x.c + .03 * g + .06 * l[:, :1] + hot
def unpainted(x, r):
    q = x.P + .012 * np.stack([waves(x.P, r, 14) for _ in range(3)], 1); f = waves(q, r, 2.2); a = r.choice(len(f), 20000, p=x.area / x.area.sum())
    m = np.average(x.c, axis=0, weights=x.area); col = max(([.06] * 3, [.6] * 3), key=lambda c: np.abs(m - c).sum()); return np.where((f > np.quantile(f[a], .88))[:, None], col, x.c)
def melted(x, r): return moved(x, .016 * np.stack([waves(x.P, r, 9) for _ in range(3)], 1))
def colour_bleed(x, r):
    p = x.area / x.area.sum(); out, n = x.c.copy(), 0; pal = smooth(x, .02)
    for _ in range(60):
        i = r.choice(len(x.P), p=p); near = np.linalg.norm(x.P - x.P[i], axis=1); j = r.choice(len(x.P), 40, p=p); d = np.abs(pal[j] - pal[i]).mean(1); j = j[np.argmax(d)]
        if d.max() < .17: continue
        m = bump(1.7 - near / .07 + .35 * waves(x.P, r, 7)) * .85; out += m[:, None] * (pal[j] - out); n += 1
        if n == 6 or np.average(np.abs(out - x.c).mean(1) > .1, weights=x.area) > .13: break
    return out
SHIFT = np.array([.04, .026])
def uv_shift(x, r):
    A = ORIG[CUR[0].name.replace('-vc', '')]
    if x.img is None: return lookup(A.mats[0]['base'], CUR[0].UVK + SHIFT) / 255.
    h, w = x.img.shape[:2]; return x.img[(x.rc[0] - int(SHIFT[1] * h)) % h, (x.rc[1] + int(SHIFT[0] * w)) % w]
def reencode(x, r):
    if x.img is None: return x.c + r.normal(size=x.c.shape) * .004
    b = io.BytesIO(); Image.fromarray(np.round(x.img * 255).astype(np.uint8)).save(b, 'JPEG', quality=90, subsampling=0); return (np.asarray(Image.open(b)) / 255.)[x.rc]
def tiny_tone(x, r): return x.c * [1.012, 1.006, .994] + .003
KINDS = [blurry, seam_lines, baked_shadow, baked_glare, ghosting, smeared_sides, view_patches, jpeg_blocks, posterised, speckle, unpainted, melted, colour_bleed, uv_shift]
def shuffled(A, r):
    p = r.permutation(len(A.V)); inv = np.argsort(p); f = r.permutation(len(A.F)); F = inv[A.F[f]]; k = r.integers(0, 3, len(F)); F = F[np.arange(len(F))[:, None], (np.arange(3) + k[:, None]) % 3]
    return copy(A, V=A.V[p], N=A.N[p], UV=None if A.UV is None else A.UV[p], C=None if A.C is None else A.C[p], F=F, M=A.M[f])
def main():
    want = ARGS[0].split(',') if ARGS and ARGS[0] else None; who = ARGS[1].split(',') if len(ARGS) > 1 else None; stats = []
    json.dump({**{k.__name__: 'texture' for k in KINDS}, **{'harmless_' + k: 'harmless' for k in ('reencode', 'mesh_order', 'tiny_tone')}}, open(HERE + '/kinds.json', 'w'), indent=1)
    jobs = []
    for p in sorted(glob.glob(HERE + '/assets/*')):
        n = os.path.basename(p).rsplit('.', 1)[0]
        if who and n not in who and n + '-vc' not in who: continue
        A = load2(p); ORIG[n] = A
        jobs += [A] if not who or n in who else []
        if n in VC and (not who or n + '-vc' in who):
            B = vertex_coloured(A); area = np.linalg.norm(cross(A), axis=1).sum() / 2   # the UVs of the copy, for uv_shift
            Bu = vertex_coloured_uv(A); assert len(Bu) == len(B.V); B.UVK = Bu; jobs.append(B)
    for A in jobs:
        CUR[0] = A; CACHE.clear(); TEXELS.clear()
        for fn in KINDS + [reencode, tiny_tone, shuffled]:
            k = fn.__name__; k = {'reencode': 'harmless_reencode', 'tiny_tone': 'harmless_tiny_tone', 'shuffled': 'harmless_mesh_order'}.get(k, k)
            if want and k not in want: continue
            d = HERE + '/pairs/%s/%s' % (k, A.name); shutil.rmtree(d, ignore_errors=True)
            if A.name in LEFT_OUT.get(k, []): continue
            if fn is shuffled: B, mean, share = shuffled(A, seeded(k, A.name)), 0, 0
            else: B, mean, share = paint(A, fn, k)
            print('%-22s %-26s mean %6.2f share %.3f' % (k, A.name, mean, share), flush=True)
            if not k.startswith('harmless') and mean < 1.0 and share < .01: print('   left out: not seen'); continue
            os.makedirs(d); write(A, d + '/ref.glb'); write(B, d + '/bad.glb')
        ENC.clear()
def vertex_coloured_uv(A):
    keep, old = {}, base.lookup
    def spy(img, uv): keep['uv'] = uv; return old(img, uv)
    base.lookup = spy
    try: B = vertex_coloured(A)
    finally: base.lookup = old
    U = np.zeros((len(B.V), 2)); U[np.unique(B.F)] = keep['uv']; return U
if __name__ == '__main__': main()
