/*
 * Functions that read a text: outcomes of random texts of the words that each knows. The
 * tests of the functions say whether the outcomes are right. Here, a change shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "base/ascii.h"
#include "base/date_words.h"
#include "base/html_reference.h"
#include "base/iso_date.h"
#include "base/json_escape.h"
#include "base/json_events.h"
#include "base/json_reader.h"
#include "base/unicode.h"
#include "cdxj/surt.h"
#include "content/post_facts.h"
#include "dedup/record_date.h"
#include "dedup/record_line.h"
#include "graph/link_key.h"
#include "ingest/archive_place.h"
#include "ingest/page_file.h"
#include "ingest/pointer_line.h"
#include "ingest/warc_pointer.h"
#include "language/language_codes.h"
#include "outcomes.h"
#include "page/rights.h"
#include "parse/charset/charset.h"
#include "parse/charset/charset_label.h"
#include "parse/charset/meta_prescan.h"
#include "parse/formula.h"
#include "parse/furniture.h"
#include "parse/http/http_head.h"
#include "parse/http/http_rights.h"
#include "parse/http/media_type.h"
#include "parse/metadata/author_name.h"
#include "parse/metadata/class_roles.h"
#include "parse/metadata/headline.h"
#include "parse/metadata/page_address.h"
#include "parse/metadata/tidy_text.h"
#include "parse/metadata/visible_facts.h"
#include "parse/streamed.h"
#include "parse/url/url.h"
#include "remote/credential_text.h"
#include "remote/listing_page.h"
#include "remote/public_address.h"
#include "remote/remote_name.h"
#include "remote/remote_prefix.h"
#include "robots/robots_txt.h"
#include "robots/tdmrep.h"
#include "site/site_name.h"
#include "write/tex_span.h"

enum { TEXTS = 5000, TEXT_MAX = 4096 };

static th_arena *arena;
static const char absent_bytes[1];

/* ---- random texts ---- */

/* Adds a word of a list whose words end with a newline. */
static void add_word(struct outcomes *all, const char *words, th_buffer *out)
{
    uint32_t count = 0;
    for (const char *at = words; *at; at++)
        count += *at == '\n';
    const char *at = words;
    for (uint32_t i = below(all, count); i; i--)
        at = strchr(at, '\n') + 1;
    th_buffer_append(out, at, (size_t)(strchr(at, '\n') - at));
}

/* A text of 1 to 12 words, with some other bytes between. */
static th_view random_text(struct outcomes *all, const char *words, th_buffer *out)
{
    static const char others[][5] = {
        " ",    "\n", "\t", "\r\n", "\x01", "-", "\xC3\xA9", "\xC2\xA0", "\xE2\x80\x93",
        "\x80", "/",  ":",  ".",    ",",    "0", "7",        "A",        "z"
    };
    th_buffer_reset(out);
    for (uint32_t i = 1 + below(all, 1 + below(all, 12)); i; i--) {
        const uint32_t kind = below(all, 16);
        if (kind > 2)
            add_word(all, words, out);
        else if (kind)
            th_buffer_append_text(out,
                                  others[below(all, sizeof others / sizeof *others)]);
        else
            th_buffer_printf(out, "%" PRIu32, below(all, below(all, 2) ? 40 : 9999));
    }
    const uint32_t edit = below(all, 24);
    if (edit == 0 && out->len)
        out->len = below(all, (uint32_t)out->len + 1);
    for (size_t i = 0; edit == 1 && i < out->len; i++)
        out->data[i] =
            (char)(out->data[i] >= 'a' && out->data[i] <= 'z' ? out->data[i] - 32
                                                              : out->data[i]);
    if (edit == 2 && out->len) {
        const uint32_t at = below(all, (uint32_t)out->len);
        out->data[at] = (char)below(all, 256);
    }
    assert_true(out->len <= TEXT_MAX);
    return (th_view){ out->len ? out->data : absent_bytes, out->len };
}

/* The text without NUL, terminated. */
static const char *as_string(th_view text)
{
    static char bytes[TEXT_MAX + 1];
    const size_t len = strnlen(text.data, text.len);
    memcpy(bytes, text.data, len);
    bytes[len] = '\0';
    return bytes;
}

static th_view part(th_view text, size_t from, size_t to)
{
    return (th_view){ text.data + from, to - from };
}

/* The text as tidy UTF-8. */
static th_view tidy(th_view text)
{
    static char bytes[TEXT_MAX + 1];
    return (th_view){ bytes, th_tidy_text(text, TH_TIDY_REFERENCES, bytes, TEXT_MAX) };
}

static void note_status(struct outcomes *all, th_status status, const th_error *err)
{
    note_number(all, (uint64_t)status);
    note_text(all, err && status != TH_OK ? err->text : "");
}

/* ---- addresses ---- */

/* clang-format off */
#define ADDRESS_WORDS \
    "http://\nhttps://\nHTTP://\n//\n/\n/\n/\n./\n../\n..\n.\n?\n?\n#\n&\n=\n;\n:\n@\n%\n%2F\n%41\n%7e\n%zz\n"       \
    "+\n \na.example\nwww.B.Example\nwww2.c.co.uk\n[2001:db8::1]\n192.0.2.7\n127.1\n:80\n:443\n:8080\n:99999\n:x\n" \
    "user:pw@\nindex.html\nnews\n2024/05/06\n\\\n\"\n<\n>\n[\n]\n{\n|\nmailto:\njavascript:\nurn:\ndns:\nftp://\n"   \
    "jsessionid=0123456789abcdef0123456789ABCDEF\n;jsessionid=\nPHPSESSID=0123456789abcdef0123456789abcdef\nsid=\n" \
    "cfid=1&cftoken=2\n(S(abcdefghij0123456789abcd))\npage.aspx\nASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX\n"  \
    "category\ntag\nauthor\nsearch\nforum\nhome\nindex.php\nen\nde\npage\nA=1\nb=2\na=\nlong/long/long/long\n"        \
    ".\nlocalhost\n0x7f.1\na..b\ndata:\nfile:///\nhttp:\nhttps:/\n"
/* clang-format on */

static void note_surt(struct outcomes *all, th_view text)
{
    note_view(all, th_surt(text, arena));
}

static void note_url(struct outcomes *all, th_view text)
{
    static const char *const bases[] = { "http://a.example/b/c/d;p?q",
                                         "https://www.B.Example:443",
                                         "http://u@h.example/x//y/?a/b#c", "",
                                         "mailto:x" };
    const char *base = bases[below(all, 5)];
    const th_url_base known = th_url_base_of((th_view){ base, strlen(base) });
    note_view(all, th_url_resolve(known.url, text, arena));
    const th_view url = th_url_resolve_from(&known, text, arena);
    note_view(all, url);
    if (url.data) {
        const th_url_base of = th_url_base_of(url);
        note_number(all, of.origin_len);
        note_number(all, of.directory_len);
        note_number(all, of.path_len);
        note_number(all, of.query_len);
        note_number(all, of.is_plain);
        note_number(all, th_url_has_origin(url, &known));
        note_number(all, th_address_is_no_article(url));
        note_number(all, th_url_is_front(url));
        th_buffer key = { 0 };
        note_number(all, th_link_key(url, &key));
        note_view(all, th_buffer_view(&key));
        if (key.len) {
            note_view(all, th_link_key_host(th_buffer_view(&key)));
            note_view(all, th_link_key_local(th_buffer_view(&key)));
        }
        th_buffer_done(&key);
    }
    note_view(all, th_url_host(text));
    note_number(all, th_url_has_host(text, TH_VIEW("a.example")));
}

static void note_robots_path(struct outcomes *all, th_view text)
{
    char origin[TH_ROBOTS_ORIGIN_MAX];
    th_buffer path = { 0 }, pattern = { 0 };
    const size_t len = th_robots_origin(text, origin);
    note_view(all, (th_view){ origin, len });
    th_robots_path(text, &path);
    th_robots_pattern(part(text, text.len / 2, text.len), &pattern);
    note_view(all, th_buffer_view(&path));
    note_view(all, th_buffer_view(&pattern));
    note_number(
        all, th_robots_pattern_matches(th_buffer_view(&pattern), th_buffer_view(&path)));
    th_buffer_done(&path);
    th_buffer_done(&pattern);
}

static void note_site(struct outcomes *all, th_view text)
{
    th_site_name name = { 0 };
    th_host_domain domain = { 0 };
    char suffix[TH_SITE_NAME_MAX] = "";
    for (int i = 0; i < 2; i++) {
        const bool is_site =
            th_site_name_of(text, i ? TH_SITE_HOST : TH_SITE_DOMAIN, &name);
        note_text(all, is_site ? name.text : NULL);
        note_number(all, is_site ? name.number : 0);
        if (th_site_name_parse(text, i ? TH_SITE_HOST : TH_SITE_DOMAIN, &name))
            note_text(all, name.text);
    }
    note_text(all, th_public_suffix_of(text, suffix) ? suffix : NULL);
    if (th_site_name_of(text, TH_SITE_HOST, &name)) {
        note_number(all, th_site_is_address(&name));
        if (th_host_domain_of(&name, below(all, 2), &domain)) {
            note_text(all, domain.suffix);
            note_text(all, domain.domain);
        }
    }
}

static void note_public_address(struct outcomes *all, th_view text)
{
    struct sockaddr_in four = { .sin_family = AF_INET };
    struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
    const char *string = as_string(text);
    if (inet_pton(AF_INET, string, &four.sin_addr) == 1)
        note_number(all, 2u + th_address_is_public((const struct sockaddr *)&four));
    if (inet_pton(AF_INET6, string, &six.sin6_addr) == 1)
        note_number(all, 4u + th_address_is_public((const struct sockaddr *)&six));
    for (int i = 0; i < 4; i++)
        ((uint8_t *)&four.sin_addr)[i] =
            (uint8_t)below(all, i < 2 && below(all, 2) ? 4 : 256);
    static const uint8_t firsts[] = { 10,  100, 127, 169, 172, 192, 198,
                                      203, 224, 240, 255, 0,   8 };
    if (below(all, 4))
        *(uint8_t *)&four.sin_addr = firsts[below(all, 13)];
    note_number(all, th_address_is_public((const struct sockaddr *)&four));
    memcpy((uint8_t *)&six.sin6_addr + 12, &four.sin_addr, 4);
    note_number(all, th_address_is_public((const struct sockaddr *)&six));
}

/* ---- dates and names ---- */

/* clang-format off */
#define DATE_WORDS \
    "2024\n1999\n05\n5\n12\n31\n30\n29\n02\n00\n13\n-\n-\n/\n/\n.\n.\n:\n:\n \n \n,\nT\nZ\n+02:00\n-0500\nUTC\n"      \
    "10:11\n10:11:12\n.5\nam\nPM\nJan\nFeb\nMay\nJune\nDec\nDezember\nde\nmai\nmayo\n\303\251t\303\251\nth\nst\n20240506\n" \
    "0000-00-00\n2024-05-06\n2024-05-06T07:08:09Z\n06.05.2024\n05/06/2024\n5/31/2024\nMay 5, 2024\n5 May 2024\n5 de mayo de 2024\n" \
    "2024\345\271\264\n5\346\234\210\n6\346\227\245\nMon\nMonday\nTue, 05 Mar 2024 10:11:12 GMT\n\320\274\320\260\321\217\n6 \320\274\320\260\321\217 2024\nPosted on \n" \
    "\331\205\330\247\331\212\331\210\n\331\242\331\240\331\242\331\244\n\331\241\331\244\331\240\331\243\n2567\n \340\270\236.\340\270\204. \n\340\270\241\340\270\201\340\270\243\340\262\204\n" \
    "\340\244\256\340\244\210\n\327\224\n \327\221\327\236\327\220\327\231 \n1st\n22nd\nquarter\nversion 1.2.3\n"
/* clang-format on */

/* Appends a date in one of many forms: %Y is a year, %M a month, %D a day, %N the name of a
 * month, %H an hour, %I a minute, and %Z a zone. */
static void append_date(struct outcomes *all, th_buffer *out)
{
    /* clang-format off */
    static const char *const forms[] = {
        "%Y-%M-%D", "%Y-%M-%DT%H:%I:%IZ", "%Y-%M-%D %H:%I", "%Y/%M/%D", "%Y.%M.%D", "%D.%M.%Y", "%D/%M/%Y", "%M/%D/%Y", "%D-%M-%Y", "%D. %N %Y", "%D %N %Y", "%N %D, %Y", "%N %Dth, %Y", "%Dst %N %Y", "%D de %N de %Y", "%D-%N-%Y", "%N %Y",
        "%Y\345\271\264%M\346\234\210%D\346\227\245", "%Y\353\205\204 %M\354\233\224 %D\354\235\274", "%N. %D, %Y", "Mon, %D %N %Y %H:%I:%I GMT", "%N %D %H:%I:%I %Y", "%N %D, %Y %H:%I PM", "%Y%M%D", "%Y%M%D%H%I%I", "%Y-%M-%DT%H:%I:%I+0%M:%I", "%D,%M,%Y", "%D %M %Y", "%Y, %N %D", "%D %N, %Y", "the %D of %N %Y", "%D\327\221%N %Y",
        "%Y-%M-%DT%H:%I:%I.%I-0%M00", "%Y-%M", "%Y", "%N%D,%Y", "%D.%N.%Y", "%Y %N %D", "%Y-%N-%D", "%D/%N/%Y:%H:%I:%I +0000", "%M.%D.%Y", "%D %N %Y %H:%I:%I %Z", "%N %D, %Y %H:%I %Z", "%Y-%M-%D %H:%I:%I %Z", "%N %D %H:%I:%I %Z %Y", "%D %N %Y %Z",
    };
    static const char *const names[] = {
        "January", "february", "MARCH", "Apr", "May", "Jun", "Jul.", "Aug", "Sept", "October", "Nov", "December", "Januar", "M\303\244rz", "Mai", "Dezember", "janvier", "f\303\251vrier", "ao\303\273t", "enero", "septiembre", "dicembre", "gennaio", "mar\303\247o", "\321\217\320\275\320\262\320\260\321\200\321\217", "\320\274\320\260\321\217",
        "\331\212\331\206\330\247\331\212\330\261", "\331\205\330\247\330\261\330\263", "\331\201\330\261\331\210\330\261\330\257\333\214\331\206", "\330\247\330\263\331\201\331\206\330\257", "\340\270\241\340\270\201\340\270\243\340\270\262\340\270\204\340\270\241", "\340\244\234\340\244\250\340\244\265\340\244\260\340\245\200", "\327\231\327\240\327\225\327\220\327\250", "stycznia", "ledna", "Ocak", "kes\303\244kuuta", "\316\234\316\261\316\220\316\277\317\205", "Mayo", "word",
    };
    static const char *const zones[] = { "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "GMT", "UTC", "Z", "z", "UT", "+0530", "-05:00", "CET", "PM", "am", "GMT+0100 (CET)", "p.m.", "BST", "+01", "est" };
    static const unsigned years[] = { 2024, 2023, 2000, 1999, 1969, 1403, 1399, 2567, 2566, 99, 24, 1, 2100, 1900, 3000, 1970, 1000, 999, 1001, 1348, 1349, 1350, 1478, 2513, 2512, 2514, 2642, 2643, 1478, 1479 };
    /* clang-format on */
    const unsigned kind = below(all, 8);
    for (const char *at = forms[below(all, sizeof forms / sizeof *forms)]; *at; at++) {
        const unsigned least = below(all, 2) ? 2 : 1;
        if (*at != '%') {
            th_buffer_append_char(out, *at);
            continue;
        }
        const unsigned number = below(all, *++at == 'M' ? 14
                                           : *at == 'D' ? 33
                                           : *at == 'H' ? 25
                                                        : 61);
        if (*at == 'N')
            th_buffer_append_text(out, names[number % (sizeof names / sizeof *names)]);
        else if (*at == 'Z')
            th_buffer_append_text(out, zones[number % (sizeof zones / sizeof *zones)]);
        else if (*at == 'Y')
            th_buffer_printf(out, "%u", years[number % (sizeof years / sizeof *years)]);
        else if (kind == 0 && number < 10) /* a digit of Persian */
            th_buffer_printf(out, "\333%c", (char)(0xB0 + number));
        else
            th_buffer_printf(out, "%0*u", (int)least, number);
    }
}

/* Some words, a date, and more words. */
static th_view around_date(struct outcomes *all, th_view text, th_buffer *out)
{
    const size_t cut = below(all, 3) ? 0 : text.len / 2;
    th_buffer_append_view(out, part(text, 0, cut));
    append_date(all, out);
    if (below(all, 3) == 0)
        th_buffer_append_view(out, part(text, cut, text.len));
    return th_buffer_view(out);
}

static void note_iso_date_of(struct outcomes *all, th_view text)
{
    char out[TH_ISO_DATE_MAX];
    size_t len = 0;
    const th_date_kind kind = th_iso_date(text, out, &len);
    note_number(all, kind);
    if (kind == TH_DATE_ISO)
        note_view(all, (th_view){ out, len });
    note_number(all, th_record_date(text));
}

static void note_iso_date(struct outcomes *all, th_view text)
{
    th_buffer date = { 0 };
    note_iso_date_of(all, text);
    for (int i = 0; i < 4; i++) {
        th_buffer_reset(&date);
        note_iso_date_of(all, around_date(all, text, &date));
    }
    th_buffer_done(&date);
}

static void note_date_words_of(struct outcomes *all, th_view text)
{
    static const char *const languages[] = { "en", "en-US", "en-GB", "de", "fr",
                                             "fa", "th",    "ar",    "ja", "" };
    const char *language = languages[below(all, 10)];
    const th_view line = tidy(text);
    th_date_words found;
    for (size_t from = 0;
         th_date_words_find(line, from, (th_view){ language, strlen(language) }, &found);
         from = found.end) {
        note_view(all, (th_view){ found.day, TH_DAY_LEN });
        note_number(all, found.start);
        note_number(all, found.end);
    }
    note_number(all, th_post_date_is_of_another(line));
}

static void note_date_words(struct outcomes *all, th_view text)
{
    th_buffer date = { 0 };
    note_date_words_of(all, text);
    for (int i = 0; i < 4; i++) {
        th_buffer_reset(&date);
        note_date_words_of(all, around_date(all, text, &date));
    }
    th_buffer_done(&date);
}

/* clang-format off */
#define NAME_WORDS \
    "By \nby \nWritten by \nVon \nPar \nPosted by \nAuthor: \nText: \nThread starter \n says:\n wrote:\nwrote\n said\n:\n | \n - \n \342\200\224 \n, \n and \n & \n; \n" \
    "Ada\nLovelace\nAda Lovelace\nGrace Hopper\nJ. R. Smith\nO'Neil\nvan der Berg\nadmin\neditor\nStaff\nThe Editors\nInc\nUniversity\nLtd.\nReuters\nkeeper_77\nada@a.example\nhttp://a.example/x\nwww.a.example\n@ada\n" \
    "2024-05-06\nMay 5, 2024\n12\n#5\n(\n)\n[\n]\n\"\n\302\273\n\302\267 \n\346\245\274\344\270\273\n\345\211\215\n\345\261\261\347\224\260\n\320\230\320\262\320\260\320\275\n\331\203\330\252\330\250\n\340\244\250\340\247\207\n" \
    "Reply\nQuote\nreport\nQuote \nOriginally posted by \n View Post\n schrieb\n hat geschrieben\n\350\257\264\nLogin\nName *\nJoined\nLast edited\nedited \nMember\nLevel \nsenior writer\nimage.jpg\nhow the long sentence has eight words or more\n" \
    "news editor\ncontributor\n1 hour ago\n\n"
/* clang-format on */

static void note_names(struct outcomes *all, th_view text)
{
    const th_view line = tidy(text);
    bool is_label = false;
    note_view(all, th_author_name(line));
    note_view(all, th_author_in_line(line, &is_label));
    note_number(all, is_label);
    note_number(all, th_author_is_no_person(line));
    note_number(all, th_author_is_sentence(line));
    note_view(all, th_post_name_in(line));
    note_number(all, th_post_is_control(line));
    note_view(all, th_post_quoted(line));
    note_number(all, th_post_date_is_of_another(line));
}

/* clang-format off */
#define HEADLINE_WORDS \
    "Ropes and tea\nRopes\nTEA\n and \nThe harbour in winter\nA long headline about the storm of the year\n | \n - \n \342\200\223 \n \302\273 \n: \n :: \nMade News\nmade.example\nNews\nHome\nforum\n&amp;\n&#8217;\n&lt;\n\342\200\231\n'\n  \n\n,\n.\n!\n?\n1\n"
/* clang-format on */

static void note_headline(struct outcomes *all, th_view text)
{
    const th_view line = tidy(text);
    const size_t cut = line.len / 2;
    th_headline_sources sources = { .url = TH_VIEW(
                                        "http://www.made.example/ropes-and-tea") };
    th_view *const fields[] = { &sources.news,     &sources.article,  &sources.open_graph,
                                &sources.twitter,  &sources.title,    &sources.other,
                                &sources.sites[0], &sources.sites[1], &sources.h1[0],
                                &sources.h1[1] };
    sources.h1_count = below(all, 3);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const uint32_t kind = below(all, 6);
        if (i < 8 || i - 8 < sources.h1_count)
            *fields[i] = kind == 0   ? line
                         : kind == 1 ? part(line, 0, cut)
                         : kind == 2 ? part(line, cut, line.len)
                         : kind == 3 ? TH_VIEW("Ropes and tea")
                                     : *fields[i];
    }
    const char *from = NULL;
    if (th_utf8_valid(line.data, cut) == cut) {
        note_view(all, th_headline_choose(&sources, &from));
        note_text(all, from);
        note_number(all, (uint64_t)th_headline_same(part(line, 0, cut),
                                                    part(line, cut, line.len)));
    }
}

/* ---- markup ---- */

/* clang-format off */
#define MARKUP_WORDS \
    "&amp;\n&lt;\n&lt\n&copy\n&copy;\n&notit;\n&#65;\n&#x41;\n&#0;\n&#128;\n&#xD800;\n&#x110000;\n&\n&#\n&#x\n;\n \n\302\240\n\342\200\213\n\357\273\277\n&nbsp;\n&apos;\n&quot;\n&Aacute\n&CounterClockwiseContourIntegral;\n"   \
    "text\n=\n1\n&ampx\n&acE;\n&nvlt;\n&fjlig;\n\xf0\x9f\x98\x80\n\xed\xa0\x80\n\xf4\x90\x80\x80\n\xc0\x80\n\xe2\x80\n"
/* clang-format on */

static void note_references(struct outcomes *all, th_view text)
{
    char out[200];
    for (size_t i = 0; i < text.len; i++) {
        th_reference reference = { 0 };
        if (text.data[i] != '&')
            continue;
        const th_reference_result result = th_reference_read(
            text.data + i, text.data + text.len, below(all, 2), &reference);
        note_number(all, result);
        if (result == TH_REFERENCE_FOUND) {
            note_view(all, (th_view){ reference.bytes, reference.len });
            note_number(all, reference.used);
        }
    }
    for (unsigned how = 0; how < 2; how++) {
        const size_t len = th_tidy_text(text, how, out, below(all, sizeof out));
        note_view(all, (th_view){ out, len });
    }
    size_t sequences = 0;
    note_number(all, th_utf8_valid(text.data, text.len));
    note_number(all, th_utf8_survey(text.data, text.len, &sequences));
    note_number(all, sequences);
    th_buffer json = { 0 };
    th_json_escape(&json, text);
    note_view(all, th_buffer_view(&json));
    th_buffer_done(&json);
}

/* clang-format off */
#define CLASS_WORDS \
    "author\nbyline\ndate\npublished\nupdated\ncomment\nentry-title\nheadline\nname\nfn\nvcard\npost\nmeta\ntime\nmath\nkatex\ndisplay\ninline\nMathJax\nlatex\nhighlight\nline\nlinenos\nlineno\ncode\ncode-line\nblob-code\nhljs\nMJX-TeXAtom-ORD\n \n \n-\n_\n--\n__\n" \
    "tex\nmwe-math-fallback-image-inline\ncontributor\ncopyright\narticle\nnews\nheader\nsub\nCodeMirror-line\nview-lines\nltx_Math\nreact-code-text\nrelated\n"
/* clang-format on */

static void note_classes(struct outcomes *all, th_view text)
{
    note_number(all, th_class_roles(text));
    note_number(all, th_formula_class(text));
    note_number(all, (uint64_t)th_code_line_role(text));
    note_number(all, th_is_streamed_id(text));
    note_number(all, th_is_stream_place_id(text));
}

/* clang-format off */
#define TEX_WORDS \
    "$x^2$\n$\\alpha$\n$x$\n$$a$$\n\\(a\\)\n\\[b\\]\n\\begin{align}a&b\\end{align}\n\\begin{equation*}x\\end{equation*}\n$5\n$a b$\n$ab cd$\n$f(x)$\n$x_{i}\n}$\n$n$-th\n$10,000\n$3 to $\n$PATH\n$word and more words$\n$x = 1$\n$(a, b)$\n" \
    "$\n$\n$$\n\\(\n\\)\n\\[\n\\]\n\\frac{a}{b}\n\\alpha\nx\nx_1\n^2\n{\n}\n 5\n 10\nprice\n and \n=\n\\begin{align}\n\\end{align}\n\\begin{x}\n\\end{x}\n\\\\\n\\$\n%\n&\n\\text{a}\n`\n*\n+\n-\n(\n)\n, \n. \nUSD\n\\displaystyle\n\\ref{a}\n\303\251\n\\\nm\ncm\n10\nH\nth\nst\n"
/* clang-format on */

static void note_tex(struct outcomes *all, th_view text)
{
    th_tex_span span;
    for (size_t i = 0; i < text.len; i++)
        if ((text.data[i] == '$' || text.data[i] == '\\') &&
            th_tex_span_at(text, i, below(all, 2), &span)) {
            note_number(all, i);
            note_view(all, span.tex);
            note_number(all, span.end);
            note_number(all, span.is_display);
        }
    note_view(all, th_formula_tex(arena, text));
    note_number(all, th_formula_is_display(text));
    note_number(all, th_is_exponent(part(text, 0, text.len / 2),
                                    part(text, text.len / 2, text.len)));
}

/* clang-format off */
#define LINK_NOTE_WORDS \
    "#\n\302\266\n\302\247\n\xf0\x9f\x94\x97\nlink\nPermalink\n(opens in a new window)\n(opens new window)\nopens in a new tab\n(\n)\n \n[edit]\n[\n]\nedit\nexternal link\n\342\206\251\n\342\206\227\n\302\240\n\342\200\213\n\xef\x83\x81\nnew\ntab\nwindow\n"
/* clang-format on */

static void note_link_notes(struct outcomes *all, th_view text)
{
    const th_view line = tidy(text);
    note_number(all, th_is_permalink_sign(line, false));
    note_number(all, th_is_permalink_sign(line, true));
    note_number(all, th_is_link_note(line));
}

/* clang-format off */
#define STREAM_WORDS \
    "<div hidden id=\"S:1\">\n<div hidden id=\"S:2\">\n</div>\n<p>text\n<template id=\"B:1\"></template>\n<template id=\"B:2\">\n</template>\n<script>$RC(\"B:1\",\"S:1\")</script>\n<script>$RC(\"B:2\",\"S:2\")</script>\n<!--$?-->\n<!--/$-->\n" \
    "<script>$RS(\"S:1\",\"P:1\")</script>\n<template id=\"P:1\"></template>\n<div hidden id=\"S:1\">a</div>\n<script>\n</script>\n$RC(\n<!--$-->\n<!--$!-->\n<b>\n</b>\n"
/* clang-format on */

static void note_streamed(struct outcomes *all, th_view text)
{
    th_view out = { 0 };
    note_number(all, (uint64_t)th_streamed_settle(text, arena, &out));
    note_view(all, out);
}

/* ---- HTTP ---- */

/* clang-format off */
static const char *const head_lines[] = {
    "HTTP/1.1 200 OK\r\n", "HTTP/1.0 404\r\n", "HTTP/1.1 99 x\r\n", "HTTP/1.1 1000 x\n", "HTTP/2  301 \r\n",
    "Content-Type: text/html\r\n", "Content-Type: text/html; charset=utf-8\r\n", "content-type:TEXT/PLAIN;charset=\"x\"\r\n", "Content-Type: \r\n",
    "Content-Encoding: gzip\r\n", "Content-Encoding: br, zstd\r\n", "Content-Encoding: x-new, deflate\n", "Content-Encoding: identity, GZIP\r\n",
    "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: \"chunked\";x=1\r\n", "Content-Language: de, en\r\n", " folded; charset=koi8-r\r\n", "\tfolded\n",
    "no colon\r\n", ": no name\r\n", "Odd Name : x\r\n", "X:\r\n", "\r\n", "\n", "\r\r\n", "Content-Length: 5\r\n", "<p>", "HTTP/", "Content-Encoding: deflate,deflate,deflate,deflate,gzip,gzip,br,br,br\r\n",
    "X-Robots-Tag: noindex, bot: noai, nofollow\r\n", "x-robots-tag: unavailable_after: 2030-01-01, max-snippet: 20\r\n", "Link: <https://creativecommons.org/licenses/by/4.0/>; rel=license\r\n", "Link: </x>; rel=\"canonical license\", <y>; title=\"a, b\"; rel=license\r\n",
    "tdm-reservation: 1\r\n", "TDM-Policy: /policy.json\r\n", "Content-Usage: train-ai=n\r\n", "content-signal: search=yes\r\n", "Link: <z;rel=license\r\n",
};
/* clang-format on */

static void note_field(void *context, th_view name, th_view value)
{
    note_view(context, name);
    note_view(context, value);
}

static void note_http(struct outcomes *all, th_view text)
{
    th_buffer block = { 0 };
    for (uint32_t i = below(all, 9); i; i--)
        th_buffer_append_text(
            &block, head_lines[i == 8 || below(all, 9)
                                   ? below(all, sizeof head_lines / sizeof *head_lines)
                                   : 0]);
    th_buffer whole = { 0 };
    th_buffer_append_text(&whole, head_lines[below(all, 3)]);
    th_buffer_append_view(&whole, th_buffer_view(&block));
    if (below(all, 3))
        th_buffer_append_text(&whole, "\r\n");
    if (below(all, 8) == 0)
        th_buffer_append_view(&whole, text);
    th_http_head head = { 0 };
    const th_view bytes = th_buffer_view(&whole);
    const size_t max_head = below(all, 3) ? 4096 : below(all, 200);
    const th_status status = th_http_head_parse(bytes, max_head, below(all, 2), &head);
    note_number(all, (uint64_t)status);
    if (status == TH_OK) {
        note_number(all, (uint64_t)head.status);
        note_number(all, head.head_len);
        const th_view views[] = { head.content_type, head.media_type, head.charset,
                                  head.content_encoding, head.content_language };
        for (size_t i = 0; i < sizeof views / sizeof *views; i++)
            note_view(all, views[i]);
        note_number(all, head.coding_count);
        for (uint32_t i = 0; i < head.coding_count && i < TH_HTTP_MAX_CODINGS; i++)
            note_number(all, head.codings[i]);
        note_number(all, (unsigned)head.is_chunked | (unsigned)head.is_malformed << 1 |
                             (unsigned)head.is_coding_unknown << 2);
        th_http_head_fields(part(bytes, 0, head.head_len), note_field, all);
        th_rights rights = { .arena = arena };
        th_http_rights(part(bytes, 0, head.head_len), TH_VIEW("http://a.example/b/c"),
                       &rights);
        for (uint32_t i = 0; i < rights.count; i++) {
            note_text(all, rights.rows[i].signal);
            note_text(all, rights.rows[i].from);
            note_view(all, rights.rows[i].agent);
            note_view(all, rights.rows[i].value);
        }
    }
    th_buffer_done(&block);
    th_buffer_done(&whole);
}

/* clang-format off */
#define MEDIA_WORDS \
    "text/html\ntext/plain\nTEXT/HTML\napplication/xhtml+xml\napplication/octet-stream\n*/*\nunknown/unknown\nimage/png\ntext/xml\napplication/xml\ntext/markdown\n;\n;\n=\n charset=\ncharset\n\"\n'\nutf-8\nwindows-1252\nkoi8-r\nx-user-defined\nUTF8\nlatin1\n,\n \n/\n+xml\n" \
    "<!DOCTYPE html\n<html>\n<?xml version=\"1.0\"\n encoding=\"utf-8\"?>\n<svg>\n%PDF-\n\x1f\x8b\n\x89PNG\nGIF89a\n\xef\xbb\xbf\n\xff\xfe\n<meta charset=\n<meta http-equiv=content-type content=\"text/html; charset=\n>\n<!-- \n -->\n<body\n<p>\n<rss\n<a\n<TITLE>\nxmlns=\"http://www.w3.org/1999/xhtml\"\n{\n# title\n"
/* clang-format on */

/* The encoding that the start of a document declares. */
static void note_declared(struct outcomes *all, th_view text)
{
    const th_view start = part(text, 0, text.len < 1024 ? text.len : 1024);
    note_text(all, th_charset_name(th_meta_prescan(start)));
}

static void note_media(struct outcomes *all, th_view text)
{
    const size_t cut = text.len / 2;
    th_view media_type = { 0 }, charset = { 0 };
    bool is_sniffed = false;
    th_content_type_parse(part(text, 0, cut), &media_type, &charset);
    note_view(all, media_type);
    note_view(all, charset);
    const th_view payload = part(text, cut, text.len);
    note_number(all, th_media_type(media_type, payload, &is_sniffed));
    note_number(all, is_sniffed);
    note_number(all, th_media_is_plain_text(media_type, payload));
    note_view(all, th_media_type_of_document(media_type, payload));
    note_view(all, th_media_type_of_page(text));
    note_text(all,
              th_charset_name(th_charset_id_of_label(charset.data ? charset : payload)));
    note_declared(all, text);
    /* The same in UTF-16. */
    th_buffer wide = { 0 };
    const bool is_big = below(all, 2);
    for (size_t i = 0; i < payload.len; i++) {
        const char unit[2] = { is_big ? '\0' : payload.data[i],
                               is_big ? payload.data[i] : '\0' };
        th_buffer_append(&wide, unit, sizeof unit);
    }
    if (wide.len) {
        note_number(all, th_media_type(media_type, th_buffer_view(&wide), &is_sniffed));
        note_view(all, th_media_type_of_document(media_type, th_buffer_view(&wide)));
        note_view(all, th_media_type_of_page(th_buffer_view(&wide)));
        note_declared(all, th_buffer_view(&wide));
    }
    th_buffer_done(&wide);
}

/* ---- JSON ---- */

/* clang-format off */
#define JSON_WORDS \
    "{\n{\n}\n}\n[\n]\n,\n,\n:\n:\n\"a\"\n\"b\"\n\"\\u00e9\"\n\"\\ud83d\\ude00\"\n\"\\ud83d\"\n\"\\n\\t\\\"\"\n\"\\x\"\n\"\n\\\ntrue\nfalse\nnull\nnul\n0\n-1\n1.5e3\n01\n1.\n-\n1e\n \n\"a\":1\n\"a\":{\"b\":[1,2]}\n[[[\n]]]\n{\"a\":\"b\"}\n\xC3\xA9\n\"\xC3\xA9\"\n[]\n{}\n"
/* clang-format on */

static bool note_json_text(void *context, th_view text)
{
    note_view(context, text);
    return true;
}

static bool note_json_key(void *context, th_view text)
{
    note_number(context, 1);
    return note_json_text(context, text);
}

static bool note_json_open(void *context)
{
    note_number(context, 2);
    return true;
}

static bool note_json_array(void *context)
{
    note_number(context, 3);
    return true;
}

static bool note_json_close(void *context)
{
    note_number(context, 4);
    return below(context, 200) != 0;
}

static bool note_json_literal(void *context)
{
    note_number(context, 5);
    return true;
}

static void note_json(struct outcomes *all, th_view text)
{
    static const th_json_callbacks callbacks = { note_json_key,  note_json_text,
                                                 note_json_text, note_json_literal,
                                                 note_json_open, note_json_array,
                                                 note_json_close };
    note_number(all, (uint64_t)th_json_events(text, &callbacks, all));
    th_json_reader reader;
    th_json_reader_init(&reader, text);
    for (th_json_token token = TH_JSON_KEY;
         token != TH_JSON_DONE && token != TH_JSON_BAD;) {
        if (below(all, 9) == 0)
            note_number(all, th_json_skip(&reader));
        token = th_json_read(&reader);
        note_number(all, token);
        note_number(all, reader.depth);
        if (token == TH_JSON_KEY || token == TH_JSON_STRING) {
            char out[TEXT_MAX];
            size_t len = 0;
            const bool is_text = th_json_text(&reader, out, &len);
            note_view(all, is_text ? (th_view){ out, len } : (th_view){ 0 });
            note_number(all, th_json_text_is(&reader, "a"));
        }
    }
}

/* clang-format off */
#define RECORD_WORDS \
    "{\n}\n,\n,\n,\n:\n\"id\":\"a\"\n\"id\":\"<urn:uuid:1>\"\n\"id\":\"\\u0001\"\n\"id\":1\n\"url\":\"http://a.example/\"\n\"date\":\"2024-05-06T07:08:09Z\"\n\"schema\":\"thresher/1\"\n\"text\":\"words of it\"\n\"text\":\"\\\"q\\\"\"\n\"http\":{\"status\":404}\n\"http\":{\"status\":200}\n" \
    "\"digest\":{\"text\":\"0123456789abcdef0123456789ABCDEF\"}\n\"digest\":{\"text\":\"0123\"}\n\"digest\":{}\n\"template_known\":true\n\"digest\":{\"text\":\"0123456789abcdef0123456789abcdef\",\"distinct\":\"00000000000000000000000000000001\"}\n" \
    "\"minhash\":{\"preset\":\"modern\",\"scheme\":\"x\",\"seed\":1,\"w\":5,\"k\":2,\"bits\":64,\"tokenizer\":2,\"main\":\"00000000000000010000000000000002\"}\n\"minhash\":{\"w\":5,\"k\":2,\"bits\":32,\"text\":\"0000000100000002\",\"text_short\":true}\n\"minhash\":{\"bits\":0,\"text\":\"00\"}\n\"minhash\":{\"main\":\"\"}\n\"minhash\":1\n" \
    "{\"id\":\"b\",\n{\"id\":\"c\",\n\"x\":[1,{\"id\":\"no\"}]\n\"paragraphs\":[]\n}\n}\n"
/* clang-format on */

/* A line of some members, or of the random text. */
static th_view random_record(struct outcomes *all, th_view text, th_buffer *out)
{
    /* clang-format off */
    static const char *const members[] = {
        "\"id\":\"a\"", "\"id\":\"<urn:uuid:1>\"", "\"id\":\"\\u0001\"", "\"id\":1", "\"url\":\"http://a.example/\"", "\"url\":null", "\"date\":\"2024-05-06T07:08:09Z\"", "\"schema\":\"thresher/1\"", "\"text\":\"words of it\"", "\"text\":\"\\\"q\\u00e9\\\"\"",
        "\"http\":{\"status\":404}", "\"http\":{\"status\":200}", "\"http\":{\"status\":\"500\"}", "\"http\":[]", "\"digest\":{\"text\":\"0123456789abcdef0123456789ABCDEF\"}", "\"digest\":{\"text\":\"0123\"}", "\"digest\":{\"text\":\"0123456789abcdef0123456789abcdeg\"}", "\"digest\":{}", "\"template_known\":true", "\"template_known\":false",
        "\"digest\":{\"text\":\"0123456789abcdef0123456789abcdef\",\"distinct\":\"00000000000000000000000000000001\"}", "\"minhash\":{\"preset\":\"modern\",\"scheme\":\"x\",\"seed\":1,\"w\":5,\"k\":2,\"bits\":64,\"tokenizer\":2,\"main\":\"00000000000000010000000000000002\"}",
        "\"minhash\":{\"w\":5,\"k\":2,\"bits\":32,\"text\":\"0000000100000002\",\"text_short\":true}", "\"minhash\":{\"k\":4,\"bits\":16,\"page\":\"0001000200030004\",\"content\":\"0005000600070008\",\"page_short\":false}", "\"minhash\":{\"bits\":0,\"text\":\"00\"}", "\"minhash\":{\"k\":1,\"bits\":8,\"main\":\"0g\"}", "\"minhash\":{\"main\":\"\"}", "\"minhash\":{\"k\":2,\"bits\":32,\"main\":\"0000000100000002\",\"short\":[\"main\",\"page\",\"x\"]}", "\"minhash\":{\"short\":[\"content\",1]}", "\"minhash\":{\"short\":\"main\"}", "\"minhash\":1",
        "\"minhash\":{\"preset\":\"datatrove\",\"k\":2,\"bits\":64,\"full_text\":\"000000000000000a000000000000000b\",\"full_text_short\":true,\"segment\":\"0000000000000003\"}", "\"x\":[1,{\"id\":\"no\",\"minhash\":{\"k\":9}}]", "\"paragraphs\":[]", "\"id\":\"\"", "\"i\\u0064\":\"escaped\"",
    };
    /* clang-format on */
    if (below(all, 6) == 0)
        return text;
    th_buffer_append_text(out, "{");
    for (uint32_t i = 0, count = 1 + below(all, 8); i < count; i++)
        th_buffer_printf(out, "%s%s", i ? "," : "",
                         members[i == 0 && below(all, 5)
                                     ? 0
                                     : below(all, sizeof members / sizeof *members)]);
    th_buffer_append_text(out, below(all, 20) ? "}" : "");
    return th_buffer_view(out);
}

static void note_record(struct outcomes *all, th_view text)
{
    static th_record_line record;
    th_record_fault fault = TH_RECORD_NONE;
    th_buffer bytes = { 0 };
    const th_view line = random_record(all, text, &bytes);
    record.wants_text = below(all, 2);
    note_number(all, (uint64_t)th_record_line_read(&record, line, &fault));
    note_number(all, fault);
    note_text(all, th_record_fault_name(fault));
    if (fault == TH_RECORD_NONE) {
        const th_view views[] = { record.id, record.url, record.date, record.schema };
        for (size_t i = 0; i < sizeof views / sizeof *views; i++)
            note_view(all, views[i]);
        if (record.wants_text)
            note_view(all, record.text_of_page);
        note_number(all, (unsigned)record.knows_template |
                             (unsigned)record.has_digest << 1 |
                             (unsigned)record.is_error_page << 2);
        if (record.has_digest) {
            note_number(all, record.digest[0]);
            note_number(all, record.digest[1]);
        }
        note_text(all, record.params);
        note_number(all, record.short_texts);
        for (size_t i = 0; i < TH_SIGN_COUNT; i++) {
            uint64_t slots[512] = { 0 };
            note_view(all, record.signatures[i]);
            if (record.signatures[i].data && record.signatures[i].len <= 512)
                note_number(
                    all, th_slots_read(record.signatures[i], 1u << below(all, 4), slots));
            for (size_t k = 0; k < 32; k++)
                note_number(all, slots[k]);
        }
    }
    th_buffer_done(&bytes);
    if (below(all, 99) == 0)
        th_record_line_done(&record);
}

/* ---- places of records ---- */

/* clang-format off */
#define POINTER_WORDS \
    "{\n}\n,\n,\n:\n \n \n\"filename\":\"a.warc.gz\"\n\"warc_filename\":\"b/c.warc\"\n\"filename\":\"../x\"\n\"filename\":\"/x\"\n\"offset\":12\n\"offset\":\"34\"\n\"warc_offset\":99999999999999999999\n\"length\":56\n\"length\":\"x\"\n\"url\":\"http://a.example/\"\n\"offset\":-1\n\"offset\":1.5\n" \
    "com,example)/ 20260101000000 {\ncom,example)/ 20260101000000 http://a.example/ text/html 200 AAAA - - 5 6 a.warc.gz\nurl,warc_filename,warc_record_offset,warc_record_length\n\"url\",\"filename\",\"offset\"\n\"http://a.example/\",\"a.warc\",\"7\"\nhttp://a.example/,a.warc,8,9\n[[\"urlkey\",\"filename\",\"offset\",\"length\"],\n[\"a\",\"b.warc\",\"1\",\"2\"],\n[\"a\",\"b.warc\",\"1\",\"2\"]]\n CDX N b a m s k r M S V g\nx b u m 200 k - - 5 6 a.warc\n" \
    "a.warc.gz#12\na.warc#12,34\n#\n#5\n,6\n+7\na.warc.gz#1+2,3\ns3://b/k.warc#4\n{\"filename\":\"a\",\"offset\":0}\na.wacz\na.wacz#data/x.warc\n.wacz\nx.html\n.htm\n.xhtml\nhttps://a.example/x.warc.gz?sig=1#2\n"
/* clang-format on */

static void note_pointer(struct outcomes *all, th_view text)
{
    static th_pointer_columns columns;
    th_error err = { 0 };
    th_warc_pointer pointer = { 0 };
    const th_status status = th_warc_pointer_read(text, arena, &pointer, &err);
    note_status(all, status, &err);
    if (status == TH_OK) {
        note_view(all, pointer.file);
        note_number(all, pointer.offset);
        note_number(all, pointer.length);
        note_view(all, pointer.url);
    }
    const char *string = as_string(text);
    if (strchr(string, '\n') || below(all, 6) == 0) {
        columns = (th_pointer_columns){ 0 };
        string = *string ? string : "CDX N b a m s k r M S V g";
    }
    const char *name = NULL;
    bool is_pointer = false;
    const th_status read =
        th_pointer_line_read(string, &columns, arena, &name, &is_pointer, &err);
    note_status(all, read, &err);
    if (read == TH_OK) {
        note_number(all, is_pointer);
        note_text(all, is_pointer ? name : NULL);
        note_number(all, columns.rows);
        note_number(all, columns.file + columns.offset * 100 + columns.length * 10000);
    }
    th_archive_place place = { 0 };
    const bool is_place = th_archive_place_read(string, &place);
    note_number(all, is_place);
    if (is_place) {
        note_number(all, place.name_len);
        note_number(all, place.offset);
        note_number(all, place.skip);
        note_number(all, place.length);
    }
    note_number(all, th_archive_file_len(string));
    note_text(all, th_archive_place_hint(string));
    note_number(all, th_is_page_file(string));
}

/* clang-format off */
#define REMOTE_WORDS \
    "s3://\ns3://\nhttps://\nhttp://\nHTTPS://\nbucket\nMy_Bucket\nb.c-d\na..b\n/\n/\n/\nkey\nkey.warc.gz\n?\n?sig=1\n#2\nuser:pw@\nuser@\na.example\n:80\n:8080\n \n \n*\n%20\n\303\251\nab\n-a\n192.0.2.1\n..\nfolder/\n[::1]\n"
/* clang-format on */

static void note_remote_name(struct outcomes *all, th_view text)
{
    const char *name = as_string(text);
    th_remote_parts parts = { 0 };
    th_error err = { 0 };
    note_number(all, (unsigned)th_remote_is_name(name) |
                         (unsigned)th_remote_is_page(name) << 1 |
                         (unsigned)th_remote_is_prefix(name) << 2);
    const th_status status =
        th_remote_is_name(name) ? th_remote_name_parts(name, &parts, &err) : TH_END;
    note_status(all, status, &err);
    if (status == TH_OK) {
        note_view(all, parts.bucket);
        note_view(all, parts.key);
    }
    note_number(all, th_remote_name_shown(name));
    th_buffer out = { 0 };
    th_remote_encode(text, below(all, 2), &out);
    note_view(all, th_buffer_view(&out));
    th_buffer_done(&out);
    th_remote_prefixes prefixes = { 0 };
    const th_status read = th_remote_prefixes_read(name, &prefixes, &err);
    note_status(all, read, &err);
    if (read == TH_OK) {
        for (uint32_t i = 0; i < prefixes.count; i++)
            note_text(all, prefixes.all[i]);
        static const char *const names[] = {
            "s3://bucket/key", "https://a.example/folder/../x", "http://a.example:80/a",
            "s3://bucket/folder/key", "https://a.example/key?x=/"
        };
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            note_number(all, (uint64_t)th_remote_prefixes_find(&prefixes, names[i]));
        th_remote_prefixes_done(&prefixes);
    }
}

/* clang-format off */
#define CREDENTIAL_WORDS \
    "[default]\x1f\n[profile x]\x1f\n[x]\x1f\n[ x ]\x1f\naws_access_key_id=AKIA\x1f\naws_access_key_id = AKIB\x1f\naws_secret_access_key=secret\x1f\naws_session_token= token \x1f\n#comment\x1f\n;c\x1f\nother=1\x1f\n=\x1f\n[x\x1f\n \x1f\n" \
    "{\n}\n,\n\"AccessKeyId\":\"A\"\n\"SecretAccessKey\":\"S\"\n\"Token\":\"T\"\n\"Expiration\":\"2026-11-22T20:30:00Z\"\n\"Expiration\":\"2026-13-22T20:30:00Z\"\n\"Token\":1\n\"AccessKeyId\":\"\\u0001\"\n" \
    "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>\n<AccessKeyId>A</AccessKeyId>\n<SecretAccessKey>S</SecretAccessKey>\n<SessionToken>T</SessionToken>\n<Expiration>2026-11-22T20:30:00Z</Expiration>\n</Credentials>\n</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>\n"
/* clang-format on */

static void note_credentials_of(struct outcomes *all, const th_credentials *found)
{
    note_text(all, found->access_key);
    note_text(all, found->secret);
    note_text(all, found->token);
    note_number(all, (uint64_t)found->expires_at);
}

static void note_credentials(struct outcomes *all, th_view text)
{
    static const char *const parts[] = { "<AccessKeyId>A</AccessKeyId>",
                                         "<SecretAccessKey>S</SecretAccessKey>",
                                         "<SessionToken>T</SessionToken>",
                                         "<Expiration>2026-11-22T20:30:00Z</Expiration>",
                                         "<Expiration>soon</Expiration>",
                                         "<x/>",
                                         "<Credentials>",
                                         "<AccessKeyId/>" };
    static const char *const members[] = { "\"AccessKeyId\":\"A\"",
                                           "\"SecretAccessKey\":\"S\"",
                                           "\"Token\":\"T\"",
                                           "\"Expiration\":\"2026-11-22T20:30:00Z\"",
                                           "\"Expiration\":\"2026-02-30T20:30:00Z\"",
                                           "\"Token\":2",
                                           "\"x\":[{\"Token\":\"no\"}]",
                                           "\"AccessKeyId\":\"B\"" };
    th_buffer lines = { 0 }, json = { 0 }, xml = { 0 };
    th_buffer_append_view(&lines, text);
    for (size_t i = 0; i < lines.len; i++)
        if (lines.data[i] == '\x1f')
            lines.data[i] = '\n';
    FILE *file = lines.len ? fmemopen(lines.data, lines.len, "r") : NULL;
    if (file) {
        th_credentials found = { 0 };
        note_number(all, (uint64_t)th_credential_profile_read(
                             file, below(all, 2) ? "x" : "default", &found));
        note_credentials_of(all, &found);
        (void)fclose(file);
    }
    th_buffer_append_text(&json, "{");
    th_buffer_append_text(&xml, "<A><Credentials>");
    for (uint32_t i = 0, count = below(all, 7); i < count; i++) {
        const uint32_t which = below(all, 3) ? i % 4 : below(all, 8);
        th_buffer_printf(&json, "%s%s", i ? "," : "", members[which]);
        th_buffer_append_text(&xml, parts[which]);
    }
    th_buffer_append_text(&json, below(all, 9) ? "}" : "");
    th_buffer_append_text(&xml, below(all, 9) ? "</Credentials></A>" : "</A>");
    th_credentials of_json = { 0 }, of_xml = { 0 };
    note_number(all, th_credential_json_read(th_buffer_view(&json), &of_json));
    note_credentials_of(all, &of_json);
    const bool is_complete = th_credential_xml_read(th_buffer_view(&xml), &of_xml);
    note_number(all, is_complete);
    if (is_complete)
        note_credentials_of(all, &of_xml);
    char value[24] = "";
    note_number(all, th_credential_put(value, 1 + below(all, sizeof value), text));
    note_text(all, value);
    th_buffer_done(&lines);
    th_buffer_done(&json);
    th_buffer_done(&xml);
}

static th_status note_object(void *context, const char *name, uint64_t size,
                             th_error *err)
{
    (void)err;
    note_text(context, name);
    note_number(context, size);
    return below(context, 40) ? TH_OK : TH_INTERRUPTED;
}

static void note_listing(struct outcomes *all, th_view text)
{
    static const char *const parts[] = {
        "<Contents><Key>a.warc</Key><Size>5</Size></Contents>",
        "<Contents><Key>a%20b</Key><Size>6</Size></Contents>",
        "<Contents><Key>folder/</Key><Size>0</Size></Contents>",
        "<Contents><Key></Key><Size>1</Size></Contents>",
        "<Contents><Size>7</Size></Contents>",
        "<Contents><Key>x</Key><Size>-1</Size></Contents>",
        "<Contents><Key>y</Key></Contents>",
        "<IsTruncated>true</IsTruncated>",
        "<IsTruncated>false</IsTruncated>",
        "<NextContinuationToken>t1</NextContinuationToken>",
        "<NextContinuationToken/>",
        "<EncodingType>url</EncodingType>",
        "<CommonPrefixes><Prefix>p/</Prefix></CommonPrefixes>",
        "<Contents><Key>a&amp;b\303\251</Key><Size>99999999999999999999</Size>",
        "<x>",
        "<Name>bucket</Name>",
        "<NextContinuationToken>old</NextContinuationToken>",
    };
    th_buffer xml = { 0 };
    th_error err = { 0 };
    char token[TH_LISTING_TOKEN_MAX] = "";
    if (below(all, 2))
        memcpy(token, "old", 4);
    th_buffer_append_text(&xml, below(all, 12)
                                    ? "<?xml version=\"1.0\"?><ListBucketResult "
                                      "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                                    : "<!DOCTYPE x><ListBucketResult>");
    for (uint32_t i = below(all, 8); i; i--)
        th_buffer_append_text(&xml, parts[below(all, sizeof parts / sizeof *parts)]);
    if (below(all, 12) == 0)
        th_buffer_append_view(&xml, text);
    th_buffer_append_text(&xml, below(all, 20) ? "</ListBucketResult>" : "</Other>");
    note_number(all,
                (uint64_t)th_listing_page_read(th_buffer_view(&xml), TH_VIEW("bucket"),
                                               note_object, all, token, &err));
    note_text(all, token);
    th_buffer_done(&xml);
}

/* ---- rules ---- */

/* clang-format off */
#define ROBOTS_WORDS \
    "User-agent: *\x1f\nUser-agent: abot\x1f\nuser-agent : Abot/1.0 # x\x1f\nUser-agent: bbot\x1f\nDisallow: /\x1f\nDisallow: /a\x1f\nAllow: /a/b$\x1f\nAllow: /*.html\x1f\ndisallow:/b*c*\x1f\nDisallow:\x1f\nDisallow: *x\x1f\nSitemap: http://a.example/s\x1f\nContent-Usage: train-ai=n\x1f\nContent-Usage: /a search=y\x1f\nContent-Signal: ai-train=no\x1f\nLicense: http://a.example/l\x1f\n" \
    "Crawl-delay: 5\x1f\nAllow: /%7ea%2fb?x\x1f\nnot a rule\x1f\n\x1f\n: x\x1f\nDisallow /a\x1f\nDissallow: /c\x1f\n# comment\x1f\nallow: /a/\303\251\x1f\nDisallow: /a/b/c\x1f\n\xef\xbb\xbf\n"
/* clang-format on */

static void note_robots(struct outcomes *all, th_view text)
{
    static const char *const paths[] = { "/",           "/a",    "/a/b",
                                         "/a/b/c.html", "/bxcx", "/~a%2Fb?x=1",
                                         "/robots.txt", "/x" };
    th_buffer lines = { 0 }, reduced = { 0 }, rules = { 0 };
    th_buffer_append_view(&lines, text);
    for (size_t i = 0; i < lines.len; i++)
        if (lines.data[i] == '\x1f')
            lines.data[i] = below(all, 5) ? '\n' : '\r';
    note_number(all, th_robots_txt_reduce(th_buffer_view(&lines), &reduced));
    note_view(all, th_buffer_view(&reduced));
    note_number(all, th_robots_txt_select(th_buffer_view(&reduced),
                                          below(all, 3) ? TH_VIEW("abot") : TH_VIEW(""),
                                          &rules));
    note_view(all, th_buffer_view(&rules));
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        th_robots_match match = { 0 };
        th_robots_txt_match(th_buffer_view(&rules),
                            (th_view){ paths[i], strlen(paths[i]) }, &match);
        note_view(all, match.rule);
        note_number(all, match.is_disallowed);
        note_view(all, match.usage);
        note_view(all, match.signal);
    }
    th_buffer_done(&lines);
    th_buffer_done(&reduced);
    th_buffer_done(&rules);
}

/* clang-format off */
#define TDMREP_WORDS \
    "[\n]\n{\n},\n,\n}\n\"location\":\"/a\"\n\"location\":\"/b*\",\n\"tdm-reservation\":1\n\"tdm-reservation\":\"0\",\n\"tdm-policy\":\"http://a.example/p\"\n\"tdm-policy\":\"/p q\",\n[{\"location\":\"/\",\"tdm-reservation\":1},\n{\"location\":\"/c$\",\"tdm-reservation\":0,\"tdm-policy\":\"x\"},\n\"x\":[1],\n{\"location\":\"/d\",\"tdm-reservation\":true}]\n"
/* clang-format on */

static void note_tdmrep(struct outcomes *all, th_view text)
{
    th_buffer copy = { 0 }, out = { 0 };
    th_tdmrep_reduce(text, &copy, &out);
    note_view(all, th_buffer_view(&out));
    th_view rest = th_buffer_view(&out);
    th_tdmrep_rule rule;
    while (rest.len && th_tdmrep_next(&rest, &rule)) {
        note_view(all, rule.reservation);
        note_view(all, rule.location);
        note_view(all, rule.policy);
    }
    th_buffer_done(&copy);
    th_buffer_done(&out);
}

/* ---- languages ---- */

/* clang-format off */
#define LANGUAGE_WORDS \
    "en\nde\neng\ndeu\nger\narb\nzh\ncmn\nsr\nxx\nund\n_\n-\nLatn\nHant\nHans\nCyrl\nJpan\n-US\n_GB\nabc\n"
/* clang-format on */

static void note_languages(struct outcomes *all, th_view text)
{
    static const char *const samples[] = {
        "plain words",  "\xe7\x81\xaf\xe5\x8f\xb0", "\xe3\x81\xaf",
        "\xed\x95\x9c", "\xd0\xbc\xd0\xb0",         "\xd9\x82\xd8\xa8",
        "12 34",        "a\xd0\xbc\xd0\xb0"
    };
    const th_language_codes codes = th_language_codes_of(as_string(text));
    note_text(all, codes.tag);
    note_text(all, codes.iso);
    note_text(all, codes.script);
    const char *sample = samples[below(all, 8)];
    const char *script =
        th_language_script((th_view){ sample, strlen(sample) }, codes.tag);
    note_text(all, script);
    note_text(all, th_language_label(arena, codes.iso, script));
}

/* ---- all ---- */

/* clang-format off */
static const struct row {
    const char *name;
    void (*note)(struct outcomes *all, th_view text);
    const char *words;
    uint64_t digest;
} rows[] = {
    { "surt", note_surt, ADDRESS_WORDS, 0xCDDED994BD2B28EB },
    { "url", note_url, ADDRESS_WORDS, 0x2C64BF2B566F3BCC },
    { "robots_path", note_robots_path, ADDRESS_WORDS "*\n$\n", 0x7D803D1D3EF46A36 },
    { "site_name", note_site, ADDRESS_WORDS "x.github.io\nco.uk\nexample\n", 0x8676DD313174830E },
    { "public_address", note_public_address, "10\n.\n.\n.\n127\n192\n168\n0\n1\n::\n:\n2001\ndb8\nffff\nfe80\n64\nff9b\n2002\nfc00\n", 0xA572652D1F0DE826 },
    { "iso_date", note_iso_date, DATE_WORDS, 0x5A1FBADC5A3A1343 },
    { "date_words", note_date_words, DATE_WORDS, 0x47D1BAA3A4CCDBA3 },
    { "names", note_names, NAME_WORDS, 0x3F59C805517D6DA4 },
    { "headline", note_headline, HEADLINE_WORDS, 0x3324EFFD6D58E901 },
    { "references", note_references, MARKUP_WORDS, 0xE9CD617F689C65AA },
    { "classes", note_classes, CLASS_WORDS "S:\nB:\nP:\n", 0x1AFBCCA34181B4AA },
    { "tex", note_tex, TEX_WORDS, 0x658946604D8CD217 },
    { "link_notes", note_link_notes, LINK_NOTE_WORDS, 0x274EF48EC8A856BF },
    { "streamed", note_streamed, STREAM_WORDS, 0xFF5E45DD05A36CBD },
    { "http", note_http, MEDIA_WORDS, 0x68747BB3A44EB4F6 },
    { "media", note_media, MEDIA_WORDS, 0x83ED14EF514898F8 },
    { "json", note_json, JSON_WORDS, 0x90CDAB368514DDE4 },
    { "record", note_record, RECORD_WORDS, 0xE79FC45BC923A88A },
    { "pointer", note_pointer, POINTER_WORDS, 0x90452CD3CD6155F3 },
    { "remote_name", note_remote_name, REMOTE_WORDS, 0xCB95C26FC4982884 },
    { "credentials", note_credentials, CREDENTIAL_WORDS, 0x06D078A0D14B23DF },
    { "listing", note_listing, MARKUP_WORDS, 0x5CCE2002707132CF },
    { "robots", note_robots, ROBOTS_WORDS, 0x68F5FDC32884BF98 },
    { "tdmrep", note_tdmrep, TDMREP_WORDS, 0xF0426678F048C061 },
    { "languages", note_languages, LANGUAGE_WORDS, 0x0E350433031764FB },
};
/* clang-format on */

static void outcomes_of_random_texts_are_known(void **state)
{
    (void)state;
    unsigned changed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcomes all = { .chance = (uint32_t)i + 1 };
        th_buffer text = { 0 };
        for (unsigned k = 0; k < TEXTS; k++) {
            rows[i].note(&all, random_text(&all, rows[i].words, &text));
            th_arena_reset(arena);
        }
        th_buffer_done(&text);
        if (all.digest != rows[i].digest) {
            print_error("%s: the digest is 0x%016" PRIX64 "\n", rows[i].name, all.digest);
            changed++;
        }
    }
    assert_int_equal(changed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_of_random_texts_are_known),
    };
    arena = th_arena_new(0);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    th_arena_free(arena);
    return failed;
}
