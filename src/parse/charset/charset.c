/*
 * Decides which encoding a document is in, and decodes it. This is the first step for the
 * bytes of a page. All later steps see only UTF-8.
 *
 * The order is the standard's [HTML §13.2.3.2]: byte order mark, HTTP label, meta
 * prescan, then guesses. Browsers obey a declaration even if the bytes refute it, since
 * authors have seen the result. But crawls are full of server defaults that no author has
 * checked. So a declaration loses (and the page is flagged) if the bytes prove it wrong:
 *
 * - they are valid UTF-8, which text of another encoding hardly ever is by accident;
 * - they are declared UTF-8 and mostly are not;
 * - every other byte is NUL, which happens only in UTF-16;
 * - HTTP and meta disagree, and detection agrees with meta.
 */
#include "parse/charset/charset.h"

#include <stdlib.h>
#include <string.h>

#include "base/unicode.h"
#include "parse/charset/charset_detect.h"
#include "parse/charset/charset_label.h"
#include "parse/charset/double_byte.h"
#include "parse/charset/meta_prescan.h"
#include "parse/charset/single_byte.h"
#include "parse/charset/text_out.h"

enum {
    PRESCAN_LEN = 1024,
    /* Browsers start over when they find a meta later than that. We search this far. */
    LATE_PRESCAN_LEN = 64 * 1024,
    /* UTF-8 sequences that outweigh a declared encoding of more than one byte. One
     * character of GBK in eight looks like one, so only a very short page has two by
     * chance.
     */
    MANY_SEQUENCES = 2,
    /* Valid sequences for each bad one in bytes that still count as UTF-8. */
    MOSTLY = 16,
    /* Minimum bytes to accept a detected single-byte encoding. */
    MIN_EVIDENCE = 8,
    /* Minimum ASCII code units to recognise UTF-16 ... */
    MIN_UNITS = 4,
    /* ... one in 4 of all, and as many for each unit whose other byte is NUL (U+4E00). */
    UNITS_SHARE = 4,
    UNITS_MOSTLY = 8
};

struct th_charset {
    th_detector *detector;
    th_double_byte *double_byte;
};

/* Properties of the bytes as UTF-8. */
struct survey {
    size_t valid_len;
    size_t sequences; /* valid ones of two or more bytes */
    size_t bad;       /* U+FFFDs; a sequence cut off by the end does not count */
    bool is_ascii;
};

/* The decision. */
struct choice {
    th_charset_id id;
    const char *from;
    bool is_guess;
    size_t mark_len; /* byte order mark */
};

th_charset *th_charset_new(void)
{
    th_charset *const charset = calloc(1, sizeof *charset);
    if (!charset)
        return NULL;
    charset->detector = th_detector_new();
    charset->double_byte = th_double_byte_new();
    if (!charset->detector || !charset->double_byte) {
        th_charset_free(charset);
        return NULL;
    }
    return charset;
}

void th_charset_free(th_charset *charset)
{
    if (!charset)
        return;
    th_detector_free(charset->detector);
    th_double_byte_free(charset->double_byte);
    free(charset);
}

/* Returns the length of the bad sequence at `p`: its maximal subpart. [Unicode §3.9,
 * Encoding §8.1.1] */
static size_t bad_sequence_len(const unsigned char *p, size_t left)
{
    if (p[0] < 0xC2 || p[0] > 0xF4)
        return 1;
    const size_t want = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    unsigned low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    size_t len = 1;
    while (len < want && len < left && p[len] >= low && p[len] <= high) {
        low = 0x80;
        high = 0xBF;
        len++;
    }
    return len;
}

/* Stops when the bytes are certainly not UTF-8: more bad ones than sequences, however the
 * rest is. A sequence has two bytes that are not ASCII. Then no decision depends on the
 * numbers. */
static struct survey survey_bytes(th_view bytes)
{
    struct survey survey = { 0 };
    survey.valid_len = th_utf8_survey(bytes.data, bytes.len, &survey.sequences);
    survey.is_ascii = survey.valid_len == bytes.len && survey.sequences == 0;
    size_t at = survey.valid_len;
    if (at == bytes.len)
        return survey;
    size_t high = 0; /* bytes left that are not ASCII */
    for (size_t i = at; i < bytes.len; i++)
        high += (unsigned char)bytes.data[i] >> 7;
    size_t seen = 0; /* a lower bound: the examined ones of these */
    while (survey.bad <= survey.sequences + (high - seen) / 2 && at < bytes.len) {
        const unsigned char *const p = (const unsigned char *)bytes.data + at;
        const size_t left = bytes.len - at;
        const size_t bad_len = bad_sequence_len(p, left);
        const bool is_cut = bad_len == left && p[0] >= 0xC2 && p[0] <= 0xF4;
        survey.bad += !is_cut;
        at += bad_len;
        size_t sequences;
        at += th_utf8_survey(bytes.data + at, bytes.len - at, &sequences);
        survey.sequences += sequences;
        seen += bad_len + 2 * sequences;
    }
    return survey;
}

static bool is_utf16(th_charset_id id)
{
    return id == TH_CHARSET_UTF_16BE || id == TH_CHARSET_UTF_16LE;
}

/* Markup in UTF-16 has a NUL for each of its characters. */
static bool may_be_utf16(th_view bytes)
{
    return memchr(bytes.data, '\0', bytes.len < PRESCAN_LEN ? bytes.len : PRESCAN_LEN);
}

static uint32_t unit_at(th_view bytes, size_t at, bool is_big)
{
    const unsigned char first = (unsigned char)bytes.data[at];
    const unsigned char second = (unsigned char)bytes.data[at + 1];
    return is_big ? (uint32_t)first << 8 | second : (uint32_t)second << 8 | first;
}

/*
 * Returns the UTF-16 encoding of bytes without a mark, or TH_CHARSET_NONE. UTF-16 must
 * start with two ASCII characters, as markup does. NULs in a text of another encoding,
 * which starts otherwise, do not make it UTF-16.
 */
static th_charset_id find_utf16(th_view bytes)
{
    const size_t len = (bytes.len < PRESCAN_LEN ? bytes.len : PRESCAN_LEN) & ~(size_t)1;
    size_t nuls[2] = { 0, 0 }; /* at even and at odd positions */
    for (size_t i = 0; i < len; i++)
        nuls[i & 1] += bytes.data[i] == '\0';
    const bool is_big = nuls[0] > nuls[1];
    const size_t high = nuls[is_big ? 0 : 1];
    const size_t low = nuls[is_big ? 1 : 0];
    if (high < MIN_UNITS || high * UNITS_SHARE < len / 2 || low * UNITS_MOSTLY > high)
        return TH_CHARSET_NONE;
    for (size_t at = 0; at < 4; at += 2)
        if (unit_at(bytes, at, is_big) - 1 >= 0x7F)
            return TH_CHARSET_NONE;
    return is_big ? TH_CHARSET_UTF_16BE : TH_CHARSET_UTF_16LE;
}

static bool find_mark(th_view bytes, struct choice *choice)
{
    static const struct {
        const char *bytes;
        size_t len;
        th_charset_id id;
    } marks[] = {
        { "\xEF\xBB\xBF", 3, TH_CHARSET_UTF_8 },
        { "\xFE\xFF", 2, TH_CHARSET_UTF_16BE },
        { "\xFF\xFE", 2, TH_CHARSET_UTF_16LE },
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (bytes.len >= marks[i].len &&
            memcmp(bytes.data, marks[i].bytes, marks[i].len) == 0) {
            *choice = (struct choice){ marks[i].id, "bom", false, marks[i].len };
            return true;
        }
    return false;
}

/* gb18030's decoder also reads GBK. */
static bool is_same(th_charset_id a, th_charset_id b)
{
    const th_charset_id gb = TH_CHARSET_GB18030;
    return (a == TH_CHARSET_GBK ? gb : a) == (b == TH_CHARSET_GBK ? gb : b);
}

/* Whether the bytes show UTF-8 so clearly that a declaration of `declared` is wrong. */
static bool outweighs(const struct survey *survey, th_charset_id declared)
{
    if (survey->sequences <= survey->bad * MOSTLY)
        return false;
    return th_single_byte_table(declared) || declared == TH_CHARSET_ISO_2022_JP ||
           survey->sequences >= MANY_SEQUENCES;
}

/*
 * Whether detection of a single-byte encoding rests on more than chance. A page of
 * English with a few typographic quotes is also valid "windows-1250". Only bytes that
 * windows-1252, by far the commonest, decodes differently support another encoding.
 */
static bool is_well_founded(th_view bytes, th_charset_id id)
{
    const uint16_t *const table = th_single_byte_table(id);
    const uint16_t *const usual = th_single_byte_table(TH_CHARSET_WINDOWS_1252);
    if (!table)
        return true;
    size_t total = 0;
    size_t differing = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        const unsigned char byte = (unsigned char)bytes.data[i];
        if (byte < 0x80)
            continue;
        total++;
        differing += table[byte - 0x80] != usual[byte - 0x80];
    }
    return differing >= MIN_EVIDENCE && differing * 4 >= total;
}

static void guess(th_charset *charset, th_view bytes, struct choice *choice)
{
    choice->is_guess = true;
    choice->id = th_detect_charset(charset->detector, bytes);
    choice->from = "detected";
    /* UTF-8 was detected earlier. Bytes without NULs are not UTF-16. */
    const bool is_usual = choice->id == TH_CHARSET_WINDOWS_1252;
    if (choice->id == TH_CHARSET_NONE || choice->id == TH_CHARSET_UTF_8 ||
        (is_utf16(choice->id) && !may_be_utf16(bytes)) ||
        (!is_usual && !is_well_founded(bytes, choice->id))) {
        choice->id = TH_CHARSET_WINDOWS_1252;
        choice->from = "default";
    }
}

/*
 * Compares HTTP's label, which is not UTF-8, with the other sources. Meta wins if
 * detection agrees with it. Detection wins if meta is absent, the label is iso-8859-1 or
 * a similar default of servers, and the bytes are of an encoding in which hardly any
 * other text looks right.
 */
static void arbitrate(th_charset *charset, th_view bytes, th_charset_id meta,
                      struct choice *choice)
{
    const bool is_default =
        meta == TH_CHARSET_NONE && choice->id == TH_CHARSET_WINDOWS_1252;
    const bool is_disputed =
        meta != TH_CHARSET_NONE && meta != TH_CHARSET_UTF_8 && !is_same(choice->id, meta);
    if (!is_default && !is_disputed)
        return;
    const th_charset_id found = th_detect_charset(charset->detector, bytes);
    if (is_disputed && is_same(found, meta))
        *choice = (struct choice){ .id = meta, .from = "meta", .is_guess = true };
    else if (is_default && found != TH_CHARSET_NONE && found != TH_CHARSET_UTF_8 &&
             !is_utf16(found) && !th_single_byte_table(found))
        *choice = (struct choice){ .id = found, .from = "detected", .is_guess = true };
}

/* Chooses the encoding if nothing is declared. */
static void choose_undeclared(th_charset *charset, th_view bytes,
                              const struct survey *survey, struct choice *choice)
{
    if (survey->is_ascii && !memchr(bytes.data, 0x1B, bytes.len)) {
        *choice = (struct choice){ .id = TH_CHARSET_UTF_8, .from = "utf-8" };
        return;
    }
    if (survey->valid_len == bytes.len && !survey->is_ascii) {
        *choice = (struct choice){ .id = TH_CHARSET_UTF_8, .from = "utf-8" };
        return;
    }
    const size_t late = bytes.len < LATE_PRESCAN_LEN ? bytes.len : LATE_PRESCAN_LEN;
    choice->id = th_meta_prescan((th_view){ bytes.data, late });
    choice->from = "meta";
    if (choice->id != TH_CHARSET_NONE && choice->id != TH_CHARSET_UTF_8)
        return;
    if (survey->sequences > survey->bad * MOSTLY) {
        *choice =
            (struct choice){ .id = TH_CHARSET_UTF_8, .from = "utf-8", .is_guess = true };
        return;
    }
    guess(charset, bytes, choice);
}

/* Compares a declaration with the bytes. */
static void choose_declared(th_charset *charset, th_view bytes,
                            const struct survey *survey, th_charset_id http,
                            th_charset_id meta, struct choice *choice)
{
    choice->id = http != TH_CHARSET_NONE ? http : meta;
    choice->from = http != TH_CHARSET_NONE ? "http" : "meta";
    if (survey->is_ascii || is_utf16(choice->id))
        return;
    if (choice->id == TH_CHARSET_UTF_8) {
        if (survey->bad <= survey->sequences)
            return;
        if (http == TH_CHARSET_UTF_8 && meta != TH_CHARSET_NONE &&
            meta != TH_CHARSET_UTF_8)
            *choice = (struct choice){ .id = meta, .from = "meta", .is_guess = true };
        else
            guess(charset, bytes, choice);
    } else if (outweighs(survey, choice->id)) {
        *choice =
            (struct choice){ .id = TH_CHARSET_UTF_8, .from = "utf-8", .is_guess = true };
    } else if (http != TH_CHARSET_NONE) {
        arbitrate(charset, bytes, meta, choice);
    }
}

static struct choice choose(th_charset *charset, th_view label, th_view bytes,
                            const struct survey *survey)
{
    struct choice choice = { .id = TH_CHARSET_NONE };
    if (find_mark(bytes, &choice))
        return choice;
    th_charset_id http = th_charset_id_of_label(label);
    if (is_utf16(http) && !may_be_utf16(bytes))
        http = TH_CHARSET_NONE;
    const size_t start = bytes.len < PRESCAN_LEN ? bytes.len : PRESCAN_LEN;
    const th_charset_id meta = th_meta_prescan((th_view){ bytes.data, start });
    if (!is_utf16(http) && !is_utf16(meta) && may_be_utf16(bytes)) {
        const th_charset_id found = find_utf16(bytes);
        if (found != TH_CHARSET_NONE)
            return (struct choice){ .id = found, .from = "detected", .is_guess = true };
    }
    if (http != TH_CHARSET_NONE || meta != TH_CHARSET_NONE)
        choose_declared(charset, bytes, survey, http, meta, &choice);
    else
        choose_undeclared(charset, bytes, survey, &choice);
    return choice;
}

static void decode_utf8(th_view bytes, th_text_out *out)
{
    size_t at = 0;
    while (at < bytes.len) {
        const size_t valid = th_utf8_valid(bytes.data + at, bytes.len - at);
        th_text_out_append(out, bytes.data + at, valid);
        at += valid;
        if (at == bytes.len)
            break;
        th_text_out_put_error(out);
        at += bad_sequence_len((const unsigned char *)bytes.data + at, bytes.len - at);
    }
}

static void decode_single_byte(const uint16_t *table, th_view bytes, th_text_out *out)
{
    for (size_t i = 0; i < bytes.len; i++) {
        const unsigned char byte = (unsigned char)bytes.data[i];
        const uint32_t c = byte < 0x80 ? byte : table[byte - 0x80];
        if (c || byte == 0)
            th_text_out_put(out, c);
        else
            th_text_out_put_error(out);
    }
}

static void decode_utf16(bool is_big, th_view bytes, th_text_out *out)
{
    size_t at = 0;
    while (bytes.len - at >= 2) {
        const uint32_t unit = unit_at(bytes, at, is_big);
        const uint32_t next = bytes.len - at >= 4 ? unit_at(bytes, at + 2, is_big) : 0;
        at += 2;
        if ((unit & 0xF800) != 0xD800) {
            th_text_out_put(out, unit);
        } else if (unit < 0xDC00 && (next & 0xFC00) == 0xDC00) {
            th_text_out_put(out, 0x10000 + ((unit & 0x3FF) << 10) + (next & 0x3FF));
            at += 2;
        } else {
            th_text_out_put_error(out);
        }
    }
    if (at < bytes.len)
        th_text_out_put_error(out);
}

static th_status decode(th_charset *charset, th_charset_id id, th_view bytes,
                        th_text_out *out)
{
    const uint16_t *const table = th_single_byte_table(id);
    if (id == TH_CHARSET_UTF_8)
        decode_utf8(bytes, out);
    else if (table)
        decode_single_byte(table, bytes, out);
    else if (is_utf16(id))
        decode_utf16(id == TH_CHARSET_UTF_16BE, bytes, out);
    else
        return th_double_byte_decode(charset->double_byte, id, bytes, out);
    return TH_OK;
}

/* Whether decoding would not change the bytes. */
static bool is_plain(const struct survey *survey, th_charset_id id, th_view bytes)
{
    return id == TH_CHARSET_UTF_8
               ? survey->valid_len == bytes.len
               : survey->is_ascii && !is_utf16(id) && id != TH_CHARSET_ISO_2022_JP;
}

th_status th_charset_decode(th_charset *charset, th_view label, th_view bytes,
                            th_arena *arena, th_view *text, th_encoding *used,
                            uint32_t *flags)
{
    if (!bytes.data)
        bytes.data = "";
    const struct survey survey = survey_bytes(bytes);
    const struct choice choice = choose(charset, label, bytes, &survey);
    th_text_out out = { .arena = arena };
    if (is_plain(&survey, choice.id, bytes)) {
        *text = (th_view){ bytes.data + choice.mark_len, bytes.len - choice.mark_len };
    } else {
        const th_view body = { bytes.data + choice.mark_len,
                               bytes.len - choice.mark_len };
        /* Enough for two bytes becoming three, which is what most pages need; never 0,
         * for a text of no bytes is not an absent one. */
        if (!th_text_out_reserve(&out, body.len + body.len / 2 + 1))
            return TH_NOMEM;
        const th_status status = decode(charset, choice.id, body, &out);
        if (status != TH_OK || out.has_failed)
            return TH_NOMEM;
        *text = (th_view){ out.data, out.len };
    }
    *used = (th_encoding){ th_charset_name(choice.id), choice.from };
    *flags |= out.flags | (choice.is_guess ? TH_FLAG_CHARSET_GUESSED : 0u);
    return TH_OK;
}
