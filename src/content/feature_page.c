/*
 * Computes the features of the page: all features for the model of page types, and the
 * features that every row repeats.
 */
#include <string.h>

#include "base/ascii.h"
#include "content/feature_work.h"

enum {
    VERY_LONG = 40, /* tokens of a row */
    OG_WEBSITE = 1,
    OG_OTHER = 2,
    OG_PRODUCT = 3,
    OG_ARTICLE = 4,
};

/* ---- sums over rows ----------------------------------------------------------------- */

/* Tokens by the elements around them. */
struct tokens_in {
    uint32_t items, cells, code, very_long, hidden;
    uint32_t main, nav, form, comment, post, product, card, toc, review, hero, byline;
    uint32_t prose_apart;
};

// NOLINTNEXTLINE(readability-function-cognitive-complexity): one sum per kind
static void sum_tokens(const th_feature_work *work, struct tokens_in *in)
{
    for (uint32_t i = 0; i < work->rows; i++) {
        const th_paragraph *row = &work->page->paragraphs[i];
        const uint32_t tokens = work->sums[i + 1].tokens - work->sums[i].tokens;
        const uint8_t *level = work->nodes[work->text_node_of[i]].level;
#define IS_IN(name) (level[TH_FEATURE_##name - TH_FEATURE_LEVEL_MAIN] != TH_UNKNOWN)
        in->items += row->kind == TH_PARAGRAPH_ITEM ? tokens : 0;
        in->cells += row->kind == TH_PARAGRAPH_CELL ? tokens : 0;
        in->code += row->kind == TH_PARAGRAPH_PRE ? tokens : 0;
        in->very_long += tokens >= VERY_LONG ? tokens : 0;
        in->hidden += row->is_hidden ? tokens : 0;
        in->main += IS_IN(LEVEL_MAIN) || IS_IN(LEVEL_ARTICLE) ? tokens : 0;
        in->nav += IS_IN(LEVEL_NAV) || IS_IN(LEVEL_HEADER) || IS_IN(LEVEL_FOOTER) ||
                           IS_IN(LEVEL_ASIDE)
                       ? tokens
                       : 0;
        in->form += IS_IN(LEVEL_FORM) ? tokens : 0;
        in->comment += IS_IN(FAMILY_COMMENT) ? tokens : 0;
        in->prose_apart +=
            IS_IN(FAMILY_COMMENT) ? 0 : work->sums[i + 1].prose - work->sums[i].prose;
        in->post += IS_IN(FAMILY_POST) ? tokens : 0;
        in->product += IS_IN(FAMILY_PRODUCT) ? tokens : 0;
        in->card += IS_IN(FAMILY_CARD) ? tokens : 0;
        in->toc += IS_IN(FAMILY_TOC) ? tokens : 0;
        in->review += IS_IN(FAMILY_REVIEW) ? tokens : 0;
        in->hero += IS_IN(FAMILY_HERO) ? tokens : 0;
        in->byline += IS_IN(FAMILY_BYLINE) ? tokens : 0;
#undef IS_IN
    }
}

static uint32_t count_rows_with(const th_feature_work *work, unsigned feature)
{
    const uint8_t *column = th_column(work, feature);
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->rows; i++)
        count += column[i] != 0;
    return count;
}

#define PUT(name, value) work->vector[TH_PAGE_FEATURE_##name] = (value)

static void write_text(th_feature_work *work)
{
    const th_row_sums *all = &work->sums[work->rows];
    struct tokens_in in = { 0 };
    uint32_t h1 = 0;
    sum_tokens(work, &in);
    for (uint32_t i = 0; i < work->rows; i++)
        h1 += work->page->paragraphs[i].level == 1;
    PUT(TOKENS, th_log(all->tokens));
    PUT(ROWS, th_log(work->rows));
    PUT(WORDS, th_log(work->rows ? all->tokens / work->rows : 0));
    PUT(LINKS, th_share(all->linked, all->tokens));
    PUT(P, th_share(all->in_p, all->tokens));
    PUT(ITEMS, th_share(in.items, all->tokens));
    PUT(CELLS, th_share(in.cells, all->tokens));
    PUT(CODE, th_share(in.code, all->tokens));
    PUT(HEADINGS, th_log(all->headings));
    PUT(H1, th_log(h1));
    PUT(LONG, th_share(all->long_rows, work->rows));
    PUT(VERY_LONG, th_share(in.very_long, all->tokens));
    PUT(HIDDEN, th_share(in.hidden, all->tokens));
    PUT(PRICES, th_log(count_rows_with(work, TH_FEATURE_PRICES)));
    PUT(DATES, th_log(count_rows_with(work, TH_FEATURE_DATES)));
    PUT(QUESTIONS, th_log(count_rows_with(work, TH_FEATURE_QUESTIONS)));
    PUT(TITLE_ROW, (uint8_t)work->title_words);
    PUT(IN_MAIN, th_share(in.main, all->tokens));
    PUT(IN_NAV, th_share(in.nav, all->tokens));
    PUT(IN_FORM, th_share(in.form, all->tokens));
    PUT(IN_COMMENT, th_share(in.comment, all->tokens));
    PUT(PROSE_APART, th_log(in.prose_apart));
    PUT(IN_POST, th_share(in.post, all->tokens));
    PUT(IN_PRODUCT, th_share(in.product, all->tokens));
    PUT(IN_CARD, th_share(in.card, all->tokens));
    PUT(IN_TOC, th_share(in.toc, all->tokens));
    PUT(IN_REVIEW, th_share(in.review, all->tokens));
    PUT(IN_HERO, th_share(in.hero, all->tokens));
    PUT(IN_BYLINE, th_share(in.byline, all->tokens));
}

/* ---- elements ----------------------------------------------------------------------- */

static void write_elements(th_feature_work *work)
{
    static const uint8_t counted[TH_TAG_COUNT] = {
        [TH_TAG_ARTICLE] = TH_PAGE_FEATURE_ARTICLES,
        [TH_TAG_SECTION] = TH_PAGE_FEATURE_SECTIONS,
        [TH_TAG_FORM] = TH_PAGE_FEATURE_FORMS,
        [TH_TAG_BUTTON] = TH_PAGE_FEATURE_BUTTONS,
        [TH_TAG_INPUT] = TH_PAGE_FEATURE_BUTTONS,
        [TH_TAG_IMG] = TH_PAGE_FEATURE_IMAGES,
        [TH_TAG_TABLE] = TH_PAGE_FEATURE_TABLES,
        [TH_TAG_VIDEO] = TH_PAGE_FEATURE_VIDEOS,
        [TH_TAG_IFRAME] = TH_PAGE_FEATURE_VIDEOS,
        [TH_TAG_TIME] = TH_PAGE_FEATURE_TIMES,
    };
    uint32_t counts[TH_PAGE_FEATURE_COUNT] = { 0 };
    for (uint32_t i = 0; i < work->page->node_count; i++)
        counts[counted[work->page->nodes[i].tag]]++;
    for (unsigned tag = 0; tag < TH_TAG_COUNT; tag++)
        if (counted[tag])
            work->vector[counted[tag]] = th_log(counts[counted[tag]]);
    uint32_t named = 0;
    for (uint32_t i = 0; i < work->node_count; i++)
        named += work->page->class_sets &&
                 work->page->class_sets[work->nodes[i].class_set].count;
    memset(th_column(work, TH_FEATURE_PAGE_HAS_CLASSES),
           th_share(named, work->node_count), work->rows);
}

/* Writes the group of at least three similar siblings that holds most text. */
static void write_group(th_feature_work *work)
{
    const th_similar_siblings *best = NULL;
    for (uint32_t i = 0; i < work->group_count; i++) {
        const th_similar_siblings *group = &work->groups[i];
        if (group->count >= 3 && (!best || group->sums.tokens > best->sums.tokens))
            best = group;
    }
    if (!best)
        return;
    for (uint32_t i = 0; i < work->node_count; i++)
        if (work->groups + work->nodes[i].group == best) {
            PUT(PROSE_BEFORE_GROUP, th_log(work->sums[work->nodes[i].first].prose));
            break;
        }
    PUT(GROUP_SIZE, th_log(best->count));
    PUT(GROUP_TOKENS, th_log(best->sums.tokens / best->count));
    PUT(GROUP_SHARE, th_share(best->sums.tokens, work->sums[work->rows].tokens));
    PUT(GROUP_LINKS, th_share(best->sums.linked, best->sums.tokens));
}

/*
 * ---- the page's own statements -------------------------------------------------------
 */

static bool has_word_of(th_view text, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        for (size_t at = 0; at + strlen(words[i]) <= text.len; at++)
            if (th_ascii_equal(text.data + at, words[i], strlen(words[i])))
                return true;
    return false;
}

static uint8_t og_kind(th_view type)
{
    type = th_ascii_trimmed(type);
    if (!type.len)
        return 0;
    if (th_ascii_starts_with(type, "article") || th_ascii_is(type, "blog") ||
        th_ascii_is(type, "newsarticle"))
        return OG_ARTICLE;
    if (th_ascii_starts_with(type, "product") || th_ascii_starts_with(type, "og:product"))
        return OG_PRODUCT;
    return th_ascii_is(type, "website") ? OG_WEBSITE : OG_OTHER;
}

static void write_hints(th_feature_work *work, const th_page_hints *hints)
{
    static const char *const blogs[] = { "wordpress", "blogger", "ghost",  "movable type",
                                         "typepad",   "hugo",    "jekyll", NULL };
    static const char *const forums[] = { "discourse",       "vbulletin", "phpbb",
                                          "xenforo",         "mybb",      "invision",
                                          "vanilla",         "flarum",    "smf",
                                          "simple machines", NULL };
    static const char *const docs[] = { "docusaurus", "sphinx",    "mkdocs",  "vuepress",
                                        "vitepress",  "gitbook",   "docfx",   "mediawiki",
                                        "doxygen",    "starlight", "javadoc", "pdoc",
                                        NULL };
    static const char *const shops[] = { "woocommerce", "shopify",  "magento",
                                         "prestashop",  "opencart", "shopware",
                                         NULL };
    const uint8_t og = og_kind(hints->og_type);
    PUT(OG_ARTICLE, og == OG_ARTICLE);
    PUT(OG_PRODUCT, og == OG_PRODUCT);
    PUT(OG_WEBSITE, og == OG_WEBSITE);
    memset(th_column(work, TH_FEATURE_PAGE_OG_TYPE), og, work->rows);
#define LD(name) PUT(LD_##name, hints->ld_types >> TH_LD_TYPE_BIT_##name & 1)
    LD(ARTICLE);
    LD(PRODUCT);
    LD(FORUM);
    LD(LIST);
    LD(TECH);
    LD(BUSINESS);
    LD(EVENT);
    LD(MEDIA);
    LD(FAQ);
    LD(RECIPE);
#undef LD
    PUT(LD_BODY, th_log((uint32_t)hints->body.len));
    PUT(GENERATOR_BLOG, has_word_of(hints->generator, blogs));
    PUT(GENERATOR_FORUM, has_word_of(hints->generator, forums));
    PUT(GENERATOR_DOCS, has_word_of(hints->generator, docs));
    PUT(GENERATOR_SHOP, has_word_of(hints->generator, shops));
}

/* ---- the site ------------------------------------------------------------------------ */

/*
 * Writes the features from the site's other pages. Unknown with fewer than two of these.
 */
static void write_site(const th_feature_work *work)
{
    enum { PAGES = 3 }; /* including the current page */
    uint8_t *pages = th_column(work, TH_FEATURE_SITE_PAGES);
    uint8_t *share = th_column(work, TH_FEATURE_SITE_SHARE);
    const th_page *page = work->page;
    if (!page->paragraph_pages || page->site_pages < PAGES) {
        memset(pages, TH_UNKNOWN, work->rows);
        memset(share, TH_UNKNOWN, work->rows);
        return;
    }
    for (uint32_t i = 0; i < work->rows; i++) {
        const uint32_t known = page->paragraph_pages[i];
        const uint32_t others = known ? known - 1 : 0;
        pages[i] = th_log(others);
        share[i] = (uint8_t)th_at_most(th_share(others, page->site_pages - 1), 254);
    }
}

void th_feature_page(th_feature_work *work)
{
    /* Columns of every row that are the page's. */
    static const uint8_t shared[][2] = {
        { TH_FEATURE_PAGE_TOKENS, TH_PAGE_FEATURE_TOKENS },
        { TH_FEATURE_PAGE_ROWS, TH_PAGE_FEATURE_ROWS },
        { TH_FEATURE_PAGE_LINKS, TH_PAGE_FEATURE_LINKS },
        { TH_FEATURE_PAGE_P, TH_PAGE_FEATURE_P },
        { TH_FEATURE_PAGE_ITEMS, TH_PAGE_FEATURE_ITEMS },
        { TH_FEATURE_PAGE_CODE, TH_PAGE_FEATURE_CODE },
        { TH_FEATURE_PAGE_LONG, TH_PAGE_FEATURE_LONG },
        { TH_FEATURE_PAGE_HIDDEN, TH_PAGE_FEATURE_HIDDEN },
        { TH_FEATURE_PAGE_ARTICLES, TH_PAGE_FEATURE_ARTICLES },
        { TH_FEATURE_PAGE_FORMS, TH_PAGE_FEATURE_FORMS },
        { TH_FEATURE_PAGE_BUTTONS, TH_PAGE_FEATURE_BUTTONS },
        { TH_FEATURE_PAGE_IMAGES, TH_PAGE_FEATURE_IMAGES },
        { TH_FEATURE_PAGE_PRICES, TH_PAGE_FEATURE_PRICES },
        { TH_FEATURE_PAGE_GROUP, TH_PAGE_FEATURE_GROUP_SHARE },
        { TH_FEATURE_PAGE_LD_ARTICLE, TH_PAGE_FEATURE_LD_ARTICLE },
        { TH_FEATURE_PAGE_LD_PRODUCT, TH_PAGE_FEATURE_LD_PRODUCT },
        { TH_FEATURE_PAGE_LD_FORUM, TH_PAGE_FEATURE_LD_FORUM },
        { TH_FEATURE_PAGE_LD_RECIPE, TH_PAGE_FEATURE_LD_RECIPE },
    };
    static const th_page_hints none = { .ld_types = 0 };
    const th_page_hints *hints = work->page->hints ? work->page->hints : &none;
    write_text(work);
    write_elements(work);
    write_group(work);
    write_hints(work, hints);
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        memset(th_column(work, shared[i][0]), work->vector[shared[i][1]], work->rows);
    write_site(work);
}
