//! Planes → 3DGS `.ply`: logits, logarithms, and `f_rest_*` all red, then all green, then all blue.

use super::Loss;
use crate::splats::Splats;
use glam::{DAffine3, DMat3, DVec3};

/// For the infinite logits of opacities 0 and 1; from 17 on, single precision rounds to 1.
const LOGIT_MAX: f64 = 20.0;

/// Splats at this multiple of their own reach from zero lose a digit.
const DIGITS_LOST_MAX: f64 = 10.0;

pub(super) fn write(splats: &Splats, losses: &mut Vec<Loss>) -> Vec<u8> {
    let turn = DAffine3::from_mat3(DMat3::from_diagonal(DVec3::new(1.0, -1.0, -1.0)));
    let splats = splats.clone().mapped(&turn).expect("a turn keeps every splat");
    let parts = splats.planes();
    let reach = parts.position.iter().flatten().fold(0.0_f32, |most, value| most.max(value.abs()));
    let away = splats.origin().abs().max_element();
    if away > DIGITS_LOST_MAX * f64::from(reach) {
        losses.push(Loss::FarFromZero { step: away * f64::from(f32::EPSILON) });
    }
    let per_channel = parts.harmonics.len() / 3;
    let rest: Vec<usize> = (0..3).flat_map(|c| (1..per_channel).map(move |k| 3 * k + c)).collect();
    let mut header = format!(
        "ply\nformat binary_little_endian 1.0\ncomment meshjudge {}\nelement vertex {}\n",
        env!("CARGO_PKG_VERSION"),
        splats.len()
    );
    let numbered = |name: &str, count: usize| (0..count).map(|k| format!("{name}_{k}")).collect();
    let names: [Vec<String>; 6] = [
        ["x", "y", "z"].map(str::to_owned).into(),
        numbered("f_dc", 3),
        numbered("f_rest", rest.len()),
        vec!["opacity".to_owned()],
        numbered("scale", 3),
        numbered("rot", 4),
    ];
    for name in names.iter().flatten() {
        header += &format!("property float {name}\n");
    }
    header += "end_header\n";
    let mut out = header.into_bytes();
    out.reserve(4 * (14 + rest.len()) * splats.len());
    for i in 0..splats.len() {
        let mut put = |value: f32| out.extend(value.to_le_bytes());
        for value in (splats.origin() + splats.position(i)).to_array() {
            put(value as f32);
        }
        for k in (0..3).chain(rest.iter().copied()) {
            put(parts.harmonics[k][i]);
        }
        let opacity = f64::from(parts.opacity[i]);
        put(libm::log(opacity / (1.0 - opacity)).clamp(-LOGIT_MAX, LOGIT_MAX) as f32);
        for scale in splats.scale(i) {
            // A flat splat has a scale of 0, whose logarithm is infinite.
            put(libm::log(scale.max(f32::MIN_POSITIVE).into()) as f32);
        }
        parts.rotation.iter().for_each(|plane| put(plane[i]));
    }
    out
}
