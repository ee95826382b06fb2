//! The arithmetic of LPIPS 0.1 (Zhang et al. 2018) around a backbone's layers. The backbone, AlexNet or VGG-16, is the caller's, and belongs
//! into the name: `lpips[alex]`. With any other backbone the number is not LPIPS.

use super::error::FeaturesError;

/// Added to the length of a feature vector, so that a pixel without features is zero.
const EPSILON: f64 = 1e-10;
/// What the backbone expects: (x − shift) / scale of red, green and blue from −1 to 1.
const SHIFT: [f32; 3] = [-0.030, -0.088, -0.188];
const SCALE: [f32; 3] = [0.458, 0.448, 0.450];

/// Scales a value of channel 0 to 2 (red, green, blue) from −1…1. Pictures from 0…1 must become 2x − 1 first; forgetting that is the usual
/// error.
pub fn lpips_scaled(value: f32, channel: usize) -> f32 {
    (value - SHIFT[channel]) / SCALE[channel]
}

/// The distance in one layer; LPIPS is the sum over the five layers. At least 0, no upper limit.
///
/// `a` and `b` are the layer's features of the two pictures, channel by channel, each with `num_pixels` values; `weights` has one weight for
/// each channel. Vectors are unit over channels, differences squared, weighted, and averaged over pixels.
///
/// # Errors
/// Features of another length than channels × pixels.
pub fn lpips_layer(
    a: &[f64],
    b: &[f64],
    weights: &[f64],
    num_pixels: usize,
) -> Result<f64, FeaturesError> {
    let wanted = weights.len() * num_pixels;
    if let Some(found) = [a, b].map(<[f64]>::len).into_iter().find(|found| *found != wanted) {
        return Err(FeaturesError::Length { what: "a layer", wanted, found });
    }
    let length = |features: &[f64], pixel: usize| {
        let values = features[pixel..].iter().step_by(num_pixels);
        values.map(|value| value * value).sum::<f64>().sqrt() + EPSILON
    };
    let at = |pixel: usize| {
        let lengths = [length(a, pixel), length(b, pixel)];
        let each = weights.iter().enumerate().map(|(channel, weight)| {
            let place = channel * num_pixels + pixel;
            let apart = a[place] / lengths[0] - b[place] / lengths[1];
            weight * apart * apart
        });
        each.sum::<f64>()
    };
    Ok((0..num_pixels).map(at).sum::<f64>() / num_pixels as f64)
}
