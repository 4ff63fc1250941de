//! `--report`: what the page says. A browser test looks at how it is shown.

use super::common::{Folder, disc, waves};

#[test]
fn a_regression_page_has_all_its_parts() {
    let f = Folder::new();
    f.put("waves.csv", waves(120));
    f.run("fit waves.csv -t y --report r.html");
    let page = f.read("r.html");
    for part in [
        "data-section=\"Errors\"",
        "data-chart=\"Predicted against true\"",
        "data-layer=\"scatter\" data-series=\"training\" data-points=\"96\"",
        "data-layer=\"scatter\" data-series=\"test\" data-points=\"24\"",
        "data-chart=\"Residuals\"",
        "data-chart=\"Choice of the width\"",
        "data-chart=\"Weights\"",
        "data-chart=\"The fitted surface\"",
        "data-section=\"Kept vectors\"",
        "data-setting=\"kernel\"",
        "leave-one-out",
    ] {
        assert!(page.contains(part), "{part:?} is not in the page");
    }
    assert!(!page.contains("<script") && !page.contains("NaN"));
}

#[test]
fn a_classification_page_has_regions_and_a_confusion_matrix() {
    let f = Folder::new();
    f.put("disc.csv", disc(120).replace("inside", "<in>"));
    f.run("fit disc.csv -t class -o m.safetensors --report r.html");
    f.run("evaluate m.safetensors disc.csv --report e.html");
    for name in ["r.html", "e.html"] {
        let page = f.read(name);
        for part in
            ["data-chart=\"Decision regions\"", "Confusion matrix", "&lt;in&gt;", "data-chart=\"Margins"]
        {
            assert!(page.contains(part), "{part:?} is not in {name}");
        }
        assert!(!page.contains("<in>"));
    }
}
