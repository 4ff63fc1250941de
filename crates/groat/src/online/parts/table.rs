//! The table of one kind of part.

/// A part: what help, error texts and documentation say of it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Part {
    /// Name, as it is chosen by.
    pub name: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// Parameters it takes, with their defaults.
    pub parameters: &'static [(&'static str, &'static str)],
}

/// Makes a kind of part from its rows: `Variant(Type) = name, parameters with defaults, constructor, meaning;`.
///
/// The enum is the closed list that can be saved, and dereferences to what all parts of the kind can do. `PARTS` and
/// `NAMES` describe it, and `new` builds the part that the settings name; a name without a row is an error.
macro_rules! part_table {
    (
        $(#[$attribute:meta])*
        $kind:literal: $name:ident of $ability:ident {
            $($variant:ident($type:ty) = $part:literal, $parameters:expr, $build:expr, $meaning:literal;)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub(crate) enum $name {
            $(#[doc = $meaning] $variant($type),)+
        }

        /// The rows of the table.
        pub(crate) const PARTS: &[$crate::online::parts::Part] = &[
            $($crate::online::parts::Part { name: $part, meaning: $meaning, parameters: &$parameters },)+
        ];

        /// The names in the table.
        pub(crate) const NAMES: &[&str] = &[$($part),+];

        impl $name {
            /// The part that the settings name.
            pub fn new(values: &$crate::online::presets::Values) -> $crate::error::Result<Self> {
                match values.text($kind)? {
                    $($part => {
                        let build: fn(&$crate::online::presets::Values) -> $crate::error::Result<$type> = $build;
                        build(values).map($name::$variant)
                    })+
                    other => Err($crate::online::parts::unknown($kind, other, PARTS)),
                }
            }
        }

        impl std::ops::Deref for $name {
            type Target = dyn $ability;

            fn deref(&self) -> &(dyn $ability + 'static) {
                match self { $($name::$variant(part) => part,)+ }
            }
        }

        impl std::ops::DerefMut for $name {
            fn deref_mut(&mut self) -> &mut (dyn $ability + 'static) {
                match self { $($name::$variant(part) => part,)+ }
            }
        }
    };
}
pub(crate) use part_table;
