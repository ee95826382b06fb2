#!/usr/bin/env python3
"""Samples the surface of an OBJ mesh as Gaussian disks: sample_splats.py MESH.obj COUNT OUT.splat

Needs Python only; the same bytes for the same arguments. Uniform on the surface; disks with a standard deviation of 0.945 times the mean
distance of samples and a quarter of it in thickness, opacity 255, colour by normal; longest edge 1, half a turn about z: as the files of 10,000
splats by github.com/marcelpadilla/splats, in any number.
"""
import bisect
import math
import random
import struct
import sys


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def read(path):
    """Vertices with a longest edge of 1 around the zero, and triangles."""
    vertices, triangles = [], []
    for line in open(path):
        words = line.split()
        if words and words[0] == "v":
            vertices.append([float(word) for word in words[1:4]])
        elif words and words[0] == "f":
            corners = [int(word.split("/")[0]) - 1 for word in words[1:]]
            triangles += [(corners[0], corners[k - 1], corners[k]) for k in range(2, len(corners))]
    low, high = [[f(v[k] for v in vertices) for k in range(3)] for f in (min, max)]
    edge = max(h - l for h, l in zip(high, low))
    return [[(x - (h + l) / 2) / edge for x, h, l in zip(v, high, low)] for v in vertices], triangles


def main():
    count = int(sys.argv[2])
    random.seed(count)
    vertices, triangles = read(sys.argv[1])
    normals, sums, area = [], [], 0.0
    for a, b, c in triangles:
        n = cross(*[[x - y for x, y in zip(vertices[k], vertices[a])] for k in (b, c)])
        length = math.hypot(*n)
        area += length / 2
        sums.append(area)
        normals.append([x / length for x in n] if length > 0 else (0, 0, 1))
    sigma = 0.945 * math.sqrt(area / count)
    out = bytearray()
    for _ in range(count):
        k = min(bisect.bisect(sums, random.random() * area), len(triangles) - 1)
        u, v = random.random(), random.random()
        if u + v > 1:
            u, v = 1 - u, 1 - v
        corners = zip(*[vertices[corner] for corner in triangles[k]])
        x, y, z = [a + u * (b - a) + v * (c - a) for a, b, c in corners]
        nx, ny, nz = normals[k]
        # The turn from z to the normal, then half a turn about z.
        w, i, j = (1 + nz, -ny, nx) if nz > -1 + 1e-6 else (0, 1, 0)
        q = [0, -j, i, w]
        length = math.hypot(*q)
        q = [min(255, max(0, round(x / length * 128 + 128))) for x in q]
        color = [int(255 * (0.5 + 0.4 * x)) for x in (nx, ny, nz)]
        out += struct.pack("<6f8B", -x, -y, z, sigma, sigma, sigma / 4, *color, 255, *q)
    open(sys.argv[3], "wb").write(out)


if __name__ == "__main__":
    main()
