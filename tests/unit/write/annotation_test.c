/* src/write/annotation.c: golden lines. Any bytes still result in one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "content/content_decision.h"
#include "json_line.h"
#include "sample_page.h"
#include "thresher/minhash.h"
#include "thresher/segmenter.h"
#include "write/annotation.h"
#include "write/format.h"

#define ID "<urn:uuid:00000000-0000-4000-8000-000000000001>"
#define START                                                                            \
    "{\"schema\":\"thresher/1\",\"id\":\"" ID "\",\"url\":\"http://a.example/page\","    \
    "\"date\":\"2024-05-06T07:08:09Z\","                                                 \
    "\"source\":{\"file\":\"a.warc.gz\",\"offset\":12,\"length\":345,"                   \
    "\"type\":\"response\"},"
#define CONTENT                                                                          \
    "\"text\":\"Gr\u00fc\u00dfe, K\u00f6ln\\nThe \\\"key\\\" is \U0001D11E, a\\\\b.\","
#define METHODS "\"segmenter\":\"bf-rulebased\",\"classifier\":\"num-words\","
#define COUNTS                                                                           \
    "\"counts\":{\"blocks\":4,\"segments\":3,\"tokens\":10,\"linked_tokens\":2,"         \
    "\"content_tokens\":7},\"main_segment\":1,"
#define NO_FLAGS "\"flags\":[]}\n"

static const uint64_t few_slots[] = { 0x0102030405060708u, 0xff };

static void with_nothing(sample_page *s)
{
    (void)s;
}

static void with_everything_known(sample_page *s)
{
    s->record.ip = TH_VIEW("192.0.2.1");
    s->record.truncated = TH_VIEW("length");
    s->record.payload_digest = TH_VIEW("sha1:AAAA");
    s->annotated.http = (th_http_facts){ .status = 200,
                                         .content_type = TH_VIEW("text/html; charset=x"),
                                         .encoding = TH_VIEW("gzip") };
    s->annotated.charset = (th_encoding){ "windows-1252", "http" };
    s->page.metadata = (th_metadata){
        .title = TH_VIEW("T"),
        .author = TH_VIEW("A"),
        .published = TH_VIEW("2024-01-02"),
        .description = TH_VIEW("D"),
        .canonical_url = TH_VIEW("http://a.example/"),
        .language = TH_VIEW("de-AT"),
        .site_name = TH_VIEW("S"),
    };
}

static void with_an_empty_page(sample_page *s)
{
    const th_position nowhere = { .offset = 0 };
    s->record = (th_record){ .kind = TH_RECORD_RESOURCE, .position = nowhere };
    s->page.text = TH_VIEW("");
    s->page.block_count = s->page.segment_count = s->page.link_count = 0;
    s->page.paragraph_count = s->page.box_count = 0;
    s->page.tokens_before[0] = s->page.linked_before[0] = 0;
    s->page.main_segment = TH_NONE;
    s->page.content_tokens = 0;
}

static void with_other_parameters(sample_page *s)
{
    s->opt.segmenter = "bf-plain";
    s->opt.theta_max = 0.123456;
    s->opt.profile = "2008";
    s->opt.w_max = 100;
    s->opt.classifier = "keep-all";
}

/* Explicit options with the default values. */
static void with_the_default_theta(sample_page *s)
{
    s->opt.theta_max = th_segmenter_of(&s->opt)->theta_max;
}

static void with_bottom_k_signatures(sample_page *s)
{
    s->page.minhash = th_minhash_find("paper");
    s->page.signatures[TH_SIGN_MAIN] = (th_signature){ few_slots, 2, 3, 0 };
    s->page.signatures[TH_SIGN_PAGE] = (th_signature){ few_slots, 1, 1, 1 };
    s->page.text_digest[0] = 0x0011223344556677u;
    s->page.text_digest[1] = 0x8899aabbccddeeffu;
    s->page.has_text_digest = 1;
}

static void with_flags_of_both(sample_page *s)
{
    s->record.flags = TH_FLAG_WARC_DAMAGED | TH_FLAG_CHARSET_GUESSED;
    s->page.flags = TH_FLAG_CHARSET_GUESSED | TH_FLAG_RECORD_TRUNCATED;
}

static void with_bad_bytes(sample_page *s)
{
    s->record.url = TH_VIEW("http://a.example/\xe9\0\"");
}

static void with_full_text_and_html(sample_page *s)
{
    s->opt.emit = TH_EMIT_FULL_TEXT | TH_EMIT_HTML;
    s->annotated.html = TH_VIEW("<p>\n");
}

static void with_blocks(sample_page *s)
{
    s->opt.emit = TH_EMIT_BLOCKS;
}

static void with_paragraphs(sample_page *s)
{
    s->opt.emit = TH_EMIT_PARAGRAPHS;
}

static void with_scores(sample_page *s)
{
    sample_page_learn(s);
    s->opt.emit = TH_EMIT_PARAGRAPHS;
    s->opt.classifier = "learned";
    s->opt.strictness = "wide";
    s->opt.comments = 1;
    s->opt.content_left_out = TH_CONTENT_STEP(LIKE) | TH_CONTENT_STEP(CUT);
}

static void with_links(sample_page *s)
{
    s->opt.emit = TH_EMIT_LINKS;
}

/* clang-format off */
static const struct row {
    const char *name;
    void (*with)(sample_page *s);
    const char *line;
} rows[] = {
    { "plain page", with_nothing, START CONTENT METHODS COUNTS NO_FLAGS },
    { "everything known", with_everything_known,
      "{\"schema\":\"thresher/1\",\"id\":\"" ID "\",\"url\":\"http://a.example/page\","
      "\"date\":\"2024-05-06T07:08:09Z\",\"source\":{\"file\":\"a.warc.gz\",\"offset\":12,"
      "\"length\":345,\"type\":\"response\",\"ip\":\"192.0.2.1\",\"truncated\":\"length\","
      "\"payload_digest\":\"sha1:AAAA\"},"
      "\"http\":{\"status\":200,\"content_type\":\"text/html; charset=x\","
      "\"charset\":\"windows-1252\",\"charset_from\":\"http\",\"encoding\":\"gzip\"},"
      "\"title\":\"T\",\"author\":\"A\",\"published\":\"2024-01-02\",\"description\":\"D\","
      "\"canonical_url\":\"http://a.example/\",\"language\":\"de-AT\",\"site_name\":\"S\","
      CONTENT METHODS COUNTS NO_FLAGS },
    { "empty page", with_an_empty_page,
      "{\"schema\":\"thresher/1\",\"source\":{\"offset\":0},\"text\":\"\"," METHODS
      "\"counts\":{\"blocks\":0,\"segments\":0,\"tokens\":0,\"linked_tokens\":0,"
      "\"content_tokens\":0}," NO_FLAGS },
    { "other parameters", with_other_parameters,
      START CONTENT "\"segmenter\":\"bf-plain theta_max=0.123456 profile=2008 w_max=100\","
      "\"classifier\":\"keep-all\"," COUNTS NO_FLAGS },
    { "default theta", with_the_default_theta, START CONTENT METHODS COUNTS NO_FLAGS },
    { "bottom-k signatures", with_bottom_k_signatures,
      START CONTENT METHODS COUNTS
      "\"digest\":{\"text\":\"00112233445566778899aabbccddeeff\"},"
      "\"minhash\":{\"preset\":\"paper\",\"scheme\":\"bottom-xxh3_64\",\"seed\":0,\"w\":6,"
      "\"k\":8,\"bits\":64,\"tokenizer\":1,\"main\":\"010203040506070800000000000000ff\","
      "\"page\":\"0102030405060708\",\"short\":[\"page\"]},"
      NO_FLAGS },
    { "flags of record and page", with_flags_of_both,
      START CONTENT METHODS COUNTS
      "\"flags\":[\"record_truncated\",\"warc_damaged\",\"charset_guessed\"]}\n" },
    { "bad bytes in the url", with_bad_bytes,
      "{\"schema\":\"thresher/1\",\"id\":\"" ID "\","
      "\"url\":\"http://a.example/\\\\xe9\\u0000\\\"\",\"date\":\"2024-05-06T07:08:09Z\","
      "\"source\":{\"file\":\"a.warc.gz\",\"offset\":12,\"length\":345,"
      "\"type\":\"response\"}," CONTENT METHODS COUNTS NO_FLAGS },
    { "full text and html", with_full_text_and_html,
      START CONTENT METHODS COUNTS
      "\"full_text\":\"Home News\\nGr\u00fc\u00dfe, K\u00f6ln\\nThe \\\"key\\\" is "
      "\U0001D11E, a\\\\b.\\n\u00a9 2024\",\"html\":\"<p>\\n\"," NO_FLAGS },
    { "blocks", with_blocks,
      START CONTENT METHODS COUNTS
      "\"blocks\":["
      "{\"start\":0,\"end\":9,\"byte_start\":0,\"byte_end\":9,\"segment\":0,"
      "\"paragraph\":0,"
      "\"label\":\"boilerplate\",\"tokens\":2,\"linked\":2,\"density\":2,"
      "\"path\":\"html/body/nav/a\"},"
      "{\"start\":10,\"end\":21,\"byte_start\":10,\"byte_end\":24,\"segment\":1,"
      "\"paragraph\":1,"
      "\"label\":\"content\",\"tokens\":2,\"linked\":0,\"density\":2,"
      "\"path\":\"html/body/*/h1\"},"
      "{\"start\":22,\"end\":42,\"byte_start\":25,\"byte_end\":48,\"segment\":1,"
      "\"paragraph\":2,"
      "\"label\":\"content\",\"tokens\":5,\"linked\":0,\"density\":2,"
      "\"path\":\"html/body/*/p\"},"
      "{\"start\":43,\"end\":49,\"byte_start\":49,\"byte_end\":56,\"segment\":2,"
      "\"paragraph\":3,"
      "\"label\":\"boilerplate\",\"tokens\":1,\"linked\":0,\"density\":1,"
      "\"path\":\"html/body\"}]," NO_FLAGS },
    { "paragraphs", with_paragraphs,
      START CONTENT METHODS COUNTS
      "\"paragraphs\":["
      "{\"kind\":\"item\",\"depth\":1,\"number\":7,\"start\":0,\"end\":9,"
      "\"byte_start\":0,\"byte_end\":9,\"label\":\"boilerplate\"},"
      "{\"kind\":\"heading\",\"level\":1,\"start\":10,\"end\":21,"
      "\"byte_start\":10,\"byte_end\":24,\"label\":\"content\"},"
      "{\"kind\":\"paragraph\",\"start\":22,\"end\":42,"
      "\"byte_start\":25,\"byte_end\":48,\"label\":\"content\"},"
      "{\"kind\":\"cell\",\"row\":2,\"column\":5,\"start\":43,\"end\":49,"
      "\"byte_start\":49,\"byte_end\":56,\"label\":\"boilerplate\"}]," NO_FLAGS },
    { "scores, a hidden paragraph, a comment", with_scores,
      START "\"page_type\":{\"name\":\"article\",\"score\":0.9155},\"quality\":0.9003," CONTENT
      "\"segmenter\":\"bf-rulebased\","
      "\"classifier\":\"learned strictness=wide comments without=like,cut\"," COUNTS
      "\"paragraphs\":["
      "{\"kind\":\"item\",\"depth\":1,\"number\":7,\"start\":0,\"end\":9,"
      "\"byte_start\":0,\"byte_end\":9,\"label\":\"boilerplate\",\"score\":0},"
      "{\"kind\":\"heading\",\"level\":1,\"start\":10,\"end\":21,"
      "\"byte_start\":10,\"byte_end\":24,\"label\":\"content\",\"score\":1},"
      "{\"kind\":\"paragraph\",\"start\":22,\"end\":42,"
      "\"byte_start\":25,\"byte_end\":48,\"hidden\":true,\"label\":\"content\","
      "\"score\":0.5},"
      "{\"kind\":\"cell\",\"row\":2,\"column\":5,\"start\":43,\"end\":49,"
      "\"byte_start\":49,\"byte_end\":56,\"label\":\"comment\",\"score\":0.2}]," NO_FLAGS },
    { "links", with_links,
      START CONTENT METHODS COUNTS
      "\"links\":[{\"url\":\"http://a.example/\",\"anchor\":\"Home\",\"block\":0,"
      "\"label\":\"boilerplate\",\"internal\":true},"
      "{\"url\":\"http://b.example/\",\"internal\":false,\"rel\":\"me\"}]," NO_FLAGS },
};
/* clang-format on */

static th_status write_all(const sample_page *s, th_buffer *out)
{
    const th_annotation_parts parts = { .emit = s->opt.emit };
    return th_annotation_write(&s->opt, &s->annotated, parts, out);
}

static void row_holds(void **state)
{
    const struct row *row = *state;
    sample_page s;
    sample_page_init(&s);
    row->with(&s);
    th_buffer out = { 0 };
    assert_int_equal(write_all(&s, &out), TH_OK);
    assert_true(json_line_is_valid(th_buffer_view(&out)));
    th_buffer_append_char(&out, '\0');
    assert_string_equal(out.data, row->line);
    th_buffer_done(&out);
    sample_page_done(&s);
}

/* Relations of the parts: offsets cut the words out of full_text. */
static void sample_offsets_fit(void **state)
{
    (void)state;
    sample_page s;
    sample_page_init(&s);
    assert_memory_equal(th_block_text(&s.page, 3).data, "\u00a9 2024", 7);
    assert_memory_equal(th_block_text(&s.page, 1).data, "Gr\u00fc\u00dfe, K\u00f6ln", 14);
    assert_int_equal(s.page.text.len, 56);
    sample_page_done(&s);
}

static void append_hex(th_buffer *text, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        th_buffer_printf(text, "%02x", bytes[i]);
}

static void segments_have_fingerprints(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "{\"number\":0,\"tokens\":2,\"linked\":2,\"density\":2,\"link_density\":1,"
        "\"label\":\"boilerplate\",\"fingerprint\":\"",
        "{\"number\":1,\"tokens\":7,\"linked\":0,\"density\":2.3333,\"link_density\":0,"
        "\"label\":\"content\",\"position\":\"middle\",\"inner\":\"top\",\"fingerprint\":"
        "\"",
        "{\"number\":2,\"tokens\":1,\"linked\":0,\"density\":1,\"link_density\":0,"
        "\"label\":\"boilerplate\",\"fingerprint\":\"",
    };
    sample_page s;
    sample_page_init(&s);
    s.opt.emit = TH_EMIT_SEGMENTS;
    th_buffer want = { 0 };
    th_buffer_append_text(&want, START CONTENT METHODS COUNTS "\"segments\":[");
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t fingerprint[TH_FINGERPRINT_LEN];
        assert_int_equal(th_template_fingerprint(&s.page, i, s.page.arena, fingerprint),
                         TH_OK);
        th_buffer_append_text(&want, heads[i]);
        append_hex(&want, fingerprint, sizeof fingerprint);
        th_buffer_append_text(&want, i < 2 ? "\"}," : "\"}]," NO_FLAGS);
    }
    th_buffer out = { 0 };
    assert_int_equal(write_all(&s, &out), TH_OK);
    th_buffer_append_char(&out, '\0');
    th_buffer_append_char(&want, '\0');
    assert_string_equal(out.data, want.data);
    th_buffer_done(&want);
    th_buffer_done(&out);
    sample_page_done(&s);
}

/* Signs with a preset with bands. The keys of the first text are written. */
static void bands_are_of_the_first_signed_text(void **state)
{
    (void)state;
    sample_page s;
    sample_page_init(&s);
    s.opt.bands = 1;
    const th_minhash_preset *preset = th_minhash_find("modern");
    th_minhash_signer *signer = NULL;
    assert_int_equal(th_minhash_signer_new(preset, &signer, NULL), TH_OK);
    s.page.minhash = preset;
    th_signature *main = &s.page.signatures[TH_SIGN_MAIN];
    th_signature *content = &s.page.signatures[TH_SIGN_CONTENT];
    assert_int_equal(th_minhash(signer, TH_VIEW("a b c d e f"), s.page.arena, main),
                     TH_OK);
    assert_int_equal(th_minhash(signer, TH_VIEW("g h i j k"), s.page.arena, content),
                     TH_OK);
    uint8_t keys[64 * TH_BAND_KEY_LEN];
    assert_in_range(preset->bands, 1, 64);
    th_minhash_bands(preset, main, keys);
    th_buffer want = { 0 };
    th_buffer_append_text(&want, "\"},\"bands\":[\"");
    for (uint32_t i = 0; i < preset->bands; i++) {
        append_hex(&want, keys + (size_t)i * TH_BAND_KEY_LEN, TH_BAND_KEY_LEN);
        th_buffer_append_text(&want, i + 1 < preset->bands ? "\",\"" : "\"],\"flags\"");
    }
    th_buffer out = { 0 };
    assert_int_equal(write_all(&s, &out), TH_OK);
    assert_true(json_line_is_valid(th_buffer_view(&out)));
    assert_non_null(memmem(out.data, out.len, want.data, want.len));

    *main = (th_signature){ .slots = NULL }; /* no keys of another text in its place */
    th_buffer_reset(&out);
    assert_int_equal(write_all(&s, &out), TH_OK);
    assert_non_null(memmem(out.data, out.len, "\"content\":\"", 11));
    assert_null(memmem(out.data, out.len, "\"bands\"", 7));

    s.opt.sign = 1u << TH_SIGN_CONTENT;
    th_buffer_reset(&out);
    assert_int_equal(write_all(&s, &out), TH_OK);
    assert_non_null(memmem(out.data, out.len, "\"bands\"", 7));
    th_minhash_signer_free(signer);
    th_buffer_done(&want);
    th_buffer_done(&out);
    sample_page_done(&s);
}

/* A record of its signatures alone, with the names and values of a whole record. */
static void signed_parts_are_a_record(void **state)
{
    (void)state;
    sample_page s;
    sample_page_init(&s);
    with_bottom_k_signatures(&s);
    th_buffer out = { 0 };
    assert_int_equal(th_annotation_signed(&s.annotated, &out), TH_OK);
    th_buffer_append_char(&out, '\0');
    assert_string_equal(
        out.data,
        "{\"schema\":\"thresher-band/1\",\"id\":\"" ID "\","
        "\"url\":\"http://a.example/page\",\"date\":\"2024-05-06T07:08:09Z\","
        "\"digest\":{\"text\":\"00112233445566778899aabbccddeeff\"},"
        "\"minhash\":{\"preset\":\"paper\",\"scheme\":\"bottom-xxh3_64\",\"seed\":0,"
        "\"w\":6,\"k\":8,\"bits\":64,\"tokenizer\":1,"
        "\"main\":\"010203040506070800000000000000ff\","
        "\"page\":\"0102030405060708\",\"short\":[\"page\"]}}\n");
    th_buffer_done(&out);
    sample_page_done(&s);
}

static void long_paths_keep_their_end(void **state)
{
    (void)state;
    enum { LEVELS = 100 };
    sample_page s;
    sample_page_init(&s);
    th_node nodes[LEVELS];
    for (uint32_t i = 0; i < LEVELS; i++)
        nodes[i] = (th_node){ .parent = i - 1, .tag = TH_TAG_BLOCKQUOTE };
    nodes[0].parent = TH_NONE;
    s.page.nodes = nodes;
    s.page.node_count = LEVELS;
    s.opt.emit = TH_EMIT_BLOCKS;
    s.blocks[0].node = 31; /* 32 levels: whole */
    s.blocks[1].node = 32; /* one too many */
    s.blocks[2].node = LEVELS - 1;
    s.blocks[3].node = 0;
    th_buffer path = { 0 };
    for (int i = 0; i < 32; i++)
        th_buffer_append_text(&path, i ? "/blockquote" : "blockquote");
    th_buffer_append_char(&path, '\0');
    th_buffer want = { 0 };
    th_buffer out = { 0 };
    assert_int_equal(write_all(&s, &out), TH_OK);
    assert_true(json_line_is_valid(th_buffer_view(&out)));
    static const char *const marks[] = { "", "**/", "**/" };
    const char *at = out.data;
    for (int i = 0; i < 3; i++) {
        th_buffer_reset(&want);
        th_buffer_printf(&want, "\"path\":\"%s%s\"}", marks[i], path.data);
        at = memmem(at, out.len - (size_t)(at - out.data), want.data, want.len);
        assert_non_null(at);
        at++;
    }
    assert_non_null(
        memmem(at, out.len - (size_t)(at - out.data), "\"path\":\"blockquote\"}", 20));
    th_buffer_done(&path);
    th_buffer_done(&want);
    th_buffer_done(&out);
    sample_page_done(&s);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* Random bytes, many of them special, in an exact copy. */
static th_view hostile_bytes(uint32_t *seed)
{
    static const unsigned char rich[] =
        "\"\\\n\r\0\x7f\xc3\xa9\xe2\x82\xac\xed\xa0\xf4\xff/<{}[],:u";
    const size_t len = next_random(seed) % 40;
    unsigned char *bytes = malloc(len ? len : 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++) {
        const uint32_t random = next_random(seed);
        if (random & 0x100)
            bytes[i] = (unsigned char)(random & 0xFF);
        else
            bytes[i] = rich[(random >> 9) % (sizeof rich - 1)];
    }
    return (th_view){ (const char *)bytes, len };
}

static void any_bytes_make_one_line(void **state)
{
    (void)state;
    uint32_t seed = 1;
    th_buffer out = { 0 };
    for (int round = 0; round < 2000; round++) {
        sample_page s;
        sample_page_init(&s);
        s.opt.emit = TH_EMIT_BLOCKS | TH_EMIT_LINKS | TH_EMIT_HTML;
        th_view *string;
        for (unsigned i = 0; (string = sample_page_string(&s, i)); i++)
            *string = hostile_bytes(&seed);
        th_buffer_reset(&out);
        assert_int_equal(write_all(&s, &out), TH_OK);
        assert_true(json_line_is_valid(th_buffer_view(&out)));
        th_buffer_reset(&out);
        assert_int_equal(th_reject_line(&s.annotated, &out), TH_OK);
        assert_true(json_line_is_valid(th_buffer_view(&out)));
        for (unsigned i = 0; (string = sample_page_string(&s, i)); i++)
            free((void *)string->data);
        sample_page_done(&s);
    }
    th_buffer_done(&out);
}

static void a_full_arena_costs_the_page(void **state)
{
    (void)state;
    sample_page s;
    sample_page_init(&s);
    th_arena_free(s.page.arena);
    s.page.arena = th_arena_new(1);
    assert_non_null(s.page.arena);
    th_buffer out = { 0 };
    th_buffer_append_text(&out, "before");
    assert_int_equal(write_all(&s, &out), TH_TOO_LARGE);
    assert_int_equal(out.len, 6);
    assert_false(out.has_failed);
    th_buffer_done(&out);
    sample_page_done(&s);
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    static struct CMUnitTest tests[ROWS + 7];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){ rows[i].name, row_holds, NULL, NULL, (void *)&rows[i] };
    const struct CMUnitTest properties[] = {
        cmocka_unit_test(sample_offsets_fit),
        cmocka_unit_test(segments_have_fingerprints),
        cmocka_unit_test(bands_are_of_the_first_signed_text),
        cmocka_unit_test(signed_parts_are_a_record),
        cmocka_unit_test(long_paths_keep_their_end),
        cmocka_unit_test(any_bytes_make_one_line),
        cmocka_unit_test(a_full_arena_costs_the_page),
    };
    memcpy(tests + ROWS, properties, sizeof properties);
    return cmocka_run_group_tests_name("annotation", tests, NULL, NULL);
}
