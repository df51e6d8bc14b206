/* The page of sample_page.h, in numbers. */
#include "sample_page.h"

#include <assert.h>
#include <string.h>

#include "thresher/minhash.h"
#include "write/record_field.h"

/* Umlauts, eszett and copyright sign take two bytes, the clef takes four. */
#define TEXT                                                                             \
    "Home News\nGr\u00fc\u00dfe, K\u00f6ln\nThe \"key\" is \U0001D11E, a\\b.\n\u00a9 "   \
    "2024"

static void fill_blocks(sample_page *s)
{
    /* clang-format off */
    const th_block blocks[] = {
        { .text_start = 0,  .text_len = 9,  .char_start = 0,  .char_len = 9,
          .tokens = 2, .linked_tokens = 2, .lines = 1, .last_line_tokens = 2, .node = 3 },
        { .text_start = 10, .text_len = 14, .char_start = 10, .char_len = 11,
          .tokens = 2, .lines = 1, .last_line_tokens = 2, .node = 5 },
        { .text_start = 25, .text_len = 23, .char_start = 22, .char_len = 20,
          .tokens = 5, .lines = 3, .last_line_tokens = 1, .node = 6 },
        { .text_start = 49, .text_len = 7,  .char_start = 43, .char_len = 6,
          .tokens = 1, .lines = 1, .last_line_tokens = 1, .node = 1 },
    };
    /* clang-format on */
    memcpy(s->blocks, blocks, sizeof blocks);
    for (unsigned i = 0; i < 4; i++) {
        s->tokens_before[i + 1] = s->tokens_before[i] + blocks[i].tokens;
        s->linked_before[i + 1] = s->linked_before[i] + blocks[i].linked_tokens;
        s->lines_before[i + 1] = s->lines_before[i] + blocks[i].lines;
    }
    /* A paragraph for each block. */
    static const uint8_t kinds[] = { TH_PARAGRAPH_ITEM, TH_PARAGRAPH_HEADING,
                                     TH_PARAGRAPH_PLAIN, TH_PARAGRAPH_CELL };
    for (unsigned i = 0; i < 4; i++) {
        const th_block *block = &s->blocks[i];
        s->blocks[i].paragraph = i;
        s->paragraphs[i] = (th_paragraph){ .first_block = i,
                                           .end_block = i + 1,
                                           .text_start = block->text_start,
                                           .text_len = block->text_len,
                                           .char_start = block->char_start,
                                           .char_len = block->char_len,
                                           .node = block->node,
                                           .box = TH_NONE,
                                           .kind = kinds[i],
                                           .level = i == 1 };
    }
    s->paragraphs[0].box = 1;
    s->paragraphs[3].box = 4;
    s->boxes[0] = (th_box){ .parent = TH_NONE, .kind = TH_BOX_ORDERED, .depth = 1 };
    s->boxes[1] = (th_box){ .item = 1, .number = 7, .kind = TH_BOX_ITEM, .depth = 1 };
    s->boxes[2] = (th_box){ .parent = TH_NONE, .kind = TH_BOX_TABLE };
    s->boxes[3] = (th_box){ .parent = 2, .kind = TH_BOX_ROW, .row = 3 };
    s->boxes[4] = (th_box){ .parent = 3,
                            .item = TH_NONE,
                            .kind = TH_BOX_CELL,
                            .row = 3,
                            .number = 2,
                            .column = 5 };
    s->page.paragraphs = s->paragraphs;
    s->page.paragraph_count = 4;
    s->page.boxes = s->boxes;
    s->page.box_count = 5;
    s->page.text = TH_VIEW(TEXT);
    s->page.text_chars = 49;
    s->page.blocks = s->blocks;
    s->page.block_count = 4;
    s->page.tokens_before = s->tokens_before;
    s->page.linked_before = s->linked_before;
    s->page.lines_before = s->lines_before;
}

static void fill_nodes(sample_page *s)
{
    const th_node nodes[] = {
        { .parent = TH_NONE, .tag = TH_TAG_HTML }, { .parent = 0, .tag = TH_TAG_BODY },
        { .parent = 1, .tag = TH_TAG_NAV },        { .parent = 2, .tag = TH_TAG_A },
        { .parent = 1, .tag = TH_TAG_OTHER },      { .parent = 4, .tag = TH_TAG_H1 },
        { .parent = 4, .tag = TH_TAG_P },
    };
    memcpy(s->nodes, nodes, sizeof nodes);
    s->page.nodes = s->nodes;
    s->page.node_count = sizeof nodes / sizeof *nodes;
}

static void fill_links(sample_page *s)
{
    const th_link links[] = {
        { .url = TH_VIEW("http://a.example/"),
          .anchor_len = 4,
          .block = 0,
          .is_internal = 1 },
        { .url = TH_VIEW("http://b.example/"), .rel = TH_VIEW("me"), .block = TH_NONE },
    };
    memcpy(s->links, links, sizeof links);
    s->page.links = s->links;
    s->page.link_count = 2;
}

static void fill_columns(sample_page *s)
{
    const uint32_t segment_of[] = { 0, 1, 1, 2 };
    const uint8_t label_of[] = { TH_BOILERPLATE, TH_CONTENT, TH_CONTENT, TH_BOILERPLATE };
    const th_segment segments[] = {
        { .first_block = 0,
          .block_count = 1,
          .tokens = 2,
          .linked_tokens = 2,
          .density = 2,
          .link_density = 1 },
        { .first_block = 1,
          .block_count = 2,
          .tokens = 7,
          .content_tokens = 7,
          .density = 7.0 / 3,
          .label = TH_CONTENT,
          .position = TH_POSITION_MIDDLE,
          .inner = TH_POSITION_TOP },
        { .first_block = 3, .block_count = 1, .tokens = 1, .density = 1 },
    };
    memcpy(s->segment_of, segment_of, sizeof segment_of);
    memcpy(s->label_of, label_of, sizeof label_of);
    memcpy(s->paragraph_label_of, label_of, sizeof label_of);
    memcpy(s->segments, segments, sizeof segments);
    s->page.segment_of = s->segment_of;
    s->page.label_of = s->label_of;
    s->page.paragraph_label_of = s->paragraph_label_of;
    s->page.segments = s->segments;
    s->page.segment_count = 3;
    s->page.main_segment = 1;
    s->page.content_tokens = 7;
}

void sample_page_init(sample_page *s)
{
    *s = (sample_page){ 0 };
    th_options_init(&s->opt);
    s->opt.classifier = "num-words";
    s->opt.minhash = "none";
    s->record = (th_record){
        .kind = TH_RECORD_RESPONSE,
        .type = TH_VIEW("response"),
        .url = TH_VIEW("http://a.example/page"),
        .id = TH_VIEW("<urn:uuid:00000000-0000-4000-8000-000000000001>"),
        .date = TH_VIEW("2024-05-06T07:08:09Z"),
        .position = { .file = TH_VIEW("a.warc.gz"), .offset = 12, .length = 345 },
    };
    s->page.arena = th_arena_new(0);
    assert(s->page.arena);
    fill_blocks(s);
    fill_nodes(s);
    fill_links(s);
    fill_columns(s);
    s->annotated = (th_annotated){
        .record = &s->record, .status = TH_OK, .detail = "", .page = &s->page
    };
}

void sample_page_learn(sample_page *s)
{
    const uint16_t score_of[] = { 0, 65535, 32768, 13107 };
    memcpy(s->score_of, score_of, sizeof score_of);
    s->is_comment[3] = 1;
    s->paragraphs[2].is_hidden = 1;
    s->learned = (th_learned){ .score_of = s->score_of,
                               .is_comment = s->is_comment,
                               .page_type = "article",
                               .page_type_score = 60000,
                               .cut = 20000,
                               .quality = 59000 };
    s->page.learned = &s->learned;
}

/* The second paragraph is a post, the last a comment. */
static void fill_thread(sample_page *s)
{
    const th_post post = { .node = 5,
                           .text_node = 5,
                           .first_paragraph = 1,
                           .end_paragraph = 2,
                           .author = TH_VIEW("Paul Poster"),
                           .published = TH_VIEW("2023-12-31"),
                           .quote_of = TH_VIEW("Quentin"),
                           .votes = -3,
                           .depth = 2,
                           .has_votes = 1,
                           .is_accepted = 1 };
    s->posts[0] = s->posts[1] = post;
    s->posts[1].first_paragraph = 3;
    s->posts[1].end_paragraph = 4;
    s->posts[1].is_comment = 1;
    for (unsigned i = 0; i < 4; i++) {
        s->post_of[i] = i == 1 ? 0 : i == 3 ? 1 : TH_NONE;
        s->part_of[i] = i % 2 ? TH_POST_TEXT : TH_POST_NO_PART;
    }
    s->thread = (th_thread){ .found_by = "general",
                             .posts = s->posts,
                             .count = 2,
                             .post_of = s->post_of,
                             .part_of = s->part_of };
    s->page.thread = &s->thread;
}

/* Sets the texts that are members of the record and its page to the table's examples. */
static void fill_from_examples(sample_page *s)
{
    char *const objects[TH_RECORD_OBJECTS] = { [TH_IN_RECORD] = (char *)&s->record,
                                               [TH_IN_ANNOTATED] = (char *)&s->annotated,
                                               [TH_IN_PAGE] = (char *)&s->page };
    for (uint32_t i = 0; i < th_record_field_count; i++) {
        const th_record_field *field = &th_record_fields[i];
        if (field->type != TH_MEMBER_VIEW || !objects[field->object] || !field->example ||
            strchr(field->example, '\\'))
            continue;
        const th_view text = { field->example + 1, strlen(field->example) - 2 };
        memcpy(objects[field->object] + field->offset, &text, sizeof text);
    }
}

/* A text of static data. */
#define STRING(text)                                                                     \
    {                                                                                    \
        text, sizeof text - 1                                                            \
    }

static void fill_structured(sample_page *s)
{
    static const th_statement statements[TH_STRUCTURED_LISTS][2] = {
        [TH_STRUCTURED_JSON_LD] = { { .value = STRING("{\"@type\":\"Thing\"}") } },
        [TH_STRUCTURED_MICRODATA] = { { .item = STRING("_:0"),
                                        .property = STRING("name"),
                                        .value = STRING("A thing") },
                                      { .item = STRING("_:0"),
                                        .property = STRING("name"),
                                        .ref = STRING("_:1") } },
        [TH_STRUCTURED_RDFA] = { { .item = STRING("http://rdfa.example/it"),
                                   .property = STRING("http://schema.org/name"),
                                   .value = STRING("A person") },
                                 { .item = STRING("http://rdfa.example/it"),
                                   .property = STRING("http://schema.org/name"),
                                   .ref = STRING("_:2") } },
        [TH_STRUCTURED_OPENGRAPH] = { { .property = STRING("og:title"),
                                        .value = STRING("An open graph") } },
        [TH_STRUCTURED_TWITTER] = { { .property = STRING("twitter:card"),
                                      .value = STRING("summary") } },
        [TH_STRUCTURED_FEEDS] = { { .property = STRING("application/rss+xml"),
                                    .value = STRING("A feed"),
                                    .ref = STRING("http://a.example/feed") } },
        [TH_STRUCTURED_ALTERNATES] = { { .property = STRING("pt-BR"),
                                         .ref = STRING("http://a.example/de") } },
        [TH_STRUCTURED_TAGS] = { { .value = STRING("greetings") } },
    };
    memcpy(s->statements, statements, sizeof statements);
    for (unsigned list = 0; list < TH_STRUCTURED_LISTS; list++) {
        s->structured.rows[list] = s->statements[list];
        s->structured.counts[list] = 1 + (s->statements[list][1].item.data != NULL);
    }
    s->structured.section = TH_VIEW("Culture");
    s->structured.image = TH_VIEW("http://a.example/image");
    s->page.structured = &s->structured;
}

void sample_page_fill(sample_page *s)
{
    static const uint64_t slots[128] = { 1, 2, 3 };
    static const char *language_of[4] = { NULL, "de", "en", NULL };
    static const th_quality_signals signals = {
        .words = 10,
        .plain_words = 9,
        .mean_word_length = 4.5,
        .lines = 3,
        .stop_words = 2,
        .has_stop_words = 1,
        .top_ngrams = { .5, .25, 1.0 / 3 },
        .has_curly_bracket = 1,
    };
    static const th_languages languages = {
        .of = { { "gsw", "gsw-iso", 566, 76 }, { "kha", "kha-iso", 1198, 24 } },
        .count = 2,
        .bytes = 321,
        .is_sure = 1,
        .has_shares = 1,
    };
    static const th_second_language second = { "bar_Latn", "bar-iso", .8125,
                                               77,         "Cyrl",    "bar" };
    static th_paragraph_language paragraph_languages[] = { { 1, 1, 1, "fur_Hebr",
                                                             .4321 } };
    static th_language_share shares[] = { { "vec_Hebr", .6543 }, { "und", .3457 } };
    static const th_languages crawl = {
        .of = { { "lb", "ltz", 543, 61 }, { "nl", "nld", 1021, 33 } },
        .count = 2,
        .bytes = 432,
        .is_sure = 1,
        .has_shares = 1,
    };
    fill_from_examples(s);
    s->record.position.partition = 3;
    s->record.position.skip = 6;
    s->record.flags = TH_FLAG_WARC_DAMAGED;
    s->annotated.http.status = 200;
    s->annotated.charset = (th_encoding){ "windows-1252", "detected" };
    s->opt.minhash = "modern";
    s->opt.sign = 1u << TH_SIGN_MAIN | 1u << TH_SIGN_CONTENT | 1u << TH_SIGN_PAGE;
    s->opt.bands = 1;
    s->opt.emit = TH_EMIT_FULL_TEXT | TH_EMIT_RIGHTS | TH_EMIT_STRUCTURED |
                  TH_EMIT_SEGMENTS | TH_EMIT_BLOCKS | TH_EMIT_LINKS | TH_EMIT_HTML |
                  TH_EMIT_PARAGRAPHS | TH_EMIT_LANGUAGES | TH_EMIT_SIGNALS |
                  TH_EMIT_POSTS | TH_EMIT_PARAGRAPH_LANGUAGES;
    s->page.minhash = th_minhash_find(s->opt.minhash);
    for (unsigned i = 0; i < TH_SIGN_COUNT; i++)
        s->page.signatures[i] = (th_signature){ slots, 128, 3, i == TH_SIGN_CONTENT };
    s->page.text_digest[0] = 0x0011223344556677u;
    s->page.has_text_digest = 1;
    sample_page_learn(s);
    s->strict_label_of[1] = s->wide_label_of[1] = s->wide_label_of[2] = TH_CONTENT;
    s->learned.other_count = 2;
    s->learned.others[0] = (th_strictness_labels){ "strict", s->strict_label_of };
    s->learned.others[1] = (th_strictness_labels){ "wide", s->wide_label_of };
    fill_thread(s);
    s->rights[0] = (th_right){ .signal = "robots",
                               .from = "microdata",
                               .agent = TH_VIEW("examplebot"),
                               .value = TH_VIEW("noindex, noai"),
                               .of = TH_VIEW("ImageObject") };
    s->page.rights = s->rights;
    s->page.right_count = 1;
    fill_structured(s);
    s->page.languages = &languages;
    s->page.second_language = &second;
    s->page.crawl_languages = &crawl;
    s->page.crawl_agreement = TH_OTHER_LANGUAGE;
    s->page.language_of = language_of;
    s->page.paragraph_languages = paragraph_languages;
    s->page.paragraph_language_count = 1;
    s->page.language_shares = shares;
    s->page.language_share_count = 2;
    s->page.signals = &signals;
    s->opt.fasttext = (const void *)s; /* only compared with NULL */
    s->opt.redact = TH_REDACT_EMAIL | TH_REDACT_IP | TH_REDACT_PHONE;
    s->page.redacted[TH_REDACT_BIT_EMAIL] = 1;
    s->page.redacted[TH_REDACT_BIT_PHONE] = 2;
    s->page.site_pages = 54321;
    s->page.knows_template = 1;
    s->page.paragraph_pages = s->paragraph_pages;
    s->page.paragraph_recurs = s->paragraph_recurs;
    for (uint32_t i = 0; i < s->page.paragraph_count; i++) {
        s->paragraph_pages[i] = i + 1;
        s->paragraph_recurs[i] = 1;
    }
    s->page.segment_pages = s->segment_pages;
    s->page.segment_recurs = s->segment_recurs;
    for (uint32_t i = 0; i < s->page.segment_count; i++) {
        s->segment_pages[i] = i + 1;
        s->segment_recurs[i] = 1;
    }
}

void sample_page_done(sample_page *s)
{
    th_arena_free(s->page.arena);
}

th_view *sample_page_string(sample_page *s, unsigned number)
{
    th_view *const strings[] = {
        &s->record.type,
        &s->record.url,
        &s->record.id,
        &s->record.date,
        &s->record.ip,
        &s->record.truncated,
        &s->record.payload_digest,
        &s->record.position.file,
        &s->annotated.http.content_type,
        &s->annotated.http.encoding,
        &s->annotated.html,
        &s->page.metadata.title,
        &s->page.metadata.page_title,
        &s->page.metadata.author,
        &s->page.metadata.published,
        &s->page.metadata.modified,
        &s->page.metadata.description,
        &s->page.metadata.canonical_url,
        &s->page.metadata.language,
        &s->page.metadata.site_name,
        &s->links[0].url,
        &s->links[1].rel,
        NULL,
    };
    enum { LAST = sizeof strings / sizeof strings[0] - 1 };
    return strings[number < LAST ? number : LAST];
}
