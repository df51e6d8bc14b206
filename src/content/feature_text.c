/*
 * Computes features of a paragraph's own text, in one pass over its bytes: its
 * composition, and the words it shares with the title, the description, a menu.
 */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "content/feature_work.h"
#include "content/row_words.h"
#include "content/token_table.h"

/* clang-format off */
#define S TH_BYTE_SMALL
#define C TH_BYTE_CAPITAL
#define D TH_BYTE_DIGIT
#define P TH_BYTE_PART
#define A TH_BYTE_ALONE
/* C2, E2 and EF begin symbols; E3 to E9 characters of scripts without spaces. */
const uint8_t th_byte_kinds[256] = {
    0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0,
    0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0, D,D,D,D,D,D,D,D, D,D,0,0,0,0,0,0,
    0,C,C,C,C,C,C,C, C,C,C,C,C,C,C,C, C,C,C,C,C,C,C,C, C,C,C,0,0,0,0,0,
    0,S,S,S,S,S,S,S, S,S,S,S,S,S,S,S, S,S,S,S,S,S,S,S, S,S,S,0,0,0,0,0,
    P,P,P,P,P,P,P,P, P,P,P,P,P,P,P,P, P,P,P,P,P,P,P,P, P,P,P,P,P,P,P,P,
    P,P,P,P,P,P,P,P, P,P,P,P,P,P,P,P, P,P,P,P,P,P,P,P, P,P,P,P,P,P,P,P,
    0,0,0,P,P,P,P,P, P,P,P,P,P,P,P,P, P,P,P,P,P,P,P,P, P,P,P,P,P,P,P,P,
    P,P,0,A,A,A,A,A, A,A,P,P,P,P,P,0, P,P,P,P,P,P,P,P, P,P,P,P,P,P,P,P,
};
#undef S
#undef C
#undef D
#undef P
#undef A
/* clang-format on */

enum {
    KNOWN_WORDS = 400, /* limit of the words known for every page */
    WORDS_MAX = 2048,  /* of title, H1 and description */
    SHINGLE = 3,       /* words */
    SHINGLE_BITS = 24, /* of the largest set: 2 MiB */
    WORD_LEN_UNIT = 16,
    DENSITY_UNIT = 12,
    SHORT_WORD = 3, /* bytes */
};

/* Kinds of known words. */
enum {
    IN_TITLE = 1,
    IN_H1 = 2,
    IN_DESCRIPTION = 4,
    CHROME = 8,
    MONTH = 16,
    WEB = 32,
    ABOUT = IN_TITLE | IN_H1 | IN_DESCRIPTION,
};

static const char chrome_words[] =
    "about account accept accessibility add advertise agree all back basket blog browse "
    "buy cancel careers cart categories category checkout click close comment comments "
    "community company compare contact continue cookie cookies copy copyright create "
    "delete disclaimer dismiss download edit email english enter error events explore "
    "facebook faq faqs favorites feedback filter filters find follow forgot forum "
    "gallery "
    "games gift go guest help hide history home imprint info instagram items jobs join "
    "language latest learn legal like likes linkedin links list load loading location "
    "log "
    "login logout mail map member members menu message mobile more navigation new news "
    "newsletter next notifications now offers ok online open order orders page partners "
    "password permalink phone photos pinterest policy popular post posted posts press "
    "previous print privacy products profile read recent register related remove reply "
    "report reserved reset resources results retweet return review reviews rights rss "
    "save "
    "search see select send services settings share shipping shop show sign signup site "
    "sitemap sitewide skip sort store stories submit subscribe subscription support tags "
    "terms toggle top topics trending tweet twitter unsubscribe update upload us use "
    "user "
    "username video videos view views visit website whatsapp wishlist youtube your "
    "impressum datenschutz startseite anmelden suche mehr weiter teilen kommentare "
    "warenkorb kontakt accueil rechercher connexion panier mentions suivant partager "
    "inicio "
    "buscar contacto siguiente compartir carrito aviso iniciar accedi cerca condividi "
    "الرئيسية التعليقات تعليق تعليقاً اتصل بنا سياسة الخصوصية شروط الاستخدام "
    "حقوق محفوظة تسجيل الدخول اشترك المزيد شارك بحث الصفحة تحديث תגובות "
    "תגובה התחברות הרשמה חיפוש קשר אודות פרטיות תקנון שתף שתפו הדפסה "
    "קטגוריות תגיות נערך זכויות שמורות תפריט صفحه اصلی ورود عضویت جستجو تماس "
    "دیدگاه نظرات پاسخ اشتراک برچسب محفوظ قوانین ویرایش بازدید بیشتر منو होम "
    "टिप्पणी टिप्पणियां शेयर संपर्क लॉगिन खोजें गोपनीयता नीति सदस्यता "
    "विज्ञापन पढ़ें मेनू रजिस्टर पासवर्ड सर्वाधिकार सुरक्षित परिवर्तन "
    "หน้าแรก ความคิดเห็น เข้าสู่ระบบ สมัครสมาชิก ค้นหา แชร์ ติดต่อเรา "
    "เกี่ยวกับเรา หมวดหมู่ ตอบกลับ แท็ก อ่านต่อ อ่านเพิ่มเติม "
    "นโยบายความเป็นส่วนตัว";
static const char month_words[] =
    "january february march april june july august september october november december "
    "jan "
    "feb mar apr jun jul aug sep sept oct nov dec januar februar juni juli oktober "
    "dezember "
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre janvier mars avril mai juin juillet septembre octobre novembre monday "
    "tuesday wednesday thursday friday saturday sunday ago yesterday today";
static const char web_words[] = "www http https";

/* A known word. The table is only as large as needed, to fit in the fastest memory. */
struct known_word {
    uint32_t hash; /* 0: free */
    uint32_t flags;
};

enum { SEEN = 128 }; /* words of a filter, so that most other words need no slot */

struct words {
    struct known_word *slots;
    uint64_t *seen; /* SEEN: a bit for each hash that is known; others may share it */
    uint32_t mask;  /* their number less one */
    uint32_t title, h1, description; /* different words of each */
    uint32_t shingle_bits;           /* log of the size of the set; 0: no body */
    uint8_t *shingles;
};

/* The slot of a word, or the free one where it belongs. */
static inline struct known_word *slot_of(struct known_word *slots, uint32_t mask,
                                         uint32_t hash)
{
    uint32_t at = (hash ^ hash >> 15) & mask;
    while (slots[at].hash && slots[at].hash != hash)
        at = (at + 1) & mask;
    return &slots[at];
}

/* Adds the words of a text. @return how many there were that it had not said before */
static uint32_t add_words(struct words *words, th_view text, uint8_t flag)
{
    uint32_t count = 0;
    th_row_word word;
    for (size_t at = 0; count < WORDS_MAX && th_row_word_next(text, &at, &word);) {
        if ((flag & ABOUT) && word.bytes <= SHORT_WORD && word.first < 0x80)
            continue; /* what every text has */
        struct known_word *slot = slot_of(words->slots, words->mask, word.hash);
        slot->hash = word.hash;
        words->seen[word.hash >> 6 & (SEEN - 1)] |= UINT64_C(1) << (word.hash & 63);
        count += !(slot->flags & flag);
        slot->flags |= flag;
    }
    return count;
}

static uint32_t shingle_of(uint32_t first, uint32_t second, uint32_t third)
{
    uint32_t hash = (first * 31 + second) * 31 + third;
    hash ^= hash >> 16;
    hash *= UINT32_C(0x7FEB352D);
    hash ^= hash >> 15;
    return hash;
}

/*
 * Adds the shingles of articleBody as a set of bits, with at least sixteen bits for each.
 */
static th_status add_body(struct words *words, th_view body, th_arena *arena)
{
    uint32_t last[SHINGLE] = { 0 };
    uint32_t count = 0;
    th_row_word word;
    if (!body.len)
        return TH_OK;
    words->shingle_bits = 10;
    while (words->shingle_bits < SHINGLE_BITS &&
           (UINT32_C(1) << words->shingle_bits) < body.len * 4)
        words->shingle_bits++;
    words->shingles = th_arena_calloc(arena, 1u << (words->shingle_bits - 3), 1);
    if (!words->shingles)
        return TH_NOMEM;
    for (size_t at = 0; th_row_word_next(body, &at, &word); count++) {
        last[0] = last[1];
        last[1] = last[2];
        last[2] = word.hash;
        if (count < SHINGLE - 1)
            continue;
        const uint32_t bit =
            shingle_of(last[0], last[1], last[2]) >> (32 - words->shingle_bits);
        words->shingles[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
    if (count < SHINGLE)
        words->shingle_bits = 0;
    return TH_OK;
}

/*
 * Returns the maximum number of words in a text: single-character words have three bytes,
 * and other words are followed by a symbol.
 */
static uint32_t max_words(th_view text)
{
    const size_t max = text.len / 3 + 1;
    return max < WORDS_MAX ? (uint32_t)max : WORDS_MAX;
}

/* Words known on every page, built once for all threads. Few pages need more slots. */
enum { COMMON_SLOTS = 1024 };
static struct known_word common_slots[COMMON_SLOTS];
static uint64_t common_seen[SEEN];

static void make_common(void)
{
    struct words words = { .slots = common_slots,
                           .seen = common_seen,
                           .mask = COMMON_SLOTS - 1 };
    (void)add_words(&words, (th_view){ chrome_words, sizeof chrome_words - 1 }, CHROME);
    (void)add_words(&words, (th_view){ month_words, sizeof month_words - 1 }, MONTH);
    (void)add_words(&words, (th_view){ web_words, sizeof web_words - 1 }, WEB);
}

static bool add_common(struct words *words, th_arena *arena)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const size_t slots = words->mask + (size_t)1;
    (void)pthread_once(&once, make_common);
    words->seen = th_arena_alloc(arena, sizeof common_seen);
    if (!words->seen)
        return false;
    memcpy(words->seen, common_seen, sizeof common_seen);
    if (slots == COMMON_SLOTS) {
        words->slots = th_arena_alloc(arena, sizeof common_slots);
        if (words->slots)
            memcpy(words->slots, common_slots, sizeof common_slots);
        return words->slots != NULL;
    }
    words->slots = th_arena_calloc(arena, slots, sizeof *words->slots);
    for (size_t i = 0; words->slots && i < COMMON_SLOTS; i++)
        if (common_slots[i].hash)
            *slot_of(words->slots, words->mask, common_slots[i].hash) = common_slots[i];
    return words->slots != NULL;
}

static th_status know_words(const th_feature_work *work, struct words **out)
{
    const th_page *page = work->page;
    struct words *words = th_arena_calloc(work->scratch, 1, sizeof *words);
    if (!words)
        return TH_NOMEM;
    const th_view h1 =
        work->h1 == TH_NONE ? (th_view){ NULL, 0 } : th_paragraph_text(page, work->h1);
    const uint32_t max = KNOWN_WORDS + max_words(th_page_title(page)) +
                         max_words(page->metadata.description) + max_words(h1);
    uint32_t slots = 1;
    while (slots < max * 2)
        slots *= 2;
    words->mask = slots - 1;
    if (!add_common(words, work->scratch))
        return TH_NOMEM;
    words->title = add_words(words, th_page_title(page), IN_TITLE);
    words->description = add_words(words, page->metadata.description, IN_DESCRIPTION);
    words->h1 = add_words(words, h1, IN_H1);
    *out = words;
    return page->hints ? add_body(words, page->hints->body, work->scratch) : TH_OK;
}

/* ---- a row -------------------------------------------------------------------------- */

/* Counts of a row's text. */
struct counts {
    uint32_t words, capital_words, short_words;
    uint32_t capitals, digits, high;
    uint32_t commas, sentences, separators, prices, dates;
    uint32_t questions, exclamations, addresses, brackets, code_signs, copyrights;
    uint32_t title, h1, description, chrome;
    uint32_t shingles, known_shingles;
    uint64_t key;
    bool has_signs; /* or dates or addresses: else all of their counts are 0 */
    bool has_known; /* words of the title, the H1, the description, of menus */
    /* written before they are read */
    uint32_t last[SHINGLE];
    /* of its first words, then of the latest ones */
    uint32_t hashes[TH_SHORT_WORDS + TH_MASK_BYTES / 2 + 1];
};

/* Counts a word of four bytes if it is a year. */
static void count_year(struct counts *counts, const unsigned char *word)
{
    if (((word[0] == '1' && word[1] == '9') || (word[0] == '2' && word[1] == '0')) &&
        th_is_digit((char)word[2]) && th_is_digit((char)word[3])) {
        counts->dates++;
        counts->has_signs = true;
    }
}

static void count_known(struct counts *counts, unsigned flags)
{
    counts->title += flags & IN_TITLE;
    counts->h1 += flags >> 1 & 1;
    counts->description += flags >> 2 & 1;
    counts->chrome += flags >> 3 & 1;
    counts->dates += flags >> 4 & 1;
    counts->addresses += flags >> 5 & 1;
    counts->has_signs |= flags >= MONTH;
    counts->has_known = true;
}

static void count_shingles(struct counts *counts, const struct words *words,
                           const uint32_t *hashes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        counts->last[0] = counts->last[1];
        counts->last[1] = counts->last[2];
        counts->last[2] = hashes[i];
        if (counts->words + i < SHINGLE - 1)
            continue;
        const uint32_t bit =
            shingle_of(counts->last[0], counts->last[1], counts->last[2]) >>
            (32 - words->shingle_bits);
        counts->shingles++;
        counts->known_shingles += words->shingles[bit / 8] >> bit % 8 & 1;
    }
}

/* The place of the hashes of the next words. */
static uint32_t *next_hashes(struct counts *counts)
{
    return counts->hashes + th_at_most(counts->words, TH_SHORT_WORDS);
}

/* Counts words by their hashes, in the order of the text. */
static void count_hashes(struct counts *counts, const struct words *words,
                         const uint32_t *hashes, uint32_t count)
{
    struct known_word *const slots = words->slots;
    const uint32_t mask = words->mask;
    uint64_t key = counts->key;
    for (uint32_t i = 0; i < count; i++) {
        key = (key ^ hashes[i]) * UINT64_C(0x9E3779B97F4A7C15);
        if (!(words->seen[hashes[i] >> 6 & (SEEN - 1)] >> (hashes[i] & 63) & 1))
            continue;
        const struct known_word *slot = slot_of(slots, mask, hashes[i]);
        if (slot->hash)
            count_known(counts, slot->flags);
    }
    if (words->shingle_bits)
        count_shingles(counts, words, hashes, count);
    counts->key = key;
    counts->words += count;
}

/* Counts a word by its letters. */
static void count_word(struct counts *counts, const struct words *words,
                       const th_row_word *word)
{
    uint32_t *hash = next_hashes(counts);
    *hash = word->hash;
    counts->capital_words += th_byte_kinds[word->first] == TH_BYTE_CAPITAL;
    counts->short_words += word->bytes <= SHORT_WORD;
    count_hashes(counts, words, hash, 1);
}

static bool is_blank_or_end(th_view text, size_t at)
{
    return at >= text.len || th_ascii_is_blank(text.data[at]) ||
           (at + 1 >= text.len && !th_byte_kinds[(unsigned char)text.data[at]]);
}

static bool is_digit_at(th_view text, size_t at)
{
    return at < text.len && th_is_digit(text.data[at]);
}

/* A sign of ASCII at `at`. */
static void count_sign(struct counts *counts, th_view text, size_t at)
{
    const bool is_behind_digit = at && th_is_digit(text.data[at - 1]);
    counts->has_signs = true;
    switch (text.data[at]) {
    case ',':
        counts->commas++;
        break;
    case '.':
        counts->sentences +=
            at && !th_ascii_is_blank(text.data[at - 1]) && is_blank_or_end(text, at + 1);
        break;
    case '!':
        counts->exclamations++;
        counts->sentences += is_blank_or_end(text, at + 1);
        break;
    case '?':
        counts->questions++;
        counts->sentences += is_blank_or_end(text, at + 1);
        break;
    case ':':
        counts->dates += is_behind_digit && is_digit_at(text, at + 1);
        counts->addresses +=
            at + 2 < text.len && text.data[at + 1] == '/' && text.data[at + 2] == '/';
        break;
    case '/':
        counts->dates += is_behind_digit && is_digit_at(text, at + 1);
        counts->separators++;
        break;
    case '|':
    case '>':
        counts->separators++;
        break;
    case '@':
        counts->addresses += at && at + 1 < text.len &&
                             th_byte_kinds[(unsigned char)text.data[at - 1]] &&
                             th_byte_kinds[(unsigned char)text.data[at + 1]];
        break;
    case '$':
        counts->prices += is_behind_digit || is_digit_at(text, at + 1);
        counts->code_signs++;
        break;
    case '(':
    case '"':
        counts->brackets++;
        break;
    case '[':
    case '{':
        counts->brackets++;
        counts->code_signs++;
        break;
    case ';':
    case '=':
    case '<':
    case '_':
    case '#':
    case '&':
    case '*':
        counts->code_signs++;
        break;
    default:
        break;
    }
}

/* A sign that is not ASCII at `at`. @return its bytes */
static size_t count_high_sign(struct counts *counts, th_view text, size_t at)
{
    counts->has_signs = true;
    const unsigned char *bytes = (const unsigned char *)text.data + at;
    const size_t len = bytes[0] < 0xE0 ? 2 : 3;
    if (len > text.len - at)
        return text.len - at;
    const uint32_t sign =
        len == 2 ? (uint32_t)bytes[0] << 8 | bytes[1]
                 : (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
    switch (sign) {
    case 0xC2A9: /* copyright */
        counts->copyrights++;
        break;
    case 0xC2A3:   /* pound */
    case 0xC2A5:   /* yen */
    case 0xE282AC: /* euro */
    case 0xE282B9: /* rupee */
        counts->prices++;
        break;
    case 0xC2B7: /* middle dot */
    case 0xC2AB: /* guillemets */
    case 0xC2BB:
    case 0xE280A2: /* bullet */
    case 0xE280BA: /* angle quote */
    case 0xE28692: /* arrow */
    case 0xEFBD9C: /* wide bar */
        counts->separators++;
        break;
    case 0xE2809C: /* quotation marks */
    case 0xE2809E:
    case 0xEFBC88:
        counts->brackets++;
        break;
    case 0xE280A6: /* ellipsis */
        counts->sentences += is_blank_or_end(text, at + 3);
        break;
    case 0xE38082: /* ideographic full stop */
        counts->sentences++;
        break;
    case 0xEFBC81:
        counts->exclamations++;
        counts->sentences++;
        break;
    case 0xEFBC9F:
        counts->questions++;
        counts->sentences++;
        break;
    case 0xEFBC8C:
    case 0xE38081:
        counts->commas++;
        break;
    default:
        break;
    }
    return len;
}

/* Reads a word of any letters. @return its end */
static size_t count_any_word(struct counts *counts, const struct words *words,
                             th_view text, size_t at)
{
    th_row_word word;
    th_row_word_read(text, &at, &word);
    count_word(counts, words, &word);
    if (word.bytes == 4)
        count_year(counts, (const unsigned char *)text.data + at - 4);
    return at;
}

/* Letters that are words, and signs among them. @return their end */
static size_t count_letters(struct counts *counts, const struct words *words,
                            th_view text, size_t at)
{
    while (at < text.len &&
           th_byte_kinds[(unsigned char)text.data[at]] == TH_BYTE_ALONE) {
        th_row_word word;
        if (th_is_high_sign(text, at)) {
            at += count_high_sign(counts, text, at);
            continue;
        }
        th_row_word_read_any(text, &at, &word);
        count_word(counts, words, &word);
    }
    return at;
}

/* How far a text was read. */
struct reader {
    th_view text;
    size_t at;    /* the next byte */
    size_t start; /* of the word of ASCII that continues there, or NO_WORD */
};

#define NO_WORD SIZE_MAX

/* Reads a word or sign that begins, or continues, with a byte that is not ASCII. */
static void count_high(struct counts *counts, const struct words *words,
                       struct reader *reader, unsigned kind)
{
    const th_view text = reader->text;
    const size_t at = reader->at;
    if (kind == TH_BYTE_ALONE)
        reader->at = count_letters(counts, words, text, at);
    else if (kind)
        reader->at = count_any_word(counts, words, text,
                                    reader->start == NO_WORD ? at : reader->start);
    else
        reader->at = at + count_high_sign(counts, text, at);
    reader->start = NO_WORD;
}

/* Counts the letters of a word of ASCII. @return its hash */
static inline uint32_t count_ascii_word(struct counts *counts, const unsigned char *word,
                                        size_t len)
{
    counts->short_words += len <= SHORT_WORD;
    /* digits and small letters have this bit */
    counts->capital_words += ~word[0] >> 5 & 1;
    if (len == 4)
        count_year(counts, word);
    return th_row_word_hash(word, len);
}

/*
 * Counts words of ASCII in a block. Apart from its caller, the loop has enough registers.
 * @param starts  bit of the first byte of each that begins there
 * @param ends    bit after the last byte of each that ends there
 */
__attribute__((noinline)) static void
count_ascii_words(struct counts *counts, const struct words *words, struct reader *reader,
                  size_t block, uint64_t starts, uint64_t ends)
{
    const unsigned char *bytes = (const unsigned char *)reader->text.data + block;
    uint32_t *const hashes = next_hashes(counts), *hash = hashes;
    if (reader->start != NO_WORD && ends) {
        const size_t before = block - reader->start;
        *hash++ = count_ascii_word(counts, bytes - before,
                                   before + (size_t)__builtin_ctzll(ends));
        reader->start = NO_WORD;
        ends &= ends - 1;
    }
    for (; ends; starts &= starts - 1, ends &= ends - 1) {
        const unsigned start = (unsigned)__builtin_ctzll(starts);
        *hash++ = count_ascii_word(counts, bytes + start,
                                   (unsigned)__builtin_ctzll(ends) - start);
    }
    if (starts)
        reader->start = block + (size_t)__builtin_ctzll(starts);
    count_hashes(counts, words, hashes, (uint32_t)(hash - hashes));
}

/* Counts the words and signs of a block of 64 bytes, or of fewer at the end. */
static void count_block(struct counts *counts, const struct words *words,
                        struct reader *reader, size_t block, const th_ascii_kinds *kinds)
{
    while (reader->at - block < TH_MASK_BYTES) {
        const uint64_t left = ~UINT64_C(0) << (reader->at - block);
        const uint64_t high = kinds->high & left, alnum = kinds->alnum & left;
        const uint64_t behind = alnum << 1 | (reader->start != NO_WORD && left & 1);
        const uint64_t before = (high & (~high + 1)) - 1; /* all if all is ASCII */
        uint64_t ends = behind & ~alnum & (before << 1 | 1);
        unsigned kind = 0;
        for (uint64_t signs = kinds->sign & left & before; signs; signs &= signs - 1)
            count_sign(counts, reader->text, block + (size_t)__builtin_ctzll(signs));
        if (high) {
            reader->at = block + (size_t)__builtin_ctzll(high);
            kind = th_byte_kinds[(unsigned char)reader->text.data[reader->at]];
            if (kind == TH_BYTE_PART)
                ends &= before; /* a word continues with it */
        }
        count_ascii_words(counts, words, reader, block, alnum & ~behind & before, ends);
        if (!high) {
            reader->at = block + TH_MASK_BYTES;
            return;
        }
        count_high(counts, words, reader, kind);
    }
}

/* @param text  TH_MASK_OVERRUN readable bytes follow it */
static void count_text(struct counts *counts, const struct words *words, th_view text)
{
    struct reader reader = { .text = text, .start = NO_WORD };
    for (size_t block = 0; block < text.len; block += TH_MASK_BYTES) {
        const size_t left = text.len - block;
        const th_ascii_kinds kinds =
            th_ascii_classify((const unsigned char *)text.data + block,
                              left < TH_MASK_BYTES ? left : TH_MASK_BYTES);
        counts->capitals += kinds.capitals;
        counts->digits += kinds.digits;
        if (kinds.high)
            counts->high += (uint32_t)__builtin_popcountll(kinds.high);
        count_block(counts, words, &reader, block, &kinds);
    }
    if (reader.start != NO_WORD)
        (void)count_any_word(counts, words, text, reader.start);
}

static bool is_closing(char c)
{
    return c == '"' || c == '\'' || c == ')' || c == ']' || !c;
}

/*
 * Returns the end of the text: '.' for the end of a sentence, ':' or 0. Skips quotes and
 * brackets after it.
 */
static char ending(th_view text)
{
    while (text.len && is_closing(text.data[text.len - 1]))
        text.len--;
    if (!text.len)
        return 0;
    static const char *const ends[] = { "\xE2\x80\xA6", "\xE3\x80\x82", "\xEF\xBC\x81",
                                        "\xEF\xBC\x9F" };
    const char c = text.data[text.len - 1];
    if (c == '.' || c == '!' || c == '?')
        return '.';
    if (c == ':')
        return ':';
    for (size_t i = 0; (unsigned char)c >= 0x80 && i < sizeof ends / sizeof *ends; i++)
        if (th_ends_with(text, ends[i]))
            return '.';
    if (th_ends_with(text, "\xE2\x80\x9D") || th_ends_with(text, "\xE2\x80\x99"))
        return ending((th_view){ text.data, text.len - 3 });
    return 0;
}

#define PUT(name, value) th_column(work, TH_FEATURE_##name)[row] = (value)

static void write_signs(const th_feature_work *work, uint32_t row,
                        const struct counts *counts)
{
    PUT(COMMAS, th_log(counts->commas));
    PUT(SENTENCES, th_log(counts->sentences));
    PUT(COPYRIGHT, counts->copyrights != 0);
    PUT(SEPARATORS, th_log(counts->separators));
    PUT(PRICES, th_log(counts->prices));
    PUT(DATES, th_log(counts->dates));
    PUT(QUESTIONS, th_log(counts->questions));
    PUT(EXCLAMATIONS, th_log(counts->exclamations));
    PUT(ADDRESSES, th_log(counts->addresses));
    PUT(BRACKETS, th_log(counts->brackets));
    PUT(CODE_SIGNS, th_log(counts->code_signs));
}

static void write_known(const th_feature_work *work, uint32_t row,
                        const struct words *words, const struct counts *counts)
{
    PUT(CHROME_WORDS, th_share(counts->chrome, counts->words));
    PUT(TITLE_WORDS, th_share(counts->title, counts->words));
    PUT(WORDS_OF_TITLE, th_share(counts->title, words->title));
    PUT(H1_WORDS, th_share(counts->h1, counts->words));
    PUT(DESCRIPTION_WORDS, th_share(counts->description, counts->words));
    PUT(WORDS_OF_DESCRIPTION, th_share(counts->description, words->description));
}

static void write_counts(const th_feature_work *work, uint32_t row, th_view text,
                         const struct words *words, const struct counts *counts)
{
    const uint32_t len = (uint32_t)text.len;
    const char end = ending(text);
    const unsigned first = text.len ? th_byte_kinds[(unsigned char)text.data[0]] : 0;
    PUT(BYTES, th_log(len));
    PUT(WORD_LEN,
        th_at_most(counts->words ? len * WORD_LEN_UNIT / counts->words : 0, 255));
    PUT(ENDS_SENTENCE, end == '.');
    PUT(ENDS_COLON, end == ':');
    PUT(CAPITAL_WORDS, th_share(counts->capital_words, counts->words));
    PUT(CAPITALS, th_share(counts->capitals, len));
    PUT(DIGITS, th_share(counts->digits, len));
    PUT(SHORT_WORDS, th_share(counts->short_words, counts->words));
    PUT(HIGH_BYTES, th_share(counts->high, len));
    PUT(STARTS_LOWER, first == TH_BYTE_SMALL);
    PUT(STARTS_DIGIT, first == TH_BYTE_DIGIT);
    PUT(IN_BODY, words->shingle_bits && counts->shingles
                     ? th_at_most(th_share(counts->known_shingles, counts->shingles), 254)
                     : TH_UNKNOWN);
    /* the columns are zero */
    if (counts->has_signs)
        write_signs(work, row, counts);
    if (counts->has_known)
        write_known(work, row, words, counts);
}

#undef PUT

/* Writes the counts of the page model. */
static void write_measures(const th_feature_work *work, uint32_t row)
{
    const th_page *page = work->page;
    const th_paragraph *paragraph = &page->paragraphs[row];
    const uint32_t tokens = work->sums[row + 1].tokens - work->sums[row].tokens;
    const uint32_t lines = page->lines_before[paragraph->end_block] -
                           page->lines_before[paragraph->first_block];
    const uint32_t linked = work->sums[row + 1].linked - work->sums[row].linked;
    const uint32_t pieces = paragraph->end_block - paragraph->first_block;
    th_column(work, TH_FEATURE_TOKENS)[row] = th_log(tokens);
    th_column(work, TH_FEATURE_LINK_SHARE)[row] = th_share(linked, tokens);
    th_column(work, TH_FEATURE_LINES)[row] = th_log(lines);
    th_column(work, TH_FEATURE_DENSITY)[row] = th_at_most(
        lines ? (tokens < 1u << 24 ? tokens * DENSITY_UNIT : tokens) / lines : 0, 255);
    th_column(work, TH_FEATURE_PIECES)[row] = th_log(pieces);
}

/* Links by the row in which they begin. */
static th_status count_links(const th_feature_work *work)
{
    const th_page *page = work->page;
    uint32_t *counts = th_arena_calloc(work->scratch, work->rows + 1, sizeof *counts);
    if (!counts)
        return TH_NOMEM;
    for (uint32_t i = 0; i < page->link_count; i++)
        if (page->links[i].anchor_len && page->links[i].block < page->block_count)
            counts[page->blocks[page->links[i].block].paragraph]++;
    for (uint32_t i = 0; i < work->rows; i++)
        th_column(work, TH_FEATURE_LINKS)[i] = th_log(counts[i]);
    return TH_OK;
}

static int32_t value_of_words(const th_token_table *table, const struct counts *counts)
{
    int32_t value = 0;
    if (!table || counts->words > TH_SHORT_WORDS)
        return 0;
    for (uint32_t i = 0; i < counts->words; i++)
        value += table->weight[th_bucket_of_word(counts->hashes[i])];
    return value;
}

/*
 * Returns a row's text, followed by TH_MASK_OVERRUN readable bytes: at the end of the
 * page's text, a copy.
 * @return {NULL, 0} if out of memory
 */
static th_view text_to_read(const th_feature_work *work, uint32_t row)
{
    const th_view text = th_paragraph_text(work->page, row), all = work->page->text;
    if (text.data + text.len + TH_MASK_OVERRUN <= all.data + all.len)
        return text;
    char *copy = th_arena_calloc(work->scratch, text.len + TH_MASK_OVERRUN, 1);
    if (!copy)
        return (th_view){ NULL, 0 };
    memcpy(copy, text.data, text.len);
    return (th_view){ copy, text.len };
}

th_status th_feature_text(th_feature_work *work)
{
    static const struct counts none;
    struct words *words = NULL;
    const th_status status = know_words(work, &words);
    work->words_key =
        th_arena_alloc(work->scratch, work->rows * sizeof *work->words_key + 1);
    work->word_value =
        th_arena_alloc(work->scratch, work->rows * sizeof *work->word_value + 1);
    if (status != TH_OK || !work->words_key || !work->word_value)
        return TH_NOMEM;
    for (uint32_t i = 0; i < work->rows; i++) {
        const th_view text = text_to_read(work, i);
        if (!text.data)
            return TH_NOMEM;
        struct counts counts; /* gcc 12 is slow to set so few bytes, not to copy them */
        memcpy(&counts, &none, offsetof(struct counts, last));
        count_text(&counts, words, text);
        write_measures(work, i);
        write_counts(work, i, text, words, &counts);
        work->words_key[i] = counts.words ? counts.key | 1 : 0;
        work->word_value[i] = value_of_words(work->table, &counts);
        if (counts.title > work->title_words)
            work->title_words = counts.title;
    }
    work->title_words = th_share(work->title_words, words->title);
    return count_links(work);
}
