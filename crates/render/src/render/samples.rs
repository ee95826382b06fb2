//! The places of the samples in a pixel.

pub(super) const SAMPLES: usize = 4;

/// Where the samples are in a pixel, in sub-pixels from its top left corner: the usual rotated
/// grid, 1/8 apart in each axis.
pub(super) const SAMPLE_X: [i32; SAMPLES] = [96, 224, 32, 160];

pub(super) const SAMPLE_Y: [i32; SAMPLES] = [32, 96, 160, 224];

/// By coverage mask, the squared distance of its samples' middle from the pixel's centre, in
/// twelfths of a sub-pixel: whole numbers, so that both renderers agree on which are equal.
pub(super) const OFF_CENTER: [i32; 1 << SAMPLES] = {
    let mut table = [0; 1 << SAMPLES];
    let mut mask = 1;
    while mask < 1 << SAMPLES {
        let (mut x, mut y, mut count, mut s) = (0, 0, 0, 0);
        while s < SAMPLES {
            if mask >> s & 1 == 1 {
                x += SAMPLE_X[s] - 128;
                y += SAMPLE_Y[s] - 128;
                count += 1;
            }
            s += 1;
        }
        let twelfths = 12 / count;
        table[mask] = (x * x + y * y) * twelfths * twelfths;
        mask += 1;
    }
    table
};
