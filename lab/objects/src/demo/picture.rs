//! Pictures as damaged demo files hold them: made coarser.

use meshjudge_asset::objects::kit::Picture;

/// The same picture averaged over blocks, at a lower size: the rest is blur. Colours are averaged
/// as they are encoded, and rounded until they fit a palette; up to 256 texels have an entry each.
pub fn coarse(picture: &Picture, side_px: usize) -> Picture {
    let block = picture.side_px / side_px;
    let means: Vec<[usize; 3]> = (0..side_px * side_px)
        .map(|i| {
            let (bx, by) = (i % side_px * block, i / side_px * block);
            let mut sum = [0_usize; 3];
            for (y, x) in (0..block).flat_map(|y| (0..block).map(move |x| (y, x))) {
                let at = (by + y) * picture.side_px + bx + x;
                let color = picture.palette[usize::from(picture.indices[at])];
                sum.iter_mut().zip(color).for_each(|(s, c)| *s += usize::from(c));
            }
            sum.map(|s| s / (block * block))
        })
        .collect();
    if means.len() <= 256 {
        return Picture {
            side_px,
            palette: means.iter().map(|mean| mean.map(|c| c as u8)).collect(),
            indices: (0..means.len()).map(|i| i as u8).collect(),
        };
    }
    let rounded = |step: usize| -> Option<Picture> {
        let mut palette = Vec::new();
        let mut place = |mean: &[usize; 3]| {
            let color = mean.map(|c| (c / step * step + step / 2).min(255) as u8);
            let known = palette.iter().position(|p| *p == color);
            known.unwrap_or_else(|| {
                palette.push(color);
                palette.len() - 1
            })
        };
        let places: Vec<usize> = means.iter().map(&mut place).collect();
        let indices: Option<Vec<u8>> = places.iter().map(|&i| u8::try_from(i).ok()).collect();
        indices.map(|indices| Picture { side_px, palette, indices })
    };
    [1, 4, 8, 16, 32]
        .into_iter()
        .find_map(rounded)
        .expect("steps of 32 leave at most a few hundred colours, most of them unused")
}
