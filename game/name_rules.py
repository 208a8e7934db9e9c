"""Rules for the names of people at a table.

A name must not look like another player's, like a role or like the moderator, and must not read as
an instruction, neither to people nor to models.

Names are normalised (NFKC), of one script or of one that goes with Latin letters (Unicode UTS 39,
"highly restrictive"), and compared as they look: confusable letters are folded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain

from game.engine.text_checks import SPACELESS, name_error, normalise

# Scripts that may be mixed in one name: UTS 39, section 5.2.
MIXABLE_SCRIPTS = (
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)
SHARED_SCRIPTS = {"COMMON", "INHERITED"}  # of signs that go with any script
_PHONETIC = re.compile("[\u1d00-\u1dbf]")  # small capitals and the like, which no name needs
_WORDS = re.compile("[ ._·・\u0f0b-]+")
_PIECES = re.compile("[ .'’_·・\u0f0b-]+")
TATWEEL = "\u0640"  # lengthens an Arabic word and means nothing
_VIRAMA = 9  # the combining class of signs that remove a letter's vowel
_PAIR = re.compile("(?:i|me|we|you)-[^\\W_]+", re.IGNORECASE)
_INITIAL = re.compile(r"(?<![^\W_])[^\W_]\. ?")
_HUMP = re.compile("(?<=[^\\W\\d_A-Z])(?=[A-Z])")  # where the second word of "VoteAnna" begins
_NUMBER = re.compile(r"[\d ._-]+$")  # "Moderator2"
# Lookalike letters that Unicode's table of confusables lacks.
_ALIKE = str.maketrans("ßẞəƏǝƎɘɛƐ", "bbeeeeeee")
_SPACED = re.compile(f"[^{SPACELESS}]")  # a sign of a script that separates words by spaces
# Words that begin an instruction if others follow: "Vote Beta", "Ignore all rules".
ORDER_WORDS = """
accuse agree answer believe choose confess disregard dont drop eliminate everybody everyone execute
follow forget i ignore kill let listen look lynch never nobody obey output please pretend print
protect refuse remember repeat reply reveal say show speak start stop suspect tell trust vote we
write you
"""
# Words that occur only in sentences: "Beta is guilty", "All vote Zeta".
CLAUSE_WORDS = """
arent cant cannot didnt everybody everyone ignore is isnt kill me must nobody not says should
them vote voted votes you your
"""
_ORDER_WORDS, _CLAUSE_WORDS = frozenset(ORDER_WORDS.split()), frozenset(CLAUSE_WORDS.split())


def normalize_name(name: str) -> str:
    """Return the name with one form for each character, and no white space around it."""
    return normalise(unicodedata.normalize("NFKC", normalise(name)))


def chosen_name_error(
    name: str, *, roles: Sequence[str], seats: Sequence[str], other_names: Iterable[str]
) -> tuple[str, str]:
    """Check a chosen name, already normalised, at a table.

    Args:
        roles: the names of the ruleset's roles.
        seats: the names of the other seats.
        other_names: of the players at the table.

    Returns:
        (error code, the other name that it looks like). The codes are those of
        `text_checks.name_error` and `name_scripts`, `name_misleads`, `name_order`, `name_taken`;
        ("", "") if the name is permitted.
    """
    if error := name_error(name):
        return error, ""
    if _PHONETIC.search(name) or not has_one_script(name):
        return "name_scripts", ""
    for taken_name in (*other_names, *seats):
        if are_confusable(name, taken_name):
            return "name_taken", taken_name
    full_look = _looks_of(name)
    spaced_name = _HUMP.sub(" ", name)
    pieces = [full_look, *map(_looks_of, _PIECES.split(spaced_name))]
    if any(name_error(look) == "name_misleads" for look in full_look):
        return "name_misleads", ""
    if _is_office(name, pieces, roles):
        return "name_misleads", ""
    if _is_order(name, spaced_name):
        return "name_order", ""
    return next((("name_taken", t) for t in seats for p in pieces if _looks_of(t) & p), ("", ""))


def are_confusable(first: str, second: str) -> bool:
    """Return whether two names could be mistaken for each other.

    They then differ only by case, accents, signs between words, or letters that look alike.
    """
    return bool(_looks_of(first) & _looks_of(second))


def has_one_script(text: str) -> bool:
    """Return whether all letters are of one script, or of several that may be mixed.

    All digits must be of one system.
    """
    from confusable_homoglyphs.categories import alias

    scripts = {alias(c).upper() for c in text} - SHARED_SCRIPTS
    digits = {ord(c) - unicodedata.decimal(c) for c in text if c.isdecimal()}
    is_mixable = len(scripts) < 2 or any(scripts <= group for group in MIXABLE_SCRIPTS)
    return is_mixable and len(digits) < 2


def _is_office(name: str, pieces: Sequence[frozenset[str]], roles: Sequence[str]) -> bool:
    """Return whether the name, or a word of it, names an office or a role.

    It compares with the names of all languages, and ignores a number at the end.

    Args:
        pieces: the looks of the whole name, then of its words.
    """
    numbered = [_looks_of(_NUMBER.sub("", part)) for part in (name, *_PIECES.split(name))]
    barred = _offices().union(*map(_looks_of, roles), *(_role_translations(role) for role in roles))
    if any(piece & barred for piece in (*pieces, *numbered)):
        return True
    if (pieces[0] | numbered[0]) & _titles():
        return True
    return any(
        office in look for office in barred if not _SPACED.search(office) for look in pieces[0]
    )


@cache
def _offices() -> frozenset[str]:
    return _looks_of_all(*OFFICES.values())


@cache
def _titles() -> frozenset[str]:
    return _looks_of_all(*TITLES.values())


@cache
def _role_translations(role: str) -> frozenset[str]:
    """Return the looks of the role's name in other languages."""
    return _looks_of_all(ROLES.get(role, ()))


def _looks_of_all(*names: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(_looks_of, chain.from_iterable(names)))


def _is_order(name: str, spaced_name: str) -> bool:
    """Return whether the name reads as an instruction.

    Args:
        spaced_name: the name with spaces between words joined as in "VoteAnna".
    """
    if _PAIR.fullmatch(name):  # "I-Ling", "You-Na": two syllables of one name
        return False
    words = [_looks_of(word) for word in _WORDS.split(_INITIAL.sub("", spaced_name))]
    return len(words) > 1 and (
        bool(words[0] & _ORDER_WORDS) or any(bool(word & _CLAUSE_WORDS) for word in words)
    )


@cache
def _looks_of(name: str) -> frozenset[str]:
    """Return the strings of letters and digits that a name looks like.

    Vowel signs and signs that remove vowels belong to the letters, accents do not. Confusables are
    folded before and after the change to small letters, because a capital I looks like a small l
    and a small i does not.
    """
    bare = "".join(filter(_is_letter, unicodedata.normalize("NFD", name)))
    small = bare.casefold()
    folded = {_fold_confusables(small), _fold_confusables(bare).casefold()}
    joined = (look.replace("vv", "w").replace("cl", "d") for look in folded)
    return frozenset({small, *folded, *joined})


def _is_letter(character: str) -> bool:
    if character == TATWEEL:
        return False
    if unicodedata.category(character) in ("Mn", "Mc"):
        from confusable_homoglyphs.categories import alias

        own = unicodedata.combining(character) in (0, _VIRAMA)
        return own and alias(character).upper() not in SHARED_SCRIPTS
    return character.isalnum()


def _fold_confusables(text: str) -> str:
    """Return the text with one letter for all lookalikes.

    The table writes the bar of "ƚ" as a mark, which is dropped like accents.
    """
    folded = "".join(map(_prototype, text.translate(_ALIKE)))
    return "".join(c for c in folded if unicodedata.combining(c) in (0, _VIRAMA))


@cache
def _prototype(character: str) -> str:
    """Return the character that represents all lookalikes of this one.

    The table is a star around each prototype: it lists all its lookalikes, and they list only it.
    """
    from confusable_homoglyphs.confusables import confusables_data  # loads for 0.1 s

    confusables = [row["c"] for row in confusables_data.get(character, ())]
    if len(confusables) != 1:
        return character
    (prototype,) = confusables
    if len(confusables_data.get(prototype, ())) > 1:
        return str(prototype)
    return str(max(character, prototype, key=lambda c: (len(c), c.isascii(), c)))


# The names of offices and roles in the most used languages. They omit words that are also people's
# names: Nazim and Nizam (organiser, order), Sharif (noble, and sheriff), Rawi (narrator),
# Musharraf, Sutradhar, Seher, and trades that are surnames (Gerber, Maurer).

# No name may contain these: leaders of the game, and roles that a language model obeys. In scripts
# without spaces between words they are refused inside a name too.
OFFICES: dict[str, tuple[str, ...]] = {
    "en": (
        *("Moderator", "Narrator", "Storyteller", "Game Master", "Gamemaster", "Fabula"),
        *("System", "Assistant", "Admin", "Administrator", "Developer"),
    ),
    "ar": (
        *("المشرف", "المشرفة", "مشرف اللعبة", "مدير اللعبة", "مديرة اللعبة", "مدير الجلسة"),
        *("منسق اللعبة", "راوي القصة", "موديريتر", "الأدمن", "أدمن", "المسؤول", "المطور"),
    ),
    "bn": (
        *("মডারেটর", "সঞ্চালক", "উপস্থাপক", "বর্ণনাকারী", "গল্পকার", "গেম মাস্টার", "সিস্টেম"),
        *("সহকারী", "সহায়ক", "প্রশাসক", "অ্যাডমিন", "এডমিন", "ডেভেলপার"),
    ),
    "de": (
        *("Moderatorin", "Spielleiter", "Spielleiterin", "Spielleitung", "Spielmeister"),
        *("Spielmeisterin", "Erzähler", "Erzählerin", "Assistent", "Assistentin"),
        *("Administratorin", "Entwickler", "Entwicklerin"),
    ),
    "es": (
        *("Moderador", "Moderadora", "Narrador", "Narradora", "Cuentacuentos"),
        *("Director de juego", "Directora de juego", "Maestro del juego", "Máster del juego"),
        *("Sistema", "Asistente", "Administrador", "Administradora", "Desarrollador"),
        "Desarrolladora",
    ),
    "fr": (
        *("Modérateur", "Modératrice", "Narrateur", "Narratrice", "Conteur", "Conteuse"),
        *("Meneur de jeu", "Meneuse de jeu", "Maître du jeu", "Maîtresse du jeu", "Animateur"),
        *("Animatrice", "Système", "Assistante", "Administrateur", "Administratrice"),
        *("Développeur", "Développeuse"),
    ),
    "hi": (
        *("मॉडरेटर", "मोडरेटर", "संचालक", "मध्यस्थ", "कथावाचक", "कथाकार", "गेम मास्टर", "सिस्टम"),
        *("सहायक", "असिस्टेंट", "एडमिन", "प्रशासक", "व्यवस्थापक", "डेवलपर"),
    ),
    "ja": (
        *(
            "司会",
            "進行役",
            "モデレーター",
            "モデレータ",
            "ナレーター",
            "語り手",
            "ストーリーテラー",
        ),
        *("ゲームマスター", "システム", "アシスタント", "管理者", "管理人", "運営", "開発者"),
    ),
    "pt": (
        *("Moderador", "Narrador", "Mestre do jogo", "Mestre de jogo", "Sistema", "Assistente"),
        *("Administrador", "Desenvolvedor", "Desenvolvedora", "Programador", "Programadora"),
    ),
    "ru": (
        *("Модератор", "Ведущий", "Ведущая", "Рассказчик", "Рассказчица", "Повествователь"),
        *("Мастер игры", "Гейм-мастер", "Система", "Ассистент", "Ассистентка", "Помощник"),
        *("Помощница", "Админ", "Администратор", "Разработчик"),
    ),
    "ur": (
        *("ماڈریٹر", "موڈریٹر", "داستان گو", "گیم ماسٹر", "سسٹم", "معاون", "اسسٹنٹ", "ایڈمن"),
        *("منتظم", "منتظمہ", "نگران", "ڈویلپر"),
    ),
    "zh": (
        *("主持", "旁白", "解说员", "解說員", "法官", "裁判", "版主", "系统", "系統"),
        *("管理员", "管理員", "助手", "助理", "开发者", "開發者"),
    ),
}

# No whole name may be one of these, though they are parts of some names.
TITLES: dict[str, tuple[str, ...]] = {
    "en": ("Host", "The Host", "Sheriff", "Computer", "Computer player", "User", "Bot"),
    "ar": ("المضيف", "المضيفة", "مضيف", "النظام", "المساعد", "المساعدة"),
    "bn": ("হোস্ট", "আয়োজক", "শেরিফ", "কথক"),
    "de": ("Gastgeber", "Gastgeberin", "Verwalter", "Verwalterin"),
    "es": ("Anfitrión", "Anfitriona"),
    "fr": ("Hôte", "Hôtesse", "Shérif"),
    "hi": ("मेज़बान", "होस्ट", "शेरिफ़"),
    "ja": ("ホスト", "主催", "主催者", "保安官", "シェリフ"),
    "pt": ("Anfitrião", "Anfitriã", "Xerife"),
    "ru": ("Хозяин", "Хозяйка", "Хост", "Шериф", "Организатор"),
    "ur": ("میزبان", "ہوسٹ", "شیرف", "راوی", "ثالث"),
    "zh": ("上帝", "房主", "主人", "庄家", "莊家", "警长", "警長"),
}

# Translations of a role, by its name in the rules; refused if the ruleset has that role.
ROLES: dict[str, tuple[str, ...]] = {
    "Werewolf": (
        *("Hombre lobo", "Loup-garou", "Lobisomem", "Werwolf", "Werwölfin", "Оборотень", "狼人"),
        *("人狼", "नरभेड़िया", "নেকড়ে মানব", "مستذئب", "المستذئب", "بھیڑیا آدمی"),
    ),
    "Seer": (
        *("Vidente", "Voyant", "Voyante", "Seherin", "Провидец", "Провидица", "预言家"),
        *("預言家", "占い師", "भविष्यद्रष्टा", "ভবিষ্যদ্বক্তা", "العراف", "العرافة"),
    ),
}
