//! Which languages a text is in: by script, and for Latin script by words that every sentence has. Languages that we do
//! not read are known too, so that "not understood" can be said.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::token::{Token, is_han, is_hangul, is_kana};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lang {
    En,
    De,
    Fr,
    Es,
    Pt,
    It,
    Ru,
    Zh,
    Ja,
    Ko,
}

impl Lang {
    pub const ALL: [Self; 10] =
        [Self::En, Self::De, Self::Fr, Self::Es, Self::Pt, Self::It, Self::Ru, Self::Zh, Self::Ja, Self::Ko];

    /// ISO 639-1.
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::De => "de",
            Self::Fr => "fr",
            Self::Es => "es",
            Self::Pt => "pt",
            Self::It => "it",
            Self::Ru => "ru",
            Self::Zh => "zh",
            Self::Ja => "ja",
            Self::Ko => "ko",
        }
    }

    fn is_latin(self) -> bool {
        matches!(self, Self::En | Self::De | Self::Fr | Self::Es | Self::Pt | Self::It)
    }
}

/// The languages of a text, the likeliest first; empty where none of ours was recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Languages {
    pub found: Vec<Lang>,
    /// Whether two of them have about the same share.
    pub mixed: bool,
    /// Whether the text is in a language that we do not read.
    pub foreign: bool,
}

impl Languages {
    pub fn label(&self) -> &'static str {
        match self.found.first() {
            _ if self.foreign => "und",
            None => "und",
            Some(_) if self.mixed => "mixed",
            Some(lang) => lang.code(),
        }
    }
}

/// Words that stand in every few sentences of a language, folded.
const COMMON: [(Lang, &str); 6] = [
    (
        Lang::En,
        "the a an and or of to in is are was it this that you your i we our not no do does did have has be with for on at by from but if so \
         as what why how when which please should can could will would just use make add they there their its my me he she them then than \
         too also all any only go ahead never always now here more please thanks yes ok good new",
    ),
    (
        Lang::De,
        "der die das den dem des ein eine einen einem einer und oder ist sind war nicht kein keine keinen ich du wir ihr sie es mit fur auf \
         im in am zu zum zur von vom bei aus an nach auch noch nur schon mal bitte doch aber wenn dass wie was warum hier da ja nein immer nie \
         niemals so sondern statt hast habe haben wird werden soll sollen muss mussen kann wollte danke gut jetzt bis mehr dein deine mein \
         unser unsere als uber ohne vor",
    ),
    (
        Lang::Fr,
        "le la les l un une des du de d et ou est sont etait n ne pas je j tu il elle on nous vous c ce cet cette ces qui que qu dans pour sur \
         avec sans au aux en y a as ai ont plus jamais toujours bien tres merci oui non mais si comme faut fait fais utilise pourquoi \
         quand ici deja encore tout tous s m t mon ma ton ta notre nos votre",
    ),
    (
        Lang::Es,
        "el la los las un una unos unas y o es son esta estan era no yo tu nosotros se que de del en por para con sin al lo le me te nos su mi \
         mas muy pero si como cuando porque siempre nunca hay ya usa usar esto eso este ese esa esta aqui gracias bien todo todos has he hemos \
         debe tiene solo tambien ahora desde",
    ),
    (
        Lang::Pt,
        "o a os as um uma uns umas e ou de do da dos das no na nos nas em por para com sem ao que nao eu voce nos se isso isto esse essa este \
         esta aqui mas mais muito sempre nunca ja so tambem como quando porque foi ser tem ter esta estao sao era obrigado obrigada bem tudo \
         todos pra pro meu minha nosso nossa gente use agora",
    ),
    (
        Lang::It,
        "il lo la i gli le l un uno una e o di del della dei delle dello al alla nel nella in con su per da dal che non io tu noi si mi ti ci \
         questo questa quello quella questi qui ma piu molto sempre mai gia solo anche come quando perche sono era hai ho abbiamo deve \
         devi bisogna usa usare grazie bene tutto tutti c va fatto",
    ),
];

/// Words of languages that we do not read, where they are not words of one that we do.
const FOREIGN: &str = "het een niet ik jij wij maar ook naar zijn heb hebt geen wel dit deze moet graag bedankt \
     jest nie czy jak dla tego prosze dzieki ale sie przez tylko zawsze \
     och att det inte jag du ska har som kan med ikke jeg og til \
     bir ve bu icin degil ama cok hayir evet lutfen her zaman \
     nu este sunt pentru si cu sa din multumesc mai \
     ja nem egy hogy nincs kell kerem koszonom van \
     dan yang tidak untuk dengan ini itu jangan saya kamu selalu \
     khong toi la cua va nhung cho mot \
     prosim neni jsem jako aby vzdy diky \
     mutta ei ole etta kun tama aina kiitos";

/// The languages of a run of words.
pub fn detect(words: &[Token]) -> Languages {
    let mut counts: Vec<(Lang, usize)> = Vec::new();
    let (mut han, mut kana, mut hangul, mut cyrillic, mut latin, mut other) = (0usize, 0usize, 0usize, 0, 0, 0);
    let mut foreign = 0;
    let mut ukrainian = false;
    for word in words.iter().filter(|word| !word.identifier) {
        match word.text.chars().next() {
            Some(c) if is_han(c) => han += 1,
            Some(c) if is_kana(c) => kana += 1,
            Some(c) if is_hangul(c) => hangul += 1,
            Some('\u{400}'..='\u{52F}') => {
                cyrillic += 1;
                ukrainian |= word.text.contains(['і', 'ї', 'є', 'ґ', 'ў', 'ђ', 'ј', 'љ', 'њ', 'ћ', 'џ', 'ә', 'қ', 'ұ']);
            }
            Some(c) if c.is_ascii_alphabetic() || matches!(c, '\u{C0}'..='\u{24F}') => latin += 1,
            Some(c) if c.is_alphabetic() => other += 1,
            _ => {}
        }
    }
    let mut add = |lang, count| {
        if count > 0 {
            counts.push((lang, count));
        }
    };
    if kana > 0 {
        add(Lang::Ja, (kana + han).div_ceil(2));
    } else {
        add(Lang::Zh, han.div_ceil(2));
    }
    add(Lang::Ko, hangul.div_ceil(2));
    if cyrillic > 0 && !ukrainian {
        add(Lang::Ru, cyrillic);
    }
    if latin > 0 {
        let known: Vec<u8> = words.iter().filter(|word| !word.identifier).map(|word| lists_with(&word.text)).collect();
        let count = |list: usize| known.iter().filter(|lists| **lists & (1 << list) != 0).count();
        for (list, (lang, _)) in COMMON.iter().enumerate() {
            add(*lang, count(list));
        }
        foreign = count(COMMON.len());
    }
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let best = counts.first().map_or(0, |&(_, count)| count);
    let unread = other + if ukrainian { cyrillic } else { 0 };
    Languages {
        found: counts
            .iter()
            .filter(|&&(lang, count)| count * 5 >= best * 3 || !lang.is_latin() || !counts[0].0.is_latin())
            .map(|&(lang, _)| lang)
            .collect(),
        mixed: is_mixed(&counts, words),
        foreign: unread > best || (foreign > best && latin > 2),
    }
}

/// Two scripts, each with words of its own; or two Latin languages, each with several words that only it has.
fn is_mixed(counts: &[(Lang, usize)], words: &[Token]) -> bool {
    let Some(&(first, best)) = counts.first() else { return false };
    let alone = |lang: Lang, against: Lang| {
        let bit = |lang| COMMON.iter().position(|(known, _)| *known == lang).map_or(0, |list| 1 << list);
        let (own, others) = (bit(lang), bit(against));
        words.iter().map(|word| lists_with(&word.text)).filter(|lists| lists & own != 0 && lists & others == 0).count()
    };
    counts[1..].iter().any(|&(lang, count)| match (first.is_latin(), lang.is_latin()) {
        (true, true) => alone(lang, first) >= 2 && alone(lang, first) * 2 >= alone(first, lang),
        _ => count * 3 >= best,
    })
}

/// In which lists a word stands, a bit each: those of [`COMMON`] in order, then [`FOREIGN`].
fn lists_with(word: &str) -> u8 {
    static LISTS: OnceLock<HashMap<&str, u8>> = OnceLock::new();
    let lists = LISTS.get_or_init(|| {
        let mut lists = HashMap::with_capacity(1_024);
        for (list, entries) in COMMON.iter().map(|(_, entries)| *entries).chain([FOREIGN]).enumerate() {
            entries.split_ascii_whitespace().for_each(|entry| *lists.entry(entry).or_default() |= 1 << list);
        }
        lists
    });
    lists.get(word).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::detect;
    use crate::capture::token::Tokens;

    #[test]
    fn a_language_is_known_by_script_and_common_words() {
        for (text, label) in [
            ("you used the wrong one", "en"),
            ("du hast das vergessen", "de"),
            ("il fallait créer une branche", "fr"),
            ("en este proyecto usamos tabuladores", "es"),
            ("não precisa, deixa como está", "pt"),
            ("hai dimenticato di aggiornare la data", "it"),
            ("ты забыл про пустой список", "ru"),
            ("我们项目里一律用下划线命名", "zh"),
            ("今後はテストを実行してください", "ja"),
            ("우리 팀은 사용합니다", "ko"),
            ("没问题 go ahead", "mixed"),
            ("ми використовуємо їх завжди", "und"),
            ("dit is niet wat ik wilde, gebruik het andere bestand", "und"),
            ("to nie jest tak jak prosze", "und"),
            ("هذا خطأ", "und"),
            ("αυτό είναι λάθος", "und"),
            ("src/api/user.ts", "und"),
        ] {
            assert_eq!(detect(&Tokens::read(text, 100).words).label(), label, "{text}");
        }
    }
}
