"""Spheres at growing distances from their file's zero, in four formats: mask, measurements and metrics against those at zero.
usage: python far_origin.py PROGRAM      needs numpy and Pillow"""
import base64, json, os, subprocess, sys, tempfile
import numpy as np
from PIL import Image

PROGRAM = os.path.abspath(sys.argv[1])
DIRECTION = np.array([0.71, -0.13, 0.69])


def sphere(radius, rows=24, columns=48):
    """Closed, without slivers at the poles."""
    points = [(0, radius, 0)]
    for i in range(1, rows):
        a = np.pi * i / rows
        points += [(radius * np.sin(a) * np.cos(b), radius * np.cos(a), radius * np.sin(a) * np.sin(b)) for b in np.arange(columns) * 2 * np.pi / columns]
    points.append((0, -radius, 0))
    at = lambda i, k: 1 + (i - 1) * columns + k % columns
    faces = []
    for k in range(columns):
        faces.append((0, at(1, k + 1), at(1, k)))
        faces.append((len(points) - 1, at(rows - 1, k), at(rows - 1, k + 1)))
        for i in range(1, rows - 1):
            faces += [(at(i, k), at(i, k + 1), at(i + 1, k)), (at(i + 1, k), at(i, k + 1), at(i + 1, k + 1))]
    return np.array(points), np.array(faces)


def write(name, offset, radius):
    """One sphere as OBJ, STL text, PLY of doubles or glTF with a node matrix."""
    points, faces = sphere(radius)
    moved = points + offset
    line = lambda p: ' '.join(repr(float(c)) for c in p)
    if name.endswith('.obj'):
        text = ''.join(f'v {line(p)}\n' for p in moved) + ''.join('f %d %d %d\n' % tuple(f + 1) for f in faces)
        open(name, 'w').write(text)
    elif name.endswith('.stl'):
        facet = lambda f: 'facet normal 0 0 0\nouter loop\n' + ''.join(f'vertex {line(moved[i])}\n' for i in f) + 'endloop\nendfacet\n'
        open(name, 'w').write('solid\n' + ''.join(map(facet, faces)) + 'endsolid\n')
    elif name.endswith('.ply'):
        header = 'ply\nformat binary_little_endian 1.0\nelement vertex %d\n' % len(points) + ''.join(f'property double {c}\n' for c in 'xyz')
        header += 'element face %d\nproperty list uchar int vertex_indices\nend_header\n' % len(faces)
        rows = np.zeros(len(faces), [('n', 'u1'), ('v', '<i4', 3)])
        rows['n'], rows['v'] = 3, faces
        open(name, 'wb').write(header.encode() + moved.astype('<f8').tobytes() + rows.tobytes())
    else:
        data = points.astype('<f4').tobytes() + faces.astype('<u4').tobytes()
        split = len(points) * 12
        matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, *map(float, offset), 1]
        json.dump({
            'asset': {'version': '2.0'}, 'scenes': [{'nodes': [0]}], 'nodes': [{'mesh': 0, 'matrix': matrix}],
            'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'indices': 1}]}],
            'accessors': [{'bufferView': 0, 'componentType': 5126, 'count': len(points), 'type': 'VEC3'},
                          {'bufferView': 1, 'componentType': 5125, 'count': faces.size, 'type': 'SCALAR'}],
            'bufferViews': [{'buffer': 0, 'byteLength': split}, {'buffer': 0, 'byteOffset': split, 'byteLength': len(data) - split}],
            'buffers': [{'byteLength': len(data), 'uri': 'data:;base64,' + base64.b64encode(data).decode()}]}, open(name, 'w'))


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def found(folder, format, ratio):
    """Mask, area, volume and flat faces of the sphere; Chamfer distance and IoU of one that is 2 % larger."""
    small, large = (os.path.join(folder, f'{size}.{format}') for size in ('small', 'large'))
    write(small, DIRECTION * ratio, 1.0)
    write(large, DIRECTION * ratio, 1.02)
    out = os.path.join(folder, 'out')
    if run('render', small, '--out', out, '--rig', 'ring', '--views', '1', '--size', '256', '--channels', 'mask', '--renderer', 'cpu') is None:
        return None
    picture = next(os.path.join(base, f) for base, _, files in os.walk(out) for f in files if f.startswith('mask'))
    mask = np.asarray(Image.open(picture).convert('L'))
    facts = json.loads(run('inspect', small, '--json'))
    facts = facts.get('facts', facts)
    metrics = run('measure', large, '--reference', small, '--metrics', 'cd_l1_half,iou', '--json')
    values = [json.loads(line) for line in (metrics or '').splitlines()]
    measured = next((v['comparison']['values'] for v in values if 'comparison' in v), [])
    value = lambda name: next((v['value'] for v in measured if v['metric'] == name), None)
    return mask, facts['shape']['surface_area'], facts['shape']['volume'], facts['counts']['degenerate_triangles'], value('cd_l1_half'), value('iou')


print('| format | offset / radius | pixels of the mask that differ | area, relative error | volume, relative error | faces without area | Chamfer distance of 2 % more | IoU |')
print('| --- | --- | --- | --- | --- | --- | --- | --- |')
for format in ('obj', 'ply', 'stl', 'gltf'):
    with tempfile.TemporaryDirectory() as folder:
        truth = found(folder, format, 0.0)
        for ratio in (0.0, 1.0, *(10.0 ** e for e in range(1, 10))):
            got = found(folder, format, ratio)
            if got is None:
                print(f'| {format} | {ratio:.0e} | not drawn | | | | | |')
                continue
            error = lambda k: '–' if got[k] is None else f'{abs(got[k] / truth[k] - 1):.1e}'
            show = lambda x: '–' if x is None else f'{x:.6f}'
            print(f'| {format} | {ratio:.0e} | {(got[0] != truth[0]).sum()} | {error(1)} | {error(2)} | {got[3]} | {show(got[4])} | {show(got[5])} |', flush=True)
