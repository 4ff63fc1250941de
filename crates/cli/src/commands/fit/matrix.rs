//! How a kernel matrix stands, or would.

use groat::gram::Plan;
use serde::Serialize;

/// Field names are part of the command's interface.
#[derive(Serialize)]
pub struct KernelMatrix {
    /// In words.
    form: String,
    bytes: u64,
    /// Bytes that it may take.
    allowed: u64,
    #[serde(skip)]
    text: String,
}

impl KernelMatrix {
    pub fn of(plan: &Plan) -> Self {
        let (form, text) = (plan.form.to_string(), plan.to_string());
        Self { form, bytes: plan.bytes, allowed: plan.limit, text }
    }

    /// The line of a summary.
    pub fn text(&self) -> String {
        self.text.clone()
    }
}
