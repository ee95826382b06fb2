//! Facts about the structure of a file that its scene no longer has.

use serde::Serialize;

/// Structure of a file. Formats without nodes have one draw call for each mesh.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FileFacts {
    /// Whether the format defines its unit as metres, as glTF does.
    pub is_in_metres: bool,
    pub nodes: usize,
    /// Names of root nodes of the drawn scene with a translation, rotation or scale.
    pub moved_roots: Vec<String>,
    /// Primitives that are drawn; an instanced one counts once for each node.
    pub draw_calls: usize,
    /// Drawn nodes with a skin.
    pub skinned_meshes: usize,
    /// Joints of all skins, each node once.
    pub joints: usize,
    /// Pictures that materials use, at their size in the file.
    pub images: Vec<ImageFacts>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImageFacts {
    pub name: String,
    pub width_px: u32,
    pub height_px: u32,
    pub bytes: usize,
    /// Whether it stays compressed on a graphics card (KTX2).
    pub is_compressed: bool,
}

impl ImageFacts {
    pub(super) fn new(name: String, [width_px, height_px]: [u32; 2], bytes: &[u8]) -> Self {
        let is_compressed = bytes.starts_with(b"\xABKTX 20");
        Self { name, width_px, height_px, bytes: bytes.len(), is_compressed }
    }

    /// With all mip levels: four bytes a texel, or one if it stays compressed.
    pub fn gpu_bytes(&self) -> u64 {
        let (mut width, mut height) = (u64::from(self.width_px), u64::from(self.height_px));
        let mut texels = 0;
        loop {
            texels += width * height;
            if width <= 1 && height <= 1 {
                break;
            }
            (width, height) = ((width / 2).max(1), (height / 2).max(1));
        }
        texels * if self.is_compressed { 1 } else { 4 }
    }
}
