//! Nasty inputs for every format, and what becomes of each: the examples, or the exact message.

mod common;

use surefoot_data::{Format, FormatOptions, ReadOptions, Source};

/// One paragraph an input: the input as a string literal, then what was read from it.
fn table(format: &str, columns: &FormatOptions, inputs: &[&[u8]]) -> String {
    let mut out = String::new();
    for input in inputs {
        let (examples, error) = common::read("t", input, Some(format), columns);
        out += &format!("{}\n", input.escape_ascii());
        examples.iter().for_each(|example| out += &format!("    {example}\n"));
        error.iter().for_each(|error| out += &format!("  ! {error}\n"));
    }
    out
}

#[test]
fn svmlight() {
    let inputs: &[&[u8]] = &[
        b"",
        b"\n\n  \n# only a comment\n",
        b"+1 1:1 2:0.5",
        b"1 qid:3 1:2 # note 5:5",
        b"1 3:1 1:1 3:1 2:0",
        b"3:1 4:1",
        b"1",
        b"spam 1:1",
        b"1\t1:1\t\t2:2  \r",
        b"1,2 1:1",
        b"1 1:abc",
        b"1 1:",
        b"1 1",
        b"1 1:1:1",
        b"1 word:1",
        b"1 -1:1",
        b"1 1.5:1",
        b"1 : 1:1",
        b"1 1:nan",
        b"1 1:inf",
        b"1 1:-Infinity",
        b"1 1:1e999",
        b"1 1:1e308 1:1e308",
        b"1 1:1x",
        b"1 1 :1",
        b"1 18446744073709551615:1",
        b"1 18446744073709551616:1",
        b"1 99999999999999999999999999:1",
        b"1 00000000000000000000000000007:1",
        b"1 qid:x 1:1",
        b"1 1:\xff",
        b"\xff\xfe 1:1",
        b"\xc3\x28 1:1",
        b"1 1:0x10",
        b"1 1:1\x00",
        b"1 1:1\n1 1:2\n1 oops\n1 1:3",
        b"PAR1 1:1",
    ];
    insta::assert_snapshot!(table("svmlight", &FormatOptions::default(), inputs));
}

#[test]
fn vw() {
    let inputs: &[&[u8]] = &[
        b"1 | a b:2 c:x :1.5 :2.5",
        b"1 2.5 'tag|n:2 a:3 b |m c",
        b"1 2 tag|n a",
        b"1|n a",
        b"'tag | a",
        b"| a",
        b"|a",
        b"|",
        b"1 2 0 | a",
        b"1 2 3 | a",
        b"1 2 0 4 | a",
        b"1 x | a",
        b"1 -1 | a",
        b"1,2 | a",
        b"1:2 | a",
        b"1 a b",
        b"1 | a:",
        b"1 | :",
        b"1 | :x",
        b"1 | a:b:c",
        b"1 | http://x.y",
        b"1 | a:nan",
        b"1 |n:x a",
        b"1 |n: a",
        b"1 | a:1e999",
        b"1 | a a a:-2",
        b"1 |\xff a",
        b"1 | \xff",
        b"1 ||| a",
        b"1\t|n\ta\tb",
        b"\n  \n1 | a\r\n",
    ];
    insta::assert_snapshot!(table("vw", &FormatOptions::default(), inputs));
}

#[test]
fn fasttext() {
    let inputs: &[&[u8]] = &[
        b"__label__pos good film",
        b"good __label__pos film",
        b"good film",
        b"__label__a __label__b both",
        b"__label__ nothing",
        b"__label__pos",
        b"un__label__ed word",
        b"\n \n",
        b"__label__\xff x",
        b"__label__a \xff\xfe bytes",
        b"__label__a\ttab",
    ];
    insta::assert_snapshot!(table("fasttext", &FormatOptions::default(), inputs));
    let hash = FormatOptions { label_prefix: "#".into(), ..FormatOptions::default() };
    insta::assert_snapshot!(table("fasttext", &hash, &[b"#pos good", b"__label__pos good"]), @r"
    #pos good
        pos good:1
    __label__pos good
        ? label:1 pos:1 good:1
    ");
    let nothing = FormatOptions { label_prefix: "".into(), ..FormatOptions::default() };
    insta::assert_snapshot!(table("fasttext", &nothing, &[b"a b"]), @r"
    a b
        ? a:1 b:1
    ");
}

#[test]
fn text() {
    let inputs: &[&[u8]] = &[
        b"pos\tgood film",
        b"\tgood film",
        b"good film",
        b"pos\t",
        b"pos\ta\tb",
        b"two words\tx",
        b"pos\t\"quoted\" text",
        b"\xff\tx",
        b"a\t\xff\xffx",
        b"\t\n\n \n",
        b"a\tb\0c",
    ];
    insta::assert_snapshot!(table("text", &FormatOptions::default(), inputs));
}

#[test]
fn csv() {
    let inputs: &[&[u8]] = &[
        b"label,age,town,text\n1,30,Bern,good film\n",
        b"LABEL,a\r\n1,2\r\n\r\n",
        b"a,b\n1,2\n",
        b"label\n1\n\n2\n",
        b"label,a,a\n1,2,3\n",
        b"label,a\n1\n",
        b"label,a\n1,2,3\n",
        b"label,a\n1,\n,2\n",
        b"label,a\n1,nan\n",
        b"label,a\n1,inf\n",
        b"label,a\n1, 5 \n",
        b"id,label,importance,a\nx7,1,2.5,3\n",
        b"label,importance\n1,heavy\n",
        b"label,importance\n1,-1\n",
        b"class,y,target\n1,2,3\n",
        b"label,text\n1,\"a, \"\"b\"\"\nc\"\n2,d\n3\n",
        b"label,text\n1,\"open\n2,d\n",
        b"label,text\n1,\"a\"b\n",
        b"label,text\n1,5\" pipe\n",
        b",label,a\n0,1,2\n",
        b"label,\xff\n1,2\n",
        b"label,a\n\xff,2\n",
        b"label,a\n1,\xff\n",
        b"label,text\n1,\xff x\n",
        b"label,a",
        b"\"label\",\"a b\"\n\"1\",\"2\"",
    ];
    insta::assert_snapshot!(table("csv", &FormatOptions::default(), inputs));
}

#[test]
fn csv_with_named_columns() {
    let columns = FormatOptions {
        label: Some("survived".into()),
        weight: Some("w".into()),
        id: Some("name".into()),
        text: vec!["note".into()],
        categories: vec!["zip".into()],
        ..FormatOptions::default()
    };
    let inputs: &[&[u8]] = &[
        b"name,survived,w,zip,note,text\nAnn,1,2,8001,so so,5\n",
        b"name,w,zip,note\nAnn,1,8001,so\n",
        b"survived,name,zip,note\n1,Ann,8001,so\n",
        b"survived,w,zip,note\n1,1,8001,so\n",
        b"survived,w,name,zip\n1,1,Ann,8001\n",
    ];
    insta::assert_snapshot!(table("csv", &columns, inputs));
    let predict = FormatOptions { unlabelled: true, ..columns };
    insta::assert_snapshot!(table("csv", &predict, &[b"name,zip,note\nAnn,8001,so so\n"]), @r"
    name,zip,note\nAnn,8001,so so\n
        ? 'Ann zip=8001:1 note^so:2
    ");
}

#[test]
fn columns_of_files_that_have_none() {
    let usual = FormatOptions::default;
    let line: [(&str, FormatOptions, &[u8]); 5] = [
        ("text", FormatOptions { label: Some("kind".into()), ..usual() }, b"a\tgood film\n"),
        ("svmlight", FormatOptions { weight: Some("w".into()), ..usual() }, b"1 2:3\n"),
        ("vw", FormatOptions { id: Some("name".into()), ..usual() }, b"1 | a b\n"),
        ("fasttext", FormatOptions { text: vec!["body".into()], ..usual() }, b"__label__a b\n"),
        ("text", FormatOptions { categories: vec!["zip".into()], ..usual() }, b"a\t8001\n"),
    ];
    let asked: String = line.iter().map(|(format, columns, line)| table(format, columns, &[line])).collect();
    insta::assert_snapshot!(asked);
    for (format, columns, line) in line {
        let (examples, error) =
            common::read("t", line, Some(format), &FormatOptions { columnless: true, ..columns });
        assert!(examples.len() == 1 && error.is_none(), "what a model remembers is no demand: {error:?}");
    }
}

#[test]
fn tsv() {
    let inputs: &[&[u8]] = &[
        b"label\ttext\n1\t\"good\" film\n2\t\"good film\"\n3\t\"a \"\"b\"\"\"\n",
        b"label\ta\n1\t\"\n",
        b"label\ta\n1\t2\t3\n",
        b"a\tb\n1\t2\n",
    ];
    insta::assert_snapshot!(table("tsv", &FormatOptions::default(), inputs));
    insta::assert_snapshot!(table("csv-semicolon", &FormatOptions::default(), &[b"label;a\n1;\"2;3\"\n"]), @r#"
    label;a\n1;\"2;3\"\n
        1 a=2;3:1
    "#);
}

#[test]
fn jsonl() {
    let deep = [b"{\"a\":".repeat(100), b"1".to_vec(), b"}".repeat(100)].concat();
    let inputs: &[&[u8]] = &[
        br#"{"label": 1, "weight": 2.5, "id": "x7", "age": 30, "town": "Bern", "text": "good film"}"#,
        br#"{"label": "a", "user": {"age": 3, "home": {"town": "Bern"}}, "tags": ["x", "y", "x"], "v": [0.5, 0, true]}"#,
        br#"{"label": true, "ok": true, "no": false, "nil": null}"#,
        br#"{"label": null, "title": "a b", "list": [{"a": 1}, {"b": 2}], "e": [], "o": {}}"#,
        br#"{"u": {"label": 3, "text": "x"}}"#,
        br#"{"a": "\u00e9\n\ud83d\ude00\ud83dx\"\\"}"#,
        b"{}",
        b"",
        b"  \n",
        b"{",
        b"{\"a\"}",
        b"{\"a\": }",
        b"{\"a\": 1,}",
        b"{\"a\": 1} x",
        b"{\"a\": 1 \"b\": 2}",
        b"{a: 1}",
        b"{\"a\": \"open}",
        br#"{"a": "\q"}"#,
        br#"{"a": "\u12"}"#,
        b"[1, 2]",
        b"\"a\"",
        b"{\"a\": [[1]]}",
        b"{\"a\": [1, \"b\"]}",
        b"{\"a\": [\"b\", 1]}",
        b"{\"a\": NaN}",
        b"{\"a\": -Infinity}",
        b"{\"a\": 1e999}",
        b"{\"a\": +1}",
        b"{\"a\": tru}",
        b"{\"label\": [1, 2]}",
        b"{\"label\": {\"a\": 1}}",
        b"{\"weight\": \"heavy\"}",
        b"{\"weight\": -1}",
        b"{\"\xff\": 1}",
        b"{\"a\": \"\xff\"}",
        b"{\"text\": \"\xff b\"}",
        &deep,
    ];
    insta::assert_snapshot!(table("jsonl", &FormatOptions::default(), inputs));
}

#[test]
fn formats_are_found_by_content_and_by_name() {
    let cases: &[(&str, &[u8])] = &[
        ("a", b"+1 1:1 2:3\n"),
        ("a", b"1:1 2:3\n"),
        ("a", b"1 |n a b\n"),
        ("a", b"|n a b\n"),
        ("a", b"__label__x a b\n"),
        ("a", b"label,a\n1,2\n"),
        ("a", b"label;a\n1;2,5\n"),
        ("a", b"label\ttext\n1\tx y\n"),
        ("a", b"pos\tx y\nneg\ta b\n"),
        ("a", b"a\tlabel\tc\n1\t2\t3\n"),
        ("a", b"{\"label\": 1, \"a\": 2}\n"),
        ("a.tsv.gz", b"pos\tx y\n"),
        ("a.tsv", b"text\tlabel\nx y\t1\n"),
        ("a.csv", b"label;a\n1;2\n"),
        ("A.CSV", b"label\n1\n"),
        ("a.txt", b"just text\n"),
        ("a.txt", b"__label__a __label__b x\n"),
        ("a.txt", b"__label__a some text\n"),
        ("a.vw", b"1 nothing\n"),
        ("a", b"just text\n"),
        // Labels that are called like columns, and a header that has one name that is known.
        ("a.tsv", b"y\tgood film\nn\tbad film\ny\tgreat\n"),
        ("a.tsv", b"review\tgood film\nadvert\tbuy now\n"),
        ("a.tsv", b"y\tgood\nn\tbad\ny\tgood\n"),
        ("a.tsv", b"label\tage\n1\t31\n0\t7\n"),
        ("a.tsv", b"town\ty\nBern\t1\n"),
        // Sentences.
        ("a", b"charged twice, please help\n"),
        ("a", b"I was charged twice, please help\nthat was it, thanks\n"),
    ];
    let mut out = String::new();
    for (name, input) in cases {
        let (examples, error) = common::read(name, input, None, &FormatOptions::default());
        let outcome = error.map_or(examples.join(" / "), |error| format!("! {error}"));
        out += &format!("{name} {} => {outcome}\n", input.escape_ascii());
    }
    // One format more in some builds.
    insta::assert_snapshot!(out.replace(", parquet", ""));
}

/// Found by fuzzing: such a label was copied to the start of the output, where it looked like UTF-16.
#[test]
fn conversion_refuses_the_names_that_learning_refuses() {
    let format = Format::by_name("svmlight").unwrap();
    for (name, text, said) in [
        ("a.svm", &b"+1 1:1\n\xff\xfe5 3:1\n"[..], "the label '\u{fffd}\u{fffd}5' is not valid UTF-8"),
        ("a.vw", b"1 | 3\xff:1\n", "the feature name '3\u{fffd}' is not valid UTF-8"),
        ("a.jsonl", b"{\"label\": 1, \"weight\": -2, \"3\": 1}\n", "weight"),
    ] {
        let (reading, columns) = (ReadOptions::default(), FormatOptions::default());
        let source = [Source::memory(name, text)];
        let error = surefoot_data::convert(&source, &reading, format, &columns, &mut Vec::new()).unwrap_err();
        assert!(error.to_string().starts_with(name) && error.to_string().contains(said), "{error}");
    }
}
