"""The names of offices and roles in the most used languages, as data for `game.name_rules`.

The lists omit words that are also people's names, even if they mean an office: Nazim and Nizam
(organiser, order), Sharif (noble, and sheriff), Rawi (narrator), Musharraf, Sutradhar, Seher, and
trades that are surnames (Gerber, Maurer).
"""

from __future__ import annotations

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
