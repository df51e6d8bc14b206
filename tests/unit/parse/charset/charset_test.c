/*
 * Rows: documents with a right, wrong or missing encoding label, and their content in
 * UTF-8. Then the tables: labels, single bytes, and double bytes by sample.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/unicode.h"
#include "parse/charset/charset.h"
#include "parse/charset/charset_label.h"
#include "parse/charset/meta_prescan.h"
#include "parse/charset/single_byte.h"
#include "thresher/page.h"

struct row {
    const char *name, *label; /* label NULL: absent */
    const char *in;
    size_t in_len;
    const char *want; /* NULL if unchanged */
    const char *encoding, *from;
    uint32_t flags;
};

#define IN(bytes) bytes, sizeof(bytes) - 1
#define META(label) "<meta charset=" label ">"
#define GUESSED TH_FLAG_CHARSET_GUESSED
#define ERRORS TH_FLAG_CHARSET_ERRORS
#define FFFD "\xEF\xBF\xBD"

/* clang-format off */
static const struct row rows[] = {
    { "empty", NULL, IN(""), NULL, "UTF-8", "utf-8", 0 },
    { "ascii", NULL, IN("<p>x"), NULL, "UTF-8", "utf-8", 0 },
    { "ascii, labelled", "iso-8859-1", IN("<p>x"), NULL, "windows-1252", "http", 0 },
    { "utf-8 by nature", NULL, IN("caf\xC3\xA9"), NULL, "UTF-8", "utf-8", 0 },
    { "utf-8 by label", " UTF8 ", IN("caf\xC3\xA9"), NULL, "UTF-8", "http", 0 },
    { "utf-8 by mark", "koi8-r", IN("\xEF\xBB\xBF" META("koi8-r") "\xC3\xA9"), META("koi8-r") "\xC3\xA9", "UTF-8", "bom", 0 },
    { "utf-16 by mark", NULL, IN("\xFF\xFEh\0i\0\xE9\0"), "hi\xC3\xA9", "UTF-16LE", "bom", 0 },
    { "utf-16be by mark", "utf-8", IN("\xFE\xFF\0h\0i\xD8\x3D\xDE\0"), "hi\xF0\x9F\x98\x80", "UTF-16BE", "bom", 0 },
    { "utf-16 by label", "utf-16", IN("<\0p\0>\0\xE9\0"), "<p>\xC3\xA9", "UTF-16LE", "http", 0 },
    { "utf-16 lone surrogates", "utf-16le", IN("a\0\x00\xD8" "b\0\x00\xDC" "c\0\x00\xD8"), "a" FFFD "b" FFFD "c" FFFD, "UTF-16LE", "http", ERRORS },
    { "utf-16 odd byte", "utf-16le", IN("a\0b"), "a" FFFD, "UTF-16LE", "http", ERRORS },
    { "utf-16 xml declaration", NULL, IN("<\0?\0x\0m\0l\0>\0"), "<?xml>", "UTF-16LE", "meta", 0 },
    { "utf-16 label on ascii", "utf-16", IN("<p>plain"), NULL, "UTF-8", "utf-8", 0 },
    { "utf-16 meta on ascii", NULL, IN(META("utf-16") "x"), NULL, "UTF-8", "meta", 0 },
    { "utf-7 label", "utf-7", IN("+ADw-script+AD4-"), NULL, "UTF-8", "utf-8", 0 },
    { "utf-7 meta", NULL, IN(META("utf-7") "+ADw-script+AD4-"), NULL, "UTF-8", "utf-8", 0 },
    { "latin1 is windows-1252", "iso-8859-1", IN("\x93" "caf\xE9\x94\x81"), "\xE2\x80\x9C" "caf\xC3\xA9\xE2\x80\x9D\xC2\x81", "windows-1252", "http", 0 },
    { "meta", NULL, IN(META("koi8-r") "\xF0\xD2"), META("koi8-r") "\xD0\x9F\xD1\x80", "KOI8-R", "meta", 0 },
    { "meta: content type", NULL, IN("<meta http-equiv=content-type content='text/html; charset=koi8-r'>\xF0\xD2"), "<meta http-equiv=content-type content='text/html; charset=koi8-r'>\xD0\x9F\xD1\x80", "KOI8-R", "meta", 0 },
    { "meta: only the first content counts", NULL, IN("<meta http-equiv=content-type content=text/html content='a; charset=koi8-r'>\xC3\xA9"), NULL, "UTF-8", "utf-8", 0 },
    { "meta: content of another pragma", NULL, IN("<meta http-equiv=refresh content='a; charset=koi8-r'>\xC3\xA9"), NULL, "UTF-8", "utf-8", 0 },
    { "meta: only the first pragma counts", NULL, IN("<meta http-equiv=refresh http-equiv=content-type content='a; charset=koi8-r'>\xC3\xA9"), NULL, "UTF-8", "utf-8", 0 },
    { "meta: only the first charset counts", NULL, IN("<meta charset=koi8-r charset=big5>\xF0\xD2"), "<meta charset=koi8-r charset=big5>\xD0\x9F\xD1\x80", "KOI8-R", "meta", 0 },
    { "http before meta", "windows-1251", IN(META("koi8-r") "\xC0\xC1"), META("koi8-r") "\xD0\x90\xD0\x91", "windows-1251", "http", 0 },
    { "label unknown, meta known", "foo", IN(META("koi8-u") "\xAE\xAE"), META("koi8-u") "\xD1\x9E\xD1\x9E", "KOI8-U", "meta", 0 },
    { "xml declaration", NULL, IN("<?xml version='1.0' encoding='windows-1251'?>\xC0"), "<?xml version='1.0' encoding='windows-1251'?>\xD0\x90", "windows-1251", "meta", 0 },
    { "unassigned byte", "windows-1253", IN("\xC1\xAA"), "\xCE\x91" FFFD, "windows-1253", "http", ERRORS },
    { "iso-8859-16", "iso-8859-16", IN("\xAA\xFE"), "\xC8\x98\xC8\x9B", "ISO-8859-16", "http", 0 },
    { "x-user-defined", "x-user-defined", IN("\x80\xFF"), "\xEF\x9E\x80\xEF\x9F\xBF", "x-user-defined", "http", 0 },
    { "replacement is nothing", "iso-2022-kr", IN("x"), NULL, "UTF-8", "utf-8", 0 },
    { "shift_jis", "x-sjis", IN("\x93\xFA\x96\x7B\xB1\x5C\x80"), "\xE6\x97\xA5\xE6\x9C\xAC\xEF\xBD\xB1\\\xC2\x80", "Shift_JIS", "http", 0 },
    { "shift_jis lead spares '<'", "shift_jis", IN("\x81<p>\x93\xFA\x93"), FFFD "<p>\xE6\x97\xA5" FFFD, "Shift_JIS", "http", ERRORS },
    { "euc-jp", "euc-jp", IN("\xC6\xFC\x8E\xB1\x8F\xB0\xA1"), "\xE6\x97\xA5\xEF\xBD\xB1\xE4\xB8\x82", "EUC-JP", "http", 0 },
    { "euc-jp broken", "euc-jp", IN("\x8F\xB0<\x8E<\xC6<\xA0z"), FFFD "<" FFFD "<" FFFD "<" FFFD "z", "EUC-JP", "http", ERRORS },
    { "iso-2022-jp", "iso-2022-jp", IN("a\x1B$BF|K\\\x1B(Bb\x1B(I1\x1B(J\\"), "a\xE6\x97\xA5\xE6\x9C\xAC" "b\xEF\xBD\xB1\xC2\xA5", "ISO-2022-JP", "http", 0 },
    { "iso-2022-jp half a pair", "iso-2022-jp", IN("\x1B$BF|F\n\x7F" "F|\x1B(Ba"), "\xE6\x97\xA5" FFFD "\n" FFFD "\xE6\x97\xA5" "a", "ISO-2022-JP", "http", ERRORS },
    { "iso-2022-jp bad escape", "iso-2022-jp", IN("a\x1B$Xb\xFF"), "a" FFFD "$Xb" FFFD, "ISO-2022-JP", "http", ERRORS },
    { "gb2312 is gb18030", "gb2312", IN("\xC0\xCF\xD7\xD3\x80\x81\x30\x81\x30"), "\xE8\x80\x81\xE5\xAD\x90\xE2\x82\xAC\xC2\x80", "GBK", "http", 0 },
    { "gb18030 of 2022", "gb2312", IN("\xA3\xA0\xA6\xD9\xFE\x59\xFE\xA0\xA6\xD8"), "\xE3\x80\x80\xEF\xB8\x90\xE9\xBE\xB4\xE9\xBE\xBB\xCF\x89", "GBK", "http", 0 },
    { "gb18030 four bytes", "gb18030", IN("\x95\x32\x82\x36"), "\xF0\xA0\x80\x80", "gb18030", "http", 0 },
    { "gb18030 broken", "gb18030", IN("\x81\x30<\xFF\x81\x30\x81"), FFFD "0<" FFFD FFFD "0" FFFD, "gb18030", "http", ERRORS },
    { "big5", "big5", IN("\xA6\xD1\xA4\x6C\x88\x62"), "\xE8\x80\x81\xE5\xAD\x90\xC3\x8A\xCC\x84", "Big5", "http", 0 },
    { "euc-kr", "ks_c_5601-1987", IN("\xC7\xD1\x8C\x63"), "\xED\x95\x9C\xEB\x98\xA0", "EUC-KR", "http", 0 },
    { "euc-kr spares ascii", "euc-kr", IN("\xC7<\xFF<"), FFFD "<" FFFD "<", "EUC-KR", "http", ERRORS },

    { "one bad byte in utf-8", "utf-8", IN("\xC3\xA9\xE9 \xC3\xA9"), "\xC3\xA9" FFFD " \xC3\xA9", "UTF-8", "http", ERRORS },
    { "maximal subparts", "utf-8", IN("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xF0\x9F\x98<\xE2\x82\xC0"), "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9" FFFD "<" FFFD FFFD, "UTF-8", "http", ERRORS },
    { "surrogates in utf-8", "utf-8", IN("\xC3\xA9\xC3\xA9\xC3\xA9\xED\xA0\x80"), "\xC3\xA9\xC3\xA9\xC3\xA9" FFFD FFFD FFFD, "UTF-8", "http", ERRORS },
    { "utf-8 cut at the end", NULL, IN("\xC3\xA9\xE2\x82"), "\xC3\xA9" FFFD, "UTF-8", "utf-8", ERRORS | GUESSED },
    { "said utf-8, is not", "utf-8", IN("the Corey\x92s sister"), "the Corey\xE2\x80\x99s sister", "windows-1252", "default", GUESSED },
    { "http says utf-8, meta right", "utf-8", IN(META("koi8-r") "\xF0\xD2"), META("koi8-r") "\xD0\x9F\xD1\x80", "KOI8-R", "meta", GUESSED },
    { "said latin1, is utf-8", "iso-8859-1", IN("caf\xC3\xA9"), NULL, "UTF-8", "utf-8", GUESSED },
    { "meta says gbk, is utf-8", NULL, IN(META("gbk") "\xE2\x80\x99 \xE2\x80\x99"), NULL, "UTF-8", "utf-8", GUESSED },
    { "gbk that may be utf-8", "gbk", IN("\xCD\xA8"), "\xE9\x80\x9A", "GBK", "http", 0 },
    { "undeclared russian", NULL, IN("\xD1\xFA\xE5\xF8\xFC \xE5\xF9\xB8 \xFD\xF2\xE8\xF5 \xEC\xFF\xE3\xEA\xE8\xF5 \xF4\xF0\xE0\xED\xF6\xF3\xE7\xF1\xEA\xE8\xF5 \xE1\xF3\xEB\xEE\xEA, \xE4\xE0 \xE2\xFB\xEF\xE5\xE9 \xF7\xE0\xFE. \xDD\xF2\xEE \xEF\xF0\xEE\xF1\xF2\xEE\xE9 \xF2\xE5\xEA\xF1\xF2 \xED\xE0 \xF0\xF3\xF1\xF1\xEA\xEE\xEC \xFF\xE7\xFB\xEA\xE5."), "\xD0\xA1\xD1\x8A\xD0\xB5\xD1\x88\xD1\x8C", "windows-1251", "detected", GUESSED },
    { "undeclared and unclear", NULL, IN("European Union\xB9. Opponents"), "European Union\xC2\xB9. Opponents", "windows-1252", "default", GUESSED },
    { "utf-16 without a mark", NULL, IN("<\0p\0>\0a\0\xE9\0"), "<p>a\xC3\xA9", "UTF-16LE", "detected", GUESSED },
    { "utf-16be said utf-8", "utf-8", IN("\0<\0p\0>\0\"\0o\0n\0e\0\"\x4E\0"), "<p>\"one\"\xE4\xB8\x80", "UTF-16BE", "detected", GUESSED },
};

/* NULs are the parser's to drop: they come through, in whatever encoding. */
static const struct nul_row {
    const char *label, *in;
    size_t in_len;
    const char *want;
    size_t want_len;
} nul_rows[] = {
    { NULL, IN("a\0bc\0"), IN("a\0bc\0") },
    { "utf-8", IN("\xC3\xA9\0\xFF\xC3\xA9"), IN("\xC3\xA9\0" FFFD "\xC3\xA9") },
    { "iso-8859-1", IN("<p\0 a=\xE9>"), IN("<p\0 a=\xC3\xA9>") },
    { "shift_jis", IN("\x93\xFA\0x"), IN("\xE6\x97\xA5\0x") },
    { NULL, IN("\xFF\xFE" "a\0\0\0b\0"), IN("a\0b") },
    { NULL, IN("\xEF\xBB\xBF\0"), IN("\0") },
    { NULL, IN("a\0\0b\0\0c\0\0d\0\0"), IN("a\0\0b\0\0c\0\0d\0\0") }, /* no UTF-16 */
    { NULL, IN("<p>\0a\0b\0c\0d\0e"), IN("<p>\0a\0b\0c\0d\0e") },
    { NULL, IN("<p>a\0b\0c\0d\0e\0f\0"), IN("<p>a\0b\0c\0d\0e\0f\0") },
};
/* clang-format on */

static th_charset *charset;
static th_arena *arena;

static int start(void **state)
{
    (void)state;
    charset = th_charset_new();
    arena = th_arena_new(0);
    return charset && arena ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    th_charset_free(charset);
    th_arena_free(arena);
    return 0;
}

static th_view decode(const char *label, th_view bytes, th_encoding *used,
                      uint32_t *flags)
{
    const th_view label_view = { label, label ? strlen(label) : 0 };
    th_view text = { NULL, 0 };
    *flags = 0;
    assert_int_equal(
        th_charset_decode(charset, label_view, bytes, arena, &text, used, flags), TH_OK);
    assert_non_null(text.data);
    assert_int_equal(th_utf8_valid(text.data, text.len), text.len);
    return text;
}

static void row_holds(void **state)
{
    const struct row *const row = *state;
    th_encoding used;
    uint32_t flags;
    for (size_t len = 0; len <= row->in_len;
         len++) {                                 /* prefixes: only that none is read */
        char *const copy = malloc(len ? len : 1); /* past its end */
        assert_non_null(copy);
        memcpy(copy, row->in, len);
        const th_view text = decode(row->label, (th_view){ copy, len }, &used, &flags);
        if (len == row->in_len) {
            assert_string_equal(used.name, row->encoding);
            assert_string_equal(used.from, row->from);
            assert_int_equal(flags, row->flags);
            const char *const want = row->want ? row->want : row->in;
            const bool is_start = strcmp(row->from, "detected") == 0;
            assert_int_equal(is_start ? strlen(want) : text.len, strlen(want));
            assert_memory_equal(text.data, want, strlen(want));
            if (!row->want) /* nothing had to change, so nothing was copied */
                assert_ptr_equal(text.data, copy);
        }
        th_arena_reset(arena);
        free(copy);
    }
}

static void nuls_stay(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof nul_rows / sizeof *nul_rows; i++) {
        const struct nul_row *const row = &nul_rows[i];
        th_encoding used;
        uint32_t flags;
        const th_view text =
            decode(row->label, (th_view){ row->in, row->in_len }, &used, &flags);
        assert_int_equal(text.len, row->want_len);
        assert_memory_equal(text.data, row->want, row->want_len);
        assert_int_equal(flags & (uint32_t)TH_FLAG_NUL_REMOVED, 0);
        th_arena_reset(arena);
    }
}

static void labels_are_the_standards(void **state)
{
    static const struct {
        const char *label, *name;
    } labels[] = {
        { "utf-8", "UTF-8" },
        { "\n UTF8\t", "UTF-8" },
        { "latin1", "windows-1252" },
        { "us-ascii", "windows-1252" },
        { "iso-8859-9", "windows-1254" },
        { "tis-620", "windows-874" },
        { "GB2312", "GBK" },
        { "windows-31j", "Shift_JIS" },
        { "ks_c_5601-1987", "EUC-KR" },
        { "unicodefffe", "UTF-16BE" },
        { "iso_8859-9:1989", "windows-1254" },
        { "csiso58gb231280", "GBK" },
        { "x-unicode20utf8", "UTF-8" },
        { "866", "IBM866" },
        { "utf-7", NULL },
        { "utf-32", NULL },
        { "hz-gb-2312", NULL },
        { "replacement", NULL },
        { "", NULL },
        { "latin1x", NULL },
        { "cseucpkdfmtjapanese0000000000000000000000000", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        const char *const got = th_charset_name(th_charset_id_of_label(
            (th_view){ labels[i].label, strlen(labels[i].label) }));
        if (labels[i].name)
            assert_string_equal(got, labels[i].name);
        else
            assert_null(got);
    }
    assert_null(th_charset_name(th_charset_id_of_label((th_view){ "utf-8\0", 6 })));
    for (int id = 0; id < TH_CHARSET_COUNT; id++) { /* each name is its own label */
        const char *const name = th_charset_name((th_charset_id)id);
        assert_int_equal(th_charset_id_of_label((th_view){ name, strlen(name) }), id);
    }
    assert_null(th_charset_name(TH_CHARSET_NONE));
}

static void single_bytes_are_the_standards(void **state)
{
    static const struct {
        th_charset_id id;
        unsigned byte, want;
    } cells[] = {
        { TH_CHARSET_WINDOWS_1252, 0x80, 0x20AC },
        { TH_CHARSET_WINDOWS_1252, 0x9D, 0x9D },
        { TH_CHARSET_WINDOWS_1255, 0xCA, 0x5BA },
        { TH_CHARSET_WINDOWS_1255, 0xD9, 0 },
        { TH_CHARSET_WINDOWS_874, 0xDB, 0 },
        { TH_CHARSET_WINDOWS_874, 0xA1, 0xE01 },
        { TH_CHARSET_KOI8_U, 0xAE, 0x45E },
        { TH_CHARSET_KOI8_U, 0xBE, 0x40E },
        { TH_CHARSET_MACINTOSH, 0xDB, 0x20AC },
        { TH_CHARSET_MACINTOSH, 0xF0, 0xF8FF },
        { TH_CHARSET_X_MAC_CYRILLIC, 0xA2, 0x490 },
        { TH_CHARSET_X_MAC_CYRILLIC, 0xFF, 0x20AC },
        { TH_CHARSET_ISO_8859_7, 0xA4, 0x20AC },
        { TH_CHARSET_ISO_8859_8_I, 0xFD, 0x200E },
        { TH_CHARSET_ISO_8859_6, 0xA1, 0 },
        { TH_CHARSET_IBM866, 0xF2, 0x404 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        assert_int_equal(th_single_byte_table(cells[i].id)[cells[i].byte - 0x80],
                         cells[i].want);
    uint64_t sum = 0; /* of all cells, because the build makes the tables */
    for (int id = 0; id < TH_CHARSET_COUNT; id++) {
        const uint16_t *table = th_single_byte_table((th_charset_id)id);
        for (unsigned i = 0; table && i < 128; i++)
            sum = sum * 31 + table[i];
    }
    assert_int_equal(sum, UINT64_C(0x1CBE9DE76C203DCE));
    assert_null(th_single_byte_table(TH_CHARSET_UTF_8));
    assert_null(th_single_byte_table(TH_CHARSET_GBK));
    assert_null(th_single_byte_table(TH_CHARSET_NONE));
}

/* Every double byte decodes to something, and the following ASCII is kept. */
static void no_lead_byte_swallows_markup(void **state)
{
    static const char *const labels[] = { "shift_jis", "euc-jp", "gb18030",
                                          "big5",      "euc-kr", "gbk" };
    (void)state;
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        for (unsigned lead = 0x80; lead <= 0xFF; lead++) {
            const char in[] = { (char)lead, '<', 'p', '>' };
            th_encoding used;
            uint32_t flags;
            const th_view text =
                decode(labels[i], (th_view){ in, sizeof in }, &used, &flags);
            assert_true(text.len > 3);
            assert_memory_equal(text.data + text.len - 3, "<p>", 3);
            th_arena_reset(arena);
        }
}

/* Whether any sequence of two bytes after `start` decodes to a private character. */
static bool has_private_characters(const char *label, const char *start)
{
    bool has = false;
    for (unsigned lead = 0x81; lead < 0xFF; lead++) {
        char in[256 * 8];
        size_t len = 0;
        for (unsigned trail = 0x40; trail < 0xFF; trail++) {
            const size_t put = strlen(start);
            memcpy(in + len, start, put);
            len += put;
            in[len++] = (char)lead;
            in[len++] = (char)trail;
            in[len++] = '\n';
        }
        th_encoding used;
        uint32_t flags;
        const th_view text = decode(label, (th_view){ in, len }, &used, &flags);
        for (size_t i = 0; i + 2 < text.len && !has; i++) {
            const unsigned char *at = (const unsigned char *)text.data + i;
            has = at[0] == 0xEE || (at[0] == 0xEF && at[1] < 0xA4);
        }
        th_arena_reset(arena);
    }
    return has;
}

/* ICU maps the users' own characters of all charsets, and the standard only of some. */
static void private_characters_are_of_some_charsets(void **state)
{
    (void)state;
    assert_true(has_private_characters("shift_jis", ""));
    assert_true(has_private_characters("gb18030", ""));
    assert_false(has_private_characters("euc-jp", ""));
    assert_false(has_private_characters("euc-jp", "\x8F"));
    assert_false(has_private_characters("big5", ""));
    assert_false(has_private_characters("euc-kr", ""));
}

static void late_meta_is_found(void **state)
{
    (void)state;
    enum { LEN = 9000 };
    char *const in = malloc(LEN);
    assert_non_null(in);
    memset(in, ' ', LEN);
    memcpy(in, "<!-- \xE9 -->", 10);
    memcpy(in + 8000, META("koi8-r"), sizeof META("koi8-r") - 1);
    th_encoding used;
    uint32_t flags;
    (void)decode(NULL, (th_view){ in, LEN }, &used, &flags);
    assert_string_equal(used.name, "KOI8-R");
    assert_string_equal(used.from, "meta");
    assert_null(th_charset_name(th_meta_prescan((th_view){ in, 1024 })));
    free(in);
}

/* 8 MiB of the worst input for each encoding. */
static void worst_input_is_linear(void **state)
{
    static const struct {
        const char *label, *unit;
    } kinds[] = {
        { "utf-8", "\xFF" },      { "utf-8", "\xF0\x9F\x98" }, { NULL, "\xE9<" },
        { NULL, "<meta " },       { NULL, "\xFF<!--" },        { "gb18030", "\x81\x30" },
        { "euc-jp", "\x8F\xB0" }, { "iso-2022-jp", "\x1B$B" }, { "windows-1253", "\xAA" },
        { "iso-8859-1", "\xE9" },
    };
    (void)state;
    enum { LEN = 8 << 20 };
    char *const in = malloc(LEN);
    assert_non_null(in);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t unit_len = strlen(kinds[i].unit);
        for (size_t at = 0; at < LEN; at++)
            in[at] = kinds[i].unit[at % unit_len];
        th_encoding used;
        uint32_t flags;
        const clock_t before = clock();
        const th_view label = { kinds[i].label,
                                kinds[i].label ? strlen(kinds[i].label) : 0 };
        th_view text;
        flags = 0;
        assert_int_equal(th_charset_decode(charset, label, (th_view){ in, LEN }, arena,
                                           &text, &used, &flags),
                         TH_OK);
        assert_true(clock() - before < CLOCKS_PER_SEC);
        th_arena_reset(arena);
    }
    free(in);
}

static void no_memory_is_said(void **state)
{
    (void)state;
    th_arena *const small = th_arena_new(64);
    th_view text = { "untouched", 9 };
    th_encoding used;
    uint32_t flags = 0;
    char in[200];
    memset(in, '\xE9', sizeof in);
    assert_non_null(small);
    assert_int_equal(th_charset_decode(charset, TH_VIEW("latin1"),
                                       (th_view){ in, sizeof in }, small, &text, &used,
                                       &flags),
                     TH_NOMEM);
    assert_string_equal(text.data, "untouched");
    th_arena_free(small);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 8];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        tests[count++] = (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL,
                                              (void *)(uintptr_t)&rows[i] };
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(nuls_stay);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(labels_are_the_standards);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(single_bytes_are_the_standards);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(no_lead_byte_swallows_markup);
    tests[count++] =
        (struct CMUnitTest)cmocka_unit_test(private_characters_are_of_some_charsets);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(late_meta_is_found);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(worst_input_is_linear);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(no_memory_is_said);
    return cmocka_run_group_tests(tests, start, end);
}
