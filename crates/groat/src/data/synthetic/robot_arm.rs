//! A robot arm of eight links with revolute joints, a stand-in for KIN40K (B13): from the joint angles
//! to the distance between the tip and a fixed point.

use std::f64::consts::FRAC_PI_2;

use rand_pcg::Pcg64;

use super::{Generator, Setting, add_noise, noise, samples_table, uniform};

/// The arm. Each joint turns about an axis perpendicular to the one before, so that the tip moves in
/// space; the links are equally long and reach 1 in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotArm {
    /// Joint angles are uniform between `-reach` and `reach`.
    pub reach: f64,
    /// Standard deviation of the noise on the distance.
    pub noise: f64,
    /// The fixed point.
    pub point: [f64; 3],
}

impl Default for RobotArm {
    fn default() -> Self {
        Self { reach: FRAC_PI_2, noise: 0.0, point: [0.1, 0.1, 0.1] }
    }
}

impl RobotArm {
    /// Number of links.
    pub const LINKS: usize = 8;

    /// Where the tip is. In Denavit-Hartenberg terms every joint is the rotation `angle` about z, a
    /// link of length 1/8 along x, and a twist of plus or minus a quarter turn about x.
    pub fn tip(&self, angles: &[f64; Self::LINKS]) -> [f64; 3] {
        let length = 1.0 / Self::LINKS as f64;
        // From the last joint to the first, the tip's place in the frame of each.
        angles.iter().enumerate().rev().fold([0.0; 3], |[x, y, z], (joint, angle)| {
            let twist = if joint % 2 == 0 { 1.0 } else { -1.0 };
            let (x, y, z) = (x + length, -twist * z, twist * y);
            let (sine, cosine) = angle.sin_cos();
            [cosine * x - sine * y, sine * x + cosine * y, z]
        })
    }

    /// The distance of the tip from the fixed point.
    pub fn distance(&self, angles: &[f64; Self::LINKS]) -> f64 {
        let tip = self.tip(angles);
        tip.iter().zip(&self.point).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    /// `n` positions and their distances.
    pub fn samples(&self, n: usize, random: &mut Pcg64) -> (Vec<[f64; Self::LINKS]>, Vec<f64>) {
        let angles: Vec<[f64; Self::LINKS]> =
            (0..n).map(|_| std::array::from_fn(|_| uniform(random, -self.reach, self.reach))).collect();
        let mut distances: Vec<f64> = angles.iter().map(|angles| self.distance(angles)).collect();
        add_noise(&mut distances, self.noise, random);
        (angles, distances)
    }
}

pub(super) const GENERATOR: Generator = Generator {
    name: "robot-arm",
    about: "eight joint angles of an arm to the distance of its tip from a point (B13)",
    settings: &[
        Setting { name: "reach", default: FRAC_PI_2, range: (0.0, 3.2), about: "largest joint angle" },
        noise(0.0),
    ],
    rows: 10_000,
    make: |settings, rows, random| {
        let family =
            RobotArm { reach: settings.get("reach"), noise: settings.get("noise"), ..RobotArm::default() };
        let (angles, distances) = family.samples(rows, random);
        let rows: Vec<Vec<f64>> = angles.iter().map(|angles| angles.to_vec()).collect();
        samples_table(&rows, Some(("y", distances)))
    },
};
