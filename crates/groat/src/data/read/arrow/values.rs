//! Columns of an Arrow batch as columns of numbers or texts.
//!
//! This is the little that is needed of Arrow's own casts, which convert every type into every other and take longer
//! to compile than all the rest of the reader.

use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{as_date, as_datetime, as_duration, as_time};
use arrow_array::types::*;
use arrow_array::{AnyDictionaryArray, Array, PrimitiveArray, downcast_temporal_array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{DataType, TimeUnit};

use crate::data::column::{Categories, Column};

/// What the values of a type become here.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Numbers and truth values.
    Number,
    /// Texts, dates and times, which become categories.
    Text,
}

impl Kind {
    /// Nothing for types such as lists, records and bytes.
    fn of(kind: &DataType) -> Option<Self> {
        match kind {
            DataType::Dictionary(_, values) => Self::of(values),
            DataType::Boolean | DataType::Null => Some(Kind::Number),
            DataType::Interval(_) => None,
            kind if kind.is_numeric() => Some(Kind::Number),
            kind if kind.is_string() || kind.is_temporal() => Some(Kind::Text),
            _ => None,
        }
    }
}

/// True when a column of this type has bytes behind each of its rows, and they mean something here.
pub(super) fn holds_values(kind: &DataType) -> bool {
    kind != &DataType::Null && Kind::of(kind).is_some()
}

/// The values of a column; numbers become their labels where `as_text` asks for it.
pub(super) fn column(array: &dyn Array, as_text: bool) -> Result<Column, String> {
    match Kind::of(array.data_type()) {
        Some(Kind::Number) => {
            let numbers = Column::Numeric(numbers(array)?);
            let labels = || (0..array.len()).map(|row| numbers.label(row)).collect();
            Ok(if as_text { Column::Text(labels()) } else { numbers })
        }
        Some(Kind::Text) => Ok(Column::Text(texts(array)?)),
        None => Ok(Column::Other { kind: array.data_type().to_string(), len: array.len() }),
    }
}

/// One number for each row, NaN where it is missing.
fn numbers(array: &dyn Array) -> Result<Vec<f64>, String> {
    Ok(match array.data_type() {
        DataType::Null => vec![f64::NAN; array.len()],
        DataType::Boolean => {
            array.as_boolean().iter().map(|v| v.map_or(f64::NAN, |v| f64::from(u8::from(v)))).collect()
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = numbers(dictionary.values())?;
            keys(dictionary).into_iter().map(|key| key.map_or(f64::NAN, |key| values[key])).collect()
        }
        DataType::Int8 => plain::<Int8Type>(array, f64::from),
        DataType::Int16 => plain::<Int16Type>(array, f64::from),
        DataType::Int32 => plain::<Int32Type>(array, f64::from),
        DataType::Int64 => plain::<Int64Type>(array, |v| v as f64),
        DataType::UInt8 => plain::<UInt8Type>(array, f64::from),
        DataType::UInt16 => plain::<UInt16Type>(array, f64::from),
        DataType::UInt32 => plain::<UInt32Type>(array, f64::from),
        DataType::UInt64 => plain::<UInt64Type>(array, |v| v as f64),
        DataType::Float16 => plain::<Float16Type>(array, f64::from),
        DataType::Float32 => plain::<Float32Type>(array, f64::from),
        DataType::Float64 => plain::<Float64Type>(array, |v| v),
        DataType::Decimal32(_, scale) => plain::<Decimal32Type>(array, decimal::<Decimal32Type>(*scale)),
        DataType::Decimal64(_, scale) => plain::<Decimal64Type>(array, decimal::<Decimal64Type>(*scale)),
        DataType::Decimal128(_, scale) => plain::<Decimal128Type>(array, decimal::<Decimal128Type>(*scale)),
        DataType::Decimal256(_, scale) => plain::<Decimal256Type>(array, decimal::<Decimal256Type>(*scale)),
        other => return Err(no_values(other)),
    })
}

fn plain<T: ArrowPrimitiveType>(array: &dyn Array, number: impl Fn(T::Native) -> f64) -> Vec<f64> {
    array.as_primitive::<T>().iter().map(|v| v.map_or(f64::NAN, &number)).collect()
}

/// The float nearest to a decimal number, rounded once.
fn decimal<D: DecimalType>(scale: i8) -> impl Fn(D::Native) -> f64 {
    let places = scale.unsigned_abs();
    let power = 10_f64.powi(i32::from(places));
    // Whole numbers below 2^53 and powers of ten up to 10^22 are floats themselves, so that one division rounds
    // once; other numbers take the long way through their digits.
    move |value| match value.to_i64().filter(|digits| digits.unsigned_abs() < 1 << 53 && places <= 22) {
        Some(digits) if scale >= 0 => digits as f64 / power,
        Some(digits) => digits as f64 * power,
        None => D::format_decimal(value, u8::MAX, scale).parse().unwrap_or(f64::NAN),
    }
}

/// One text for each row. Dates and times are spelled as ISO 8601 has them; a moment with a time zone is one in UTC,
/// whose name then stands behind it.
fn texts(array: &dyn Array) -> Result<Categories, String> {
    downcast_temporal_array!(
        array => spelled(array),
        DataType::Utf8 => Ok(array.as_string::<i32>().iter().collect()),
        DataType::LargeUtf8 => Ok(array.as_string::<i64>().iter().collect()),
        DataType::Utf8View => Ok(array.as_string_view().iter().collect()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = texts(dictionary.values())?;
            Ok(keys(dictionary).into_iter().map(|key| values.get(key?)).collect())
        }
        DataType::Duration(TimeUnit::Second) => spelled(array.as_primitive::<DurationSecondType>()),
        DataType::Duration(TimeUnit::Millisecond) => spelled(array.as_primitive::<DurationMillisecondType>()),
        DataType::Duration(TimeUnit::Microsecond) => spelled(array.as_primitive::<DurationMicrosecondType>()),
        DataType::Duration(TimeUnit::Nanosecond) => spelled(array.as_primitive::<DurationNanosecondType>()),
        other => Err(no_values(other))
    )
}

fn spelled<T: ArrowTemporalType>(array: &PrimitiveArray<T>) -> Result<Categories, String>
where
    i64: From<T::Native>,
{
    let zoned = matches!(array.data_type(), DataType::Timestamp(_, Some(_)));
    let text = |value: i64| match T::DATA_TYPE {
        DataType::Date32 => as_date::<T>(value).map(|date| format!("{date:?}")),
        DataType::Time32(_) | DataType::Time64(_) => as_time::<T>(value).map(|time| format!("{time:?}")),
        DataType::Duration(_) => as_duration::<T>(value).map(|duration| duration.to_string()),
        _ => as_datetime::<T>(value).map(|moment| format!("{moment:?}{}", if zoned { "Z" } else { "" })),
    };
    let checked = |value: T::Native| {
        let value = i64::from(value);
        text(value).ok_or_else(|| format!("{value} is beyond the range of {}", array.data_type()))
    };
    array.iter().map(|value| value.map(checked).transpose()).collect()
}

/// For each row the place of its value in the dictionary; nothing where it is missing.
fn keys(dictionary: &dyn AnyDictionaryArray) -> Vec<Option<usize>> {
    // Without a value there is no key; asking for them would be an error.
    if dictionary.values().is_empty() {
        return vec![None; dictionary.len()];
    }
    let present = |(row, key)| dictionary.keys().is_valid(row).then_some(key);
    dictionary.normalized_keys().into_iter().enumerate().map(present).collect()
}

fn no_values(kind: &DataType) -> String {
    format!("values of type {kind} are neither numbers nor text")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::*;
    use proptest::prelude::*;

    use super::*;

    fn labels(array: &dyn Array) -> Vec<Option<String>> {
        let column = column(array, true).unwrap();
        (0..column.len()).map(|row| column.label(row).map(|label| label.into_owned())).collect()
    }

    /// The spelling of the first row, and a missing second one.
    #[track_caller]
    fn reads(array: impl Array, expected: &str) {
        assert_eq!(labels(&array), [Some(expected.to_owned()), None], "{}", array.data_type());
    }

    #[test]
    fn every_type_of_number_is_read() {
        reads(Int8Array::from(vec![Some(-7), None]), "-7");
        reads(Int16Array::from(vec![Some(-700), None]), "-700");
        reads(Int32Array::from(vec![Some(-70_000), None]), "-70000");
        reads(Int64Array::from(vec![Some(1 << 52), None]), "4503599627370496");
        reads(UInt8Array::from(vec![Some(200), None]), "200");
        reads(UInt16Array::from(vec![Some(60_000), None]), "60000");
        reads(UInt32Array::from(vec![Some(4_000_000_000), None]), "4000000000");
        reads(UInt64Array::from(vec![Some(7), None]), "7");
        reads(Float32Array::from(vec![Some(0.5), None]), "0.5");
        reads(Float64Array::from(vec![Some(0.1), None]), "0.1");
        reads(BooleanArray::from(vec![Some(true), None]), "1");
        let halves = Float32Array::from(vec![Some(1.5), None]).unary_opt::<_, Float16Type>(|v| {
            // 1.5 in half precision.
            (v == 1.5).then(|| <Float16Type as ArrowPrimitiveType>::Native::from_bits(0x3e00))
        });
        reads(halves, "1.5");
    }

    #[test]
    fn dates_and_times_are_spelled_as_iso_8601_has_them() {
        let day = 86_400;
        reads(Date32Array::from(vec![Some(59), None]), "1970-03-01");
        reads(Date64Array::from(vec![Some(59 * day * 1000), None]), "1970-03-01T00:00:00");
        reads(Time32SecondArray::from(vec![Some(3661), None]), "01:01:01");
        reads(Time32MillisecondArray::from(vec![Some(1500), None]), "00:00:01.500");
        reads(Time64MicrosecondArray::from(vec![Some(7), None]), "00:00:00.000007");
        reads(Time64NanosecondArray::from(vec![Some(7), None]), "00:00:00.000000007");
        reads(TimestampSecondArray::from(vec![Some(-1), None]), "1969-12-31T23:59:59");
        reads(TimestampMillisecondArray::from(vec![Some(1), None]), "1970-01-01T00:00:00.001");
        for zone in ["UTC", "+02:00", "Europe/Berlin"] {
            let moments = TimestampNanosecondArray::from(vec![Some(day * 1_000_000_000), None]);
            reads(moments.with_timezone(zone), "1970-01-02T00:00:00Z");
        }
        reads(DurationSecondArray::from(vec![Some(90), None]), "PT90S");
        reads(DurationMillisecondArray::from(vec![Some(1500), None]), "PT1.5S");
        let error = column(&Time32SecondArray::from(vec![day as i32]), false).unwrap_err();
        assert_eq!(error, "86400 is beyond the range of Time32(s)");
    }

    #[test]
    fn texts_and_dictionaries_are_read() {
        reads(StringArray::from(vec![Some("a"), None]), "a");
        reads(LargeStringArray::from(vec![Some("a"), None]), "a");
        reads(StringViewArray::from(vec![Some("a"), None]), "a");
        let keys = || Int8Array::from(vec![Some(1), None]);
        reads(DictionaryArray::new(keys(), Arc::new(Int32Array::from(vec![3, 4]))), "4");
        reads(DictionaryArray::new(keys(), Arc::new(Date32Array::from(vec![0, 1]))), "1970-01-02");
        let empty = DictionaryArray::new(Int8Array::from(vec![None]), Arc::new(StringArray::new_null(0)));
        assert_eq!(labels(&empty), [None]);
        // A missing value may also stand in the dictionary.
        let hole = StringArray::from(vec![Some("a"), None]);
        let holes = DictionaryArray::new(Int8Array::from(vec![1, 0]), Arc::new(hole));
        assert_eq!(labels(&holes), [None, Some("a".to_owned())]);
    }

    proptest! {
        #[test]
        fn decimals_are_rounded_once(digits in any::<i128>(), shorter in 0_u32..127, scale in -30_i8..=38) {
            let digits = digits >> shorter;
            let array = PrimitiveArray::<Decimal128Type>::from(vec![digits])
                .with_data_type(DataType::Decimal128(38, scale));
            let expected: f64 = format!("{digits}e{}", -i32::from(scale)).parse().unwrap();
            prop_assert_eq!(numbers(&array).unwrap(), [expected]);
        }
    }
}
