#!/usr/bin/env python3
"""Processor time of a view of a .splat file by F3D, on software OpenGL: splats_f3d.py FILE VIEWS

Needs `pip install f3d==4.0.0` and Mesa's EGL. 512 px, views around the zero at a distance of 1.85 with 40°: those of `examples/time.rs` in
`crates/splat` for an object with a longest edge of 1 and y down. The first picture, which sets everything up, does not count.
"""
import math
import resource
import sys

import f3d

RADIUS = 1.85


def processor_ms():
    return 1e3 * sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def main():
    path, views = sys.argv[1], int(sys.argv[2])
    f3d.Engine.autoload_plugins()
    engine = f3d.Engine.create_egl()
    engine.window.size = (512, 512)
    engine.options["model.point_sprites.type"] = "gaussian"
    engine.options["model.point_sprites.absolute_size"] = True
    engine.options["model.point_sprites.size"] = 1.0
    engine.options["render.effect.blending.mode"] = "sort_cpu"
    engine.options["model.coloring"] = "direct"
    engine.scene.add(path)
    engine.window.render_to_image()
    before = processor_ms()
    for view in range(views):
        angle = 2 * math.pi * view / 12
        toward = (math.sin(angle), -0.3, math.cos(angle))
        camera = engine.window.camera
        camera.position = tuple(RADIUS * c / math.hypot(*toward) for c in toward)
        camera.focal_point, camera.view_up, camera.view_angle = (0, 0, 0), (0, -1, 0), 40
        engine.window.render_to_image()
    print(f"{path}: processor {(processor_ms() - before) / views:.1f} ms a view")


if __name__ == "__main__":
    main()
