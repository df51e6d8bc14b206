/*
 * Selects one piece of content from the blocks that NumWords keeps: rules for news pages.
 * [K11 §4.4.3]
 *
 * - largest-content: the largest run of content. The paper says "the content block with
 *   most words". A block of its authors' program is a run, because it joins neighbouring
 *   content blocks before it looks for the largest. A literal implementation would return
 *   one paragraph (F1 .25 on l3s-gn1, where runs have .93 and the paper reports .96 for
 *   its two filters on the same kind of pages).
 * - main-content: the same, between the page's title and its comments.
 *
 * The maximum distance of neighbours is our choice. On l3s-gn1 any distance from 4 to 20
 * gives main-content .94 to .95. Other news and articles gain up to about 10, blogs and
 * shops beyond.
 *
 * The title is the first block that equals the TITLE, or the longest part of the TITLE
 * between separators, or several adjacent parts including that one. Comments begin at a
 * block that contains only a marker. The paper shows one marker ("User comments:") and
 * counts eleven. A marker does not count before some content has occurred, because many
 * articles begin with a link to their comments.
 */
#include <stdbool.h>
#include <string.h>

#include "base/unicode.h"
#include "select/num_words.h"

enum {
    MOST_PARTS = 16,     /* of a title; the last part has the rest */
    MARKER_TOKENS = 6,   /* a block of more is not a comments marker */
    MARKER_LETTERS = 15, /* in the longest marker */
    WORDS_BEFORE = 60,   /* content words before a marker counts */
    NEAR = 12,           /* maximum distance of content blocks of one run */
};

static const char *const comment_markers[] = {
    "comments",      "usercomments", "readercomments", "readerscomments",
    "yourcomments",  "addacomment",  "addyourcomment", "postacomment",
    "leaveacomment", "leaveareply",  "haveyoursay",
};

/* Reasons after NumWords' own: rules that remove content from it. */
enum { OUTSIDE_RUN = TH_NUM_WORDS_LEAF_COUNT, ABOVE_TITLE, BELOW_COMMENTS };

/* clang-format off */
static const th_reason largest_content_reasons[] = {
    TH_NUM_WORDS_LEAVES(TH_LEAF_REASON)
    [OUTSIDE_RUN] = { TH_BOILERPLATE, "content by num-words, but outside the largest run of content" },
    { 0, NULL },
};
static const th_reason main_content_reasons[] = {
    TH_NUM_WORDS_LEAVES(TH_LEAF_REASON)
    [OUTSIDE_RUN] = { TH_BOILERPLATE, "content by num-words, but outside the largest run between title and comments" },
    [ABOVE_TITLE] = { TH_BOILERPLATE, "content by num-words, but above the title" },
    [BELOW_COMMENTS] = { TH_BOILERPLATE, "content by num-words, but after the start of the comments" },
    { 0, NULL },
};
/* clang-format on */

/* Returns whether NumWords keeps the block: its reasons have the same index in both
 * tables. */
static bool is_content(const uint8_t *reason_of, uint32_t block)
{
    return main_content_reasons[reason_of[block]].label == TH_CONTENT;
}

/* A range of blocks; empty if end <= first. */
struct run {
    uint32_t first, end;
    uint64_t words;
};

static uint64_t content_words(const th_page *page, const uint8_t *reason_of)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < page->block_count; i++)
        words += is_content(reason_of, i) ? page->blocks[i].tokens : 0;
    return words;
}

/* ---- titles: compared only by letters and digits, in lower case */

/* Returns the next letter or digit, or 0 at the end. */
static uint32_t next_key(th_view text, size_t *at)
{
    while (*at < text.len) {
        const uint32_t c = th_utf8_next(text.data, at);
        if (th_is_alnum(c))
            return (uint32_t)u_tolower((UChar32)c);
    }
    return 0;
}

/* A title divided at its separators: "Headline | Section - Site". */
struct title {
    th_view text;
    size_t starts[MOST_PARTS]; /* of parts, in text */
    uint32_t keys[MOST_PARTS]; /* letters and digits in each, at least 1 */
    uint32_t part_count;
    uint32_t longest; /* keys of the longest part */
};

/* Returns whether a character separates parts: bars and arrows always, hyphens only
 * between spaces. */
static bool is_separator(uint32_t c, bool is_after_blank, bool is_before_blank)
{
    switch (c) {
    case '|':
    case ':':
    case '<':
    case '>':
    case 0x00AB: /* guillemets */
    case 0x00BB:
    case 0x00B7: /* middle dot */
    case 0x2022: /* bullet */
    case 0x2014: /* em dash */
    case 0x203A: /* angle quote */
        return true;
    case '-':
    case '/':
    case '~':
    case 0x2013: /* en dash */
        return is_after_blank && is_before_blank;
    default:
        return false;
    }
}

static void end_part(struct title *title, size_t start, uint32_t keys)
{
    if (keys == 0)
        return;
    if (title->part_count < MOST_PARTS) {
        title->starts[title->part_count] = start;
        title->keys[title->part_count] = keys;
        title->part_count++;
    } else {
        title->keys[MOST_PARTS - 1] += keys;
    }
    const uint32_t last = title->keys[title->part_count - 1];
    if (last > title->longest)
        title->longest = last;
}

static void cut_title(struct title *title, th_view text)
{
    *title = (struct title){ .text = text };
    size_t start = 0;
    uint32_t keys = 0;
    bool is_after_blank = true;
    for (size_t at = 0; at < text.len;) {
        const uint32_t c = th_utf8_next(text.data, &at);
        const bool is_before_blank = at == text.len || text.data[at] == ' ';
        if (is_separator(c, is_after_blank, is_before_blank)) {
            end_part(title, start, keys);
            start = at;
            keys = 0;
        }
        keys += th_is_alnum(c);
        is_after_blank = th_is_space(c);
    }
    end_part(title, start, keys);
}

/* Returns whether the text equals the title from this part to the end of this or a later
 * one. */
static bool is_title_from(const struct title *title, uint32_t part, th_view text)
{
    size_t at = 0, title_at = title->starts[part];
    uint32_t same = 0;
    uint32_t c = next_key(text, &at);
    for (; c && c == next_key(title->text, &title_at); same++)
        c = next_key(text, &at);
    if (c || same < title->longest)
        return false;
    uint32_t keys = 0;
    for (; part < title->part_count && keys < same; part++)
        keys += title->keys[part];
    return keys == same;
}

static bool is_title(const struct title *title, th_view text)
{
    for (uint32_t part = 0; part < title->part_count; part++) {
        if (is_title_from(title, part, text))
            return true;
    }
    return false;
}

/*
 * Returns the first block that is the title, or 0 if nothing precedes it. A block with
 * more than half of the content above it is not the title, because articles also end with
 * their own name, on links and in forms.
 */
static uint32_t title_block(const th_page *page, const uint8_t *reason_of)
{
    struct title title;
    cut_title(&title, th_page_title(page));
    uint64_t above = 0, below = content_words(page, reason_of);
    for (uint32_t i = 0; title.part_count && above <= below && i < page->block_count;
         i++) {
        if (page->blocks[i].tokens && is_title(&title, th_block_text(page, i)))
            return i;
        if (is_content(reason_of, i)) {
            above += page->blocks[i].tokens;
            below -= page->blocks[i].tokens;
        }
    }
    return 0;
}

/* ---- comments */

/* Returns whether the block's letters, in lower case, are a marker, like in "12
 * Comments:". */
static bool is_comment_marker(const th_page *page, uint32_t block)
{
    const uint32_t tokens = page->blocks[block].tokens;
    if (tokens == 0 || tokens > MARKER_TOKENS)
        return false;
    const th_view text = th_block_text(page, block);
    char letters[MARKER_LETTERS + 1];
    size_t count = 0;
    for (size_t at = 0; at < text.len;) {
        const uint32_t c = th_utf8_next(text.data, &at);
        if (!u_isalpha((UChar32)c))
            continue;
        if (c >= 0x80 || count == MARKER_LETTERS)
            return false;
        letters[count++] = (char)(c | 0x20);
    }
    letters[count] = '\0';
    for (size_t i = 0; i < sizeof comment_markers / sizeof *comment_markers; i++) {
        if (strcmp(letters, comment_markers[i]) == 0)
            return true;
    }
    return false;
}

/* Returns the block where comments begin after `first`, or the end of the page. */
static uint32_t comments_block(const th_page *page, const uint8_t *reason_of,
                               uint32_t first)
{
    uint64_t words = 0;
    for (uint32_t i = first; i < page->block_count; i++) {
        if (words >= WORDS_BEFORE && is_comment_marker(page, i))
            return i;
        words += is_content(reason_of, i) ? page->blocks[i].tokens : 0;
    }
    return page->block_count;
}

/* ---- runs */

/*
 * Returns the run of content with most words in [first, end), or the earlier one of a
 * tie. Content blocks are in one run if the next is at most NEAR blocks after the last.
 */
static struct run largest_run(const th_page *page, const uint8_t *reason_of,
                              uint32_t first, uint32_t end)
{
    struct run largest = { first, first, 0 };
    struct run run = largest;
    for (uint32_t i = first; i < end; i++) {
        if (!is_content(reason_of, i))
            continue;
        if (run.end == run.first || i - (run.end - 1) > NEAR)
            run = (struct run){ i, i, 0 };
        run.end = i + 1;
        run.words += page->blocks[i].tokens;
        if (run.words > largest.words)
            largest = run;
    }
    return largest;
}

/* Keeps NumWords' content between `first` and `end` that is in the largest run there. The
 * rest becomes boilerplate. */
static void keep_largest_run(const th_page *page, uint32_t first, uint32_t end,
                             uint8_t *reason_of)
{
    const struct run run = largest_run(page, reason_of, first, end);
    for (uint32_t i = 0; i < page->block_count; i++) {
        if (!is_content(reason_of, i) || (i >= run.first && i < run.end))
            continue;
        reason_of[i] = i < first ? ABOVE_TITLE : i >= end ? BELOW_COMMENTS : OUTSIDE_RUN;
    }
}

static th_status decide_largest_content(const th_page *page, const th_options *opt,
                                        th_arena *scratch, uint8_t *reason_of)
{
    const th_status status = th_num_words.decide(page, opt, scratch, reason_of);
    if (status == TH_OK)
        keep_largest_run(page, 0, page->block_count, reason_of);
    return status;
}

static th_status decide_main_content(const th_page *page, const th_options *opt,
                                     th_arena *scratch, uint8_t *reason_of)
{
    const th_status status = th_num_words.decide(page, opt, scratch, reason_of);
    if (status != TH_OK)
        return status;
    const uint32_t first = title_block(page, reason_of);
    const uint32_t end = comments_block(page, reason_of, first);
    keep_largest_run(page, first, end, reason_of);
    return TH_OK;
}

const th_classifier th_largest_content = {
    .name = "largest-content",
    .cites = "[K11 §4.4.3]",
    .help = "largest run of num-words blocks",
    .reasons = largest_content_reasons,
    .decide = decide_largest_content,
};

const th_classifier th_main_content = {
    .name = "main-content",
    .cites = "[K11 §4.4.3]",
    .help = "largest run of num-words blocks between title and comments",
    .reasons = main_content_reasons,
    .decide = decide_main_content,
};
