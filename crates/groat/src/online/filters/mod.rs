//! Methods with a state of their own, one file each.

mod basis;
pub(crate) mod exkrls;
pub(crate) mod fbklms;
pub(crate) mod kapsm;
pub(crate) mod krls_tracker;
pub(crate) mod l2;
pub(crate) mod linear;
pub(crate) mod lkapa;
pub(crate) mod memory_cell;
pub(crate) mod mknlms;
pub(crate) mod mxklms;
pub(crate) mod phypass;
pub(crate) mod problms;
pub(crate) mod proximal;
pub(crate) mod qklms_fb;
pub(crate) mod qkrls;
pub(crate) mod recursive;
pub(crate) mod rff_klms;
mod selection;
mod stack;
mod window;
