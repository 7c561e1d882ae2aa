//! Methods of the fields' names that set them: how options are made outside of this crate, which new options do not break.

macro_rules! setters {
    ($options:ident: $($field:ident: $kind:ty),* $(,)?) => {
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

pub(crate) use setters;
