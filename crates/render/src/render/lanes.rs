//! Eight floats at a time, or one lane of them. Plain arrays that the compiler turns into the
//! widest instructions of the function they are inlined into: best where a whole stage is one loop
//! over lanes ([`F8::lane`]), half as wide where every operation is a loop of its own.
//!
//! Only `+ − × ÷ √`, comparisons and selections: every instruction set gives the same bits. No
//! fused multiply-add, on purpose.

#![expect(
    clippy::needless_range_loop,
    reason = "counted loops over arrays are the form that the compiler turns into vector instructions"
)]

use std::ops::{Add, Div, Mul, Neg, Sub};
use wide::f32x4;

pub(crate) const LANES: usize = 8;

/// Eight floats, unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
pub(crate) struct F8<const N: usize = LANES>(pub [f32; N]);

/// Eight truth values, unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct B8<const N: usize = LANES>(pub [bool; N]);

impl<const N: usize> F8<N> {
    pub(super) const ZERO: Self = Self([0.0; N]);
    pub(super) const ONE: Self = Self([1.0; N]);

    #[inline(always)]
    pub(super) fn splat(value: f32) -> Self {
        Self([value; N])
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = [0.0; N];
        for i in 0..N {
            out[i] = f(self.0[i], other.0[i]);
        }
        Self(out)
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        let mut out = [0.0; N];
        for i in 0..N {
            out[i] = f(self.0[i]);
        }
        Self(out)
    }

    /// The smaller; the second where one is no number.
    #[inline(always)]
    pub(super) fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    /// The larger; the second where one is no number.
    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    pub(super) fn clamp01(self) -> Self {
        self.max(Self::ZERO).min(Self::ONE)
    }

    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        self.map(f32::sqrt)
    }

    /// Base-2 logarithm of positive numbers, off by less than 1e-6 plus the exponent's rounding:
    /// the series of artanh to the seventh power over a mantissa between √½ and √2.
    #[inline(always)]
    pub(super) fn log2(self) -> Self {
        const SQRT_HALF: u32 = 0x3f35_04f3;
        self.map(|x| {
            let bits = x.to_bits();
            let exponent = (bits.wrapping_sub(SQRT_HALF) as i32) >> 23;
            let mantissa = f32::from_bits(bits.wrapping_sub((exponent << 23) as u32));
            let s = (mantissa - 1.0) / (mantissa + 1.0);
            let t = s * s;
            let series = ((0.412_198_6 * t + 0.577_078) * t + 0.961_796_7) * t + 2.885_39;
            exponent as f32 + s * series
        })
    }

    /// 2 to the power of numbers from −126 to 0, off by less than 1e-6 of the value: Taylor's
    /// series to the sixth power over a remainder of at most ½.
    #[inline(always)]
    pub(super) fn exp2(self) -> Self {
        self.map(|x| {
            let whole = (x - 0.5) as i32;
            let f = x - whole as f32;
            let series = ((0.000_154_035_3 * f + 0.001_333_355_8) * f + 0.009_618_129) * f;
            let series = ((series + 0.055_504_11) * f + 0.240_226_5) * f + std::f32::consts::LN_2;
            (series * f + 1.0) * f32::from_bits(((whole + 127) << 23) as u32)
        })
    }

    #[inline(always)]
    pub(super) fn less(self, other: Self) -> B8<N> {
        let mut out = [false; N];
        for i in 0..N {
            out[i] = self.0[i] < other.0[i];
        }
        B8(out)
    }

    /// `self + (other − self) · t`.
    #[inline(always)]
    pub(super) fn mix(self, other: Self, t: Self) -> Self {
        self + (other - self) * t
    }
}

impl F8 {
    #[inline(always)]
    pub(super) fn lane(&self, lane: usize) -> F8<1> {
        F8([self.0[lane]])
    }
}

/// Eight rows of four → four columns of eight. Values gathered from many places are loaded by rows,
/// never lane by lane: a vector assembled in memory by eight stores stalls the processor.
#[inline(always)]
pub(crate) fn columns(rows: [[f32; 4]; LANES]) -> [F8; 4] {
    let row = |k: usize| f32x4::from(rows[k]);
    let low = f32x4::transpose([row(0), row(1), row(2), row(3)]);
    let high = f32x4::transpose([row(4), row(5), row(6), row(7)]);
    let mut out = [F8::ZERO; 4];
    for k in 0..4 {
        out[k].0[..4].copy_from_slice(low[k].as_array());
        out[k].0[4..].copy_from_slice(high[k].as_array());
    }
    out
}

/// Four columns of eight → eight rows of four.
#[inline(always)]
pub(crate) fn rows(columns: [F8; 4]) -> [f32x4; LANES] {
    let part = |k: usize, first: usize| {
        let column = &columns[k].0;
        f32x4::from([column[first], column[first + 1], column[first + 2], column[first + 3]])
    };
    let [a, b, c, d] = f32x4::transpose([part(0, 0), part(1, 0), part(2, 0), part(3, 0)]);
    let [e, f, g, h] = f32x4::transpose([part(0, 4), part(1, 4), part(2, 4), part(3, 4)]);
    [a, b, c, d, e, f, g, h]
}

/// Asks for an element that will be read soon, so that reading it does not wait for memory. Does
/// nothing where it cannot.
#[inline(always)]
pub(crate) fn prefetch<T>(list: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = list.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: x86-64 has SSE; a prefetch reads and writes nothing visible to the program.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (list, index);
}

impl<const N: usize> B8<N> {
    /// `yes` where true, else `no`.
    #[inline(always)]
    pub(super) fn select(self, yes: F8<N>, no: F8<N>) -> F8<N> {
        let mut out = [0.0; N];
        for i in 0..N {
            out[i] = if self.0[i] { yes.0[i] } else { no.0[i] };
        }
        F8(out)
    }
}

impl<const N: usize> Add for F8<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<const N: usize> Sub for F8<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<const N: usize> Mul for F8<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl<const N: usize> Div for F8<N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
}

impl<const N: usize> Neg for F8<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

/// Eight vectors, unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct V8<const N: usize = LANES> {
    pub x: F8<N>,
    pub y: F8<N>,
    pub z: F8<N>,
}

impl V8 {
    #[inline(always)]
    pub(super) fn lane(&self, lane: usize) -> V8<1> {
        V8 { x: self.x.lane(lane), y: self.y.lane(lane), z: self.z.lane(lane) }
    }

    #[inline(always)]
    pub(super) fn set_lane(&mut self, lane: usize, v: V8<1>) {
        self.x.0[lane] = v.x.0[0];
        self.y.0[lane] = v.y.0[0];
        self.z.0[lane] = v.z.0[0];
    }
}

impl<const N: usize> V8<N> {
    pub(super) const ZERO: Self = Self { x: F8::ZERO, y: F8::ZERO, z: F8::ZERO };

    #[inline(always)]
    pub(super) fn splat(v: glam::Vec3) -> Self {
        Self { x: F8::splat(v.x), y: F8::splat(v.y), z: F8::splat(v.z) }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, v: glam::Vec3) {
        self.x.0[lane] = v.x;
        self.y.0[lane] = v.y;
        self.z.0[lane] = v.z;
    }

    #[inline(always)]
    pub(super) fn dot(self, o: Self) -> F8<N> {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    #[inline(always)]
    pub(super) fn cross(self, o: Self) -> Self {
        Self {
            x: self.y * o.z - self.z * o.y,
            y: self.z * o.x - self.x * o.z,
            z: self.x * o.y - self.y * o.x,
        }
    }

    #[inline(always)]
    pub(super) fn scale(self, s: F8<N>) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s }
    }

    /// Unit length; the zero vector stays zero.
    #[inline(always)]
    pub(super) fn normalized(self) -> Self {
        let length = self.dot(self).sqrt();
        self.scale(F8::ONE / length.max(F8::splat(1e-20)))
    }

    #[inline(always)]
    pub(super) fn mix(self, o: Self, t: F8<N>) -> Self {
        self + (o - self).scale(t)
    }

    #[inline(always)]
    pub(super) fn times(self, o: Self) -> Self {
        Self { x: self.x * o.x, y: self.y * o.y, z: self.z * o.z }
    }

    #[inline(always)]
    pub(super) fn select(mask: B8<N>, yes: Self, no: Self) -> Self {
        Self {
            x: mask.select(yes.x, no.x),
            y: mask.select(yes.y, no.y),
            z: mask.select(yes.z, no.z),
        }
    }
}

impl<const N: usize> Add for V8<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl<const N: usize> Sub for V8<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_logarithms_are_those_of_the_library() {
        for k in 1..2000 {
            let x = k as f32 * 0.0007;
            let found = <F8>::splat(x).log2().0[0];
            assert!((found - libm::log2f(x)).abs() < 2e-6, "{x}: {found}");
            let power = -x * 90.0;
            let (found, expected) = (<F8>::splat(power).exp2().0[0], libm::exp2f(power));
            assert!((found / expected - 1.0).abs() < 1e-6, "{power}: {found}");
        }
        assert_eq!(<F8>::splat(0.0).exp2(), <F8>::ONE);
        assert_eq!(<F8>::ONE.log2(), F8::ZERO);
    }
}
