use proptest::prelude::*;

use super::words::unicode_words;
use super::*;

fn named(recipe: &TextRecipe, text: &str) -> Vec<String> {
    let mut names = Vec::new();
    features(recipe, text, &mut TextScratch::default(), &mut |_, name| names.push(name.to_string()));
    names
}

fn words_of(text: &str) -> Vec<String> {
    named(&TextRecipe::default(), text)
}

fn lengths(min: usize, max: usize) -> Option<Ngrams> {
    Some(Ngrams { min, max })
}

#[test]
fn a_review_in_words() {
    let review = "I didn't like it.<br />The film's 2nd half, though: 'great' -- 10/10!";
    let expected =
        ["i", "didn't", "like", "it", "br", "the", "film's", "2nd", "half", "though", "great", "10", "10"];
    assert_eq!(words_of(review), expected);
}

#[test]
fn missing_blanks_and_joined_numbers_part_words() {
    assert_eq!(
        words_of("good.Bad 1,000 a_b e-mail 90's 5'10"),
        ["good", "bad", "1", "000", "a", "b", "e", "mail", "90", "s", "5'10",]
    );
    assert_eq!(words_of("sehr gut.Schön 1,000 a_b"), ["sehr", "gut", "schön", "1", "000", "a", "b"]);
}

#[test]
fn words_of_many_scripts() {
    assert_eq!(words_of("L’été À Paris"), ["l'été", "à", "paris"]);
    assert_eq!(words_of("Cafe\u{301} au lait"), ["cafe\u{301}", "au", "lait"]);
    assert_eq!(words_of("ΟΔΟΣ Straße"), ["οδος", "straße"]);
    assert_eq!(words_of("我爱北京"), ["我", "爱", "北", "京"]);
    assert_eq!(words_of("Привет, мир! हिन्दी"), ["привет", "мир", "हिन्दी"]);
    assert_eq!(words_of("👍 :-) ¡olé!"), ["olé"]);
    assert!(words_of("").is_empty() && words_of(" \t…").is_empty());
}

#[test]
fn word_ngrams_skip_stop_words() {
    let recipe =
        TextRecipe { ngrams: lengths(1, 2), stop_words: StopWords::English, ..TextRecipe::default() };
    assert_eq!(named(&recipe, "It was not a Good film"), ["not", "not good", "good", "good film", "film"]);
    let recipe = TextRecipe { ngrams: lengths(3, 3), lowercase: false, ..TextRecipe::default() };
    assert_eq!(named(&recipe, "to Be or not"), ["to Be or", "Be or not"]);
    assert!(named(&recipe, "to be").is_empty());
}

#[test]
fn blanks_leave_tokens_as_they_are() {
    let recipe = TextRecipe { tokens: TokenKind::Blanks, lowercase: false, ..TextRecipe::default() };
    assert_eq!(named(&recipe, " __NUM__ , don't\tU.S. "), ["__NUM__", ",", "don't", "U.S."]);
}

#[test]
fn character_ngrams_within_and_across_words() {
    let within = TextRecipe { ngrams: None, characters: lengths(3, 3), ..TextRecipe::default() };
    assert_eq!(named(&within, "Abé  b"), ["# ab", "#abé", "#bé ", "# b "]);
    let across = TextRecipe { across_words: true, ..within.clone() };
    assert_eq!(named(&across, "ab  c"), ["# ab", "#ab ", "#b c", "# c "]);
    let long = TextRecipe { characters: lengths(5, 6), ..within };
    assert_eq!(named(&long, "a abcd"), ["# a ", "# abcd", "#abcd ", "# abcd "]);
    assert!(named(&long, "").is_empty());
}

#[test]
fn urls_in_parts() {
    let recipe = TextRecipe { tokens: TokenKind::Url, ..TextRecipe::default() };
    let url = "HTTPS://user:pw@www.Example.co:8080/a/Login.php?ID=7&next=%2F#top";
    let expected = [
        "scheme:https",
        "userinfo",
        "port:8080",
        "host:www",
        "host:example",
        "host:co",
        "domain:example.co",
        "path:a",
        "path:login",
        "path:php",
        "query:id",
        "query:next",
    ];
    assert_eq!(named(&recipe, url), expected);
    assert_eq!(
        named(&recipe, "http://192.168.0.1/x"),
        ["scheme:http", "ip-address", "host:192", "host:168", "host:0", "host:1", "domain:0.1", "path:x",]
    );
    assert_eq!(
        named(&recipe, "paypal.com.evil.ru"),
        ["host:paypal", "host:com", "host:evil", "host:ru", "domain:evil.ru",]
    );
    assert_eq!(named(&recipe, "/only/path?q"), ["path:only", "path:path", "query:q"]);
    assert_eq!(named(&recipe, "://?&=#"), Vec::<String>::new());
}

#[test]
fn urls_can_have_character_ngrams_too() {
    let recipe = TextRecipe { tokens: TokenKind::Url, characters: lengths(4, 4), ..TextRecipe::default() };
    assert_eq!(named(&recipe, "a.b"), ["host:a", "host:b", "domain:a.b", "# a.b", "#a.b "]);
}

#[test]
fn unusable_settings_are_refused() {
    let refused = |recipe: TextRecipe| recipe.check().unwrap_err().to_string();
    let recipe = TextRecipe { ngrams: lengths(2, 1), ..TextRecipe::default() };
    assert_eq!(refused(recipe), "the word n-grams 2-1 are not a range within 1-16");
    let recipe = TextRecipe { ngrams: None, ..TextRecipe::default() };
    assert_eq!(refused(recipe), "text is to give neither words nor characters; ask for one of them");
}

proptest! {
    #[test]
    fn no_text_makes_it_fail(text in "\\PC*|[ -~]{0,40}|[a-zé'’./?&=@:_ \u{301}中]{0,40}", across: bool) {
        for tokens in [TokenKind::Words, TokenKind::Blanks, TokenKind::Url] {
            let recipe = TextRecipe {
                tokens, ngrams: lengths(1, 3), characters: lengths(2, 4), across_words: across,
                stop_words: StopWords::English, ..TextRecipe::default()
            };
            prop_assert!(named(&recipe, &text).iter().all(|name| !name.is_empty()));
        }
    }

    #[test]
    fn the_fast_path_for_ascii_finds_the_same_words(text in "[a-cA-C0-2'._,:; \\-]{0,30}|[ -~]{0,30}") {
        let mut slow = Vec::new();
        unicode_words(&text, &mut |word| slow.push(word.to_ascii_lowercase()));
        prop_assert_eq!(words_of(&text), slow);
    }

    #[test]
    fn the_rules_of_unicode_are_needed_only_between_blanks(
        text in "([a-cA-C0-2'’._,: \\t]|é|\u{301}|中|ß|\u{200d}|👍|🇨|\u{a0}){0,40}",
    ) {
        let mut slow = Vec::new();
        unicode_words(&text, &mut |word| {
            let mut folded = String::new();
            super::words::push_folded(&mut folded, word, true);
            slow.push(folded);
        });
        prop_assert_eq!(words_of(&text), slow);
    }

    #[test]
    fn words_do_not_depend_on_what_else_is_in_the_text(text in "[a-c1'._ ]{0,20}") {
        let mut with = words_of(&format!("{text} é"));
        prop_assert_eq!(with.pop(), Some("é".to_string()));
        prop_assert_eq!(with, words_of(&text));
    }
}
