//! Options that say each setting once: its name, its type, its default, and what it means.

/// A struct of public fields with its [`Default`], and for each field a method of its name that sets it: how options are made
/// outside of this crate, which new options do not break. A default may use those above it.
macro_rules! options {
    ($(#[$about:meta])* pub struct $options:ident { $($(#[$doc:meta])* $field:ident: $kind:ty = $default:expr,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub struct $options {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl Default for $options {
            fn default() -> Self {
                $(let $field: $kind = $default;)*
                Self { $($field),* }
            }
        }

        impl $options {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](", stringify!($options), "::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $kind) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}

pub(crate) use options;
