use super::*;
use proptest::prelude::*;

fn plain(x: Rows<'_>, query: &[f64], radius: f64) -> Vec<u32> {
    let squared = |p: &[f64]| p.iter().zip(query).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    (0..x.rows()).filter(|&i| squared(x.row(i)).sqrt() < radius).map(|i| i as u32).collect()
}

fn found(index: &Neighbours, query: &[f64]) -> Vec<u32> {
    let mut hits: Vec<u32> = index.within(query).iter().map(|h| h.index).collect();
    hits.sort_unstable();
    assert_eq!(hits.len(), index.count(query));
    hits
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn all_neighbours_are_found_in_any_dimension(
        d in 1usize..11,
        data in prop::collection::vec(-1.0f64..1.0, 1..2000),
        // Small radii make trees of the low dimensions, too.
        radius in prop::sample::select(vec![0.003, 0.1, 0.4, 1.5, 10.0]),
    ) {
        let rows = (data.len() / d).max(1);
        let mut data = data;
        data.resize(rows * d, 0.25);
        let x = Rows::new(&data, d).unwrap();
        let index = Neighbours::new(x, radius).unwrap();
        for i in 0..rows.min(20) {
            prop_assert_eq!(found(&index, x.row(i)), plain(x, x.row(i), radius));
            let moved: Vec<f64> = x.row(i).iter().map(|v| 1.3 * v + 0.2).collect();
            prop_assert_eq!(found(&index, &moved), plain(x, &moved, radius));
        }
    }

    #[test]
    fn lattices_and_duplicates_break_nothing(
        d in 1usize..6,
        data in prop::collection::vec(0i32..3, 1..1500),
        radius in prop::sample::select(vec![0.01, 0.5, 1.0, 1.0000001, 2.0, 2.3]),
    ) {
        let rows = (data.len() / d).max(1);
        let mut data: Vec<f64> = data.into_iter().map(f64::from).collect();
        data.resize(rows * d, 0.0);
        let x = Rows::new(&data, d).unwrap();
        let index = Neighbours::new(x, radius).unwrap();
        for i in 0..rows.min(20) {
            prop_assert_eq!(found(&index, x.row(i)), plain(x, x.row(i), radius));
        }
    }
}

#[test]
fn an_outlier_does_not_turn_the_grid_into_a_single_cell() {
    let mut data: Vec<f64> = (0..2000).map(|i| f64::from(i) * 1e-3).collect();
    data.push(1e12);
    let x = Rows::new(&data, 1).unwrap();
    let index = Neighbours::new(x, 1e-2).unwrap();
    assert_eq!(index.kind(), "tree");
    assert_eq!(found(&index, &[1.0]), plain(x, &[1.0], 1e-2));
}

#[test]
fn odd_queries_and_parameters() {
    let data = [0.0, 1.0, 2.0, 3.0];
    let x = Rows::new(&data, 2).unwrap();
    let index = Neighbours::new(x, 5.0).unwrap();
    assert!(index.within(&[f64::NAN, 0.0]).is_empty());
    assert!(index.within(&[f64::INFINITY, 0.0]).is_empty());
    assert!(index.within(&[0.0]).is_empty());
    assert!(Neighbours::new(x, 0.0).is_err() && Neighbours::new(x, f64::NAN).is_err());
    assert!(Neighbours::new(Rows::new(&[f64::NAN], 1).unwrap(), 1.0).is_err());
    assert!(Neighbours::new(Rows::new(&[], 3).unwrap(), 1.0).unwrap().within(&[0.0; 3]).is_empty());
}

#[test]
fn a_pair_at_just_the_radius_is_no_pair() {
    let mut at = 0.1;
    for _ in 0..2000 {
        at = (at * 1.618_033_988_7_f64).fract() + 1e-3;
        let squared = at * at;
        let index =
            Neighbours::new(Rows::new(&[0.0, 0.0, at, at], 2).unwrap(), (squared + squared).sqrt()).unwrap();
        assert_eq!(index.count(&[0.0, 0.0]), 1, "{at}");
    }
}
