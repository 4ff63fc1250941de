//! Times a linear support vector machine on a svmlight file: `linear_svm FILE COST TOLERANCE REPEATS`.
//!
//! Prints one line of JSON: the least seconds of a fit, its objective, and its rounds. For `comparisons/svm/linear.py`.

use groat::batch::{LinearLoss, LinearMachine, Method, Quiet};
use groat::data::{Dataset, InputOptions, Inputs, ReadOptions, TaskChoice, read_table};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, cost, tolerance, repeats] = arguments.as_slice() else {
        return Err("linear_svm FILE COST TOLERANCE REPEATS".into());
    };
    let table = read_table(file, &ReadOptions::default())?;
    let options = InputOptions { targets: vec![table.names()[0].clone()], ..InputOptions::default() };
    let inputs = Inputs::fit(&table, &options)?;
    let data = Dataset::from_table(&table, inputs, TaskChoice::Classification, None)?.0;
    let problem = data.problem()?;
    let mut machine = LinearMachine::new(LinearLoss::Hinge).cost(cost.parse()?).tolerance(tolerance.parse()?);
    machine.penalise_bias = true;
    let (mut seconds, mut said) = (f64::INFINITY, String::new());
    for _ in 0..repeats.parse::<usize>()?.max(1) {
        let started = Instant::now();
        let fitted = machine.fit(&problem, &Quiet)?;
        seconds = seconds.min(started.elapsed().as_secs_f64());
        let settings = &fitted.model.record().settings;
        said = format!("\"objective\": {}, \"rounds\": {}", settings["objective"], settings["iterations"]);
    }
    println!("{{\"seconds\": {seconds}, {said}}}");
    Ok(())
}
