/*
 * The families' words, and a table of their numbers. A word may be of two families. Words
 * are those met in the training corpora, in the languages met there.
 */
#include "content/class_family.h"

#include <pthread.h>
#include <string.h>

#include "page/class_word.h"

enum { SLOTS = 4096 }; /* seven times the words, so most other words find a free one */

#define FAMILY(name) (1u << (TH_FEATURE_FAMILY_##name - TH_FEATURE_FAMILY_CONTENT))

/* Words of a family, separated by spaces. */
static const struct {
    uint32_t family;
    const char *words;
} families[] = {
    { FAMILY(CONTENT),
      "content entry body text copy prose richtext rich wysiwyg markdown rte "
      "inhalt contenu contenido conteudo texte texto paragraph articlebody "
      "storytext bodytext richtextblock typography" },
    { FAMILY(MAIN), "main primary article story page maincontent hauptinhalt artikel "
                    "articulo principal single blogpost reader" },
    { FAMILY(NAV),
      "nav navigation menu navbar breadcrumb breadcrumbs submenu dropdown "
      "megamenu hamburger mainmenu topnav subnav navi menubar offcanvas drawer "
      "tabs tabbar sitemap quicklinks" },
    { FAMILY(HEADER),
      "header masthead banner topbar top head kopf entete cabecera branding "
      "logo" },
    { FAMILY(FOOTER),
      "footer foot copyright legal colophon bottom fuss disclaimer imprint "
      "siteinfo" },
    { FAMILY(SIDE), "sidebar aside side widget widgets rail rightcol leftcol secondary "
                    "complementary sidenav seitenleiste infobox panel column" },
    { FAMILY(COMMENT),
      "comment comments reply replies respond discussion disqus commentlist "
      "commentaire commentaires kommentar kommentare comentarios comentario "
      "livefyre feedback utterances" },
    { FAMILY(POST), "post posts thread threads message messages topic topics forum board "
                    "answer answers question questions postbody bbcode postcontent" },
    { FAMILY(RELATED),
      "related popular recommended recommendation recommendations more similar "
      "trending latest recent readmore outbrain taboola suggestions suggested "
      "mostread also upsell crosssell featured further" },
    { FAMILY(SHARE), "share sharing social follow facebook twitter linkedin pinterest "
                     "instagram whatsapp youtube addthis sharethis sharedaddy sns tweet "
                     "telegram reddit like likes" },
    { FAMILY(ADVERT), "ad ads advert adverts advertisement advertising promo promotion "
                      "promotions sponsor sponsored sponsors adsense dfp gpt banners "
                      "affiliate werbung anzeige publicite adslot commercial" },
    { FAMILY(NOTICE), "cookie cookies consent gdpr modal popup popin overlay lightbox "
                      "newsletter subscribe subscription signup login signin register "
                      "paywall notification notice alert toast onetrust optin dialog "
                      "announcement mailchimp account" },
    { FAMILY(BYLINE),
      "author authors byline date meta published publish time timestamp info "
      "autor auteur datum posted updated metadata avatar credit credits bio "
      "dateline postmeta" },
    { FAMILY(PRODUCT), "product products price prices cart shop basket woocommerce sku "
                       "checkout buy offer offers stock wishlist variant swatch shipping "
                       "quantity order shopify pdp produkt producto produit addtocart" },
    { FAMILY(REVIEW), "review reviews rating ratings testimonial testimonials stars star "
                      "score bewertung aggregate trustpilot yotpo quote" },
    { FAMILY(PAGING), "pagination pager paging next previous prev pages pagenav loadmore "
                      "paginate paginator pagenavi" },
    { FAMILY(SEARCH),
      "search filter filters sort facet facets sorting refine suche buscar "
      "recherche searchbox searchform select toolbar" },
    { FAMILY(CARD),
      "card cards item items tile tiles grid teaser teasers list listing loop "
      "thumb thumbnail thumbnails feed gallery collection results result row "
      "box boxes block summary excerpt" },
    { FAMILY(HERO),
      "hero jumbotron carousel slider slide slides slideshow swiper slick cover "
      "splash intro lead lede standfirst billboard kicker" },
    { FAMILY(TOC), "toc contents outline anchor tableofcontents scrollspy index "
                   "onthispage headings bookmark" },
    { FAMILY(HIDDEN),
      "hidden skip visually sr screen reader print noprint hide invisible "
      "offscreen screenreader visuallyhidden none mobile tooltip" },
    { FAMILY(DESCRIPTION),
      "description desc summary spec specs specification specifications "
      "detail details tab tabpanel accordion faq features feature "
      "overview about ingredients instructions recipe abstract howto "
      "collapse beschreibung descripcion attributes" },
    { FAMILY(TITLE), "title headline heading subtitle subheading name titre titulo titel "
                     "subhead heading1 eyebrow h1 h2 h3" },
    { FAMILY(BUTTON),
      "button btn cta link links action actions buttons icon icons badge tag "
      "tags label chip chips category categories pill download" },
};

/* Roles and their features. */
static const struct {
    const char *role;
    unsigned feature;
} roles[] = {
    { "main", TH_FEATURE_LEVEL_MAIN },
    { "article", TH_FEATURE_LEVEL_ARTICLE },
    { "region", TH_FEATURE_LEVEL_SECTION },
    { "navigation", TH_FEATURE_LEVEL_NAV },
    { "menu", TH_FEATURE_LEVEL_NAV },
    { "menubar", TH_FEATURE_LEVEL_NAV },
    { "banner", TH_FEATURE_LEVEL_HEADER },
    { "contentinfo", TH_FEATURE_LEVEL_FOOTER },
    { "complementary", TH_FEATURE_LEVEL_ASIDE },
    { "form", TH_FEATURE_LEVEL_FORM },
    { "search", TH_FEATURE_LEVEL_FORM },
    { "list", TH_FEATURE_LEVEL_LIST },
    { "dialog", TH_FEATURE_LEVEL_DIALOG },
    { "alertdialog", TH_FEATURE_LEVEL_DIALOG },
    { "alert", TH_FEATURE_LEVEL_DIALOG },
    { "tabpanel", TH_FEATURE_LEVEL_DETAILS },
    { "button", TH_FEATURE_LEVEL_LINK },
    { "tab", TH_FEATURE_LEVEL_LINK },
};

struct th_family_table {
    uint32_t words[SLOTS]; /* 0: free */
    uint32_t families[SLOTS];
    uint8_t features[SLOTS];
};

/* The slot of a word, or the free one where it belongs. */
static inline uint32_t find(const th_family_table *table, uint32_t word)
{
    uint32_t at = (word >> 2) % SLOTS;
    while (table->words[at] && table->words[at] != word)
        at = (at + 1) % SLOTS;
    return at;
}

static uint32_t add(th_family_table *table, uint32_t word)
{
    const uint32_t slot = find(table, word);
    table->words[slot] = word;
    return slot;
}

static void add_words(th_family_table *table, const char *words, uint32_t family)
{
    for (size_t len; *words; words += len + (words[len] == ' ')) {
        len = strcspn(words, " ");
        const th_view word = { words, len };
        table->families[add(table, th_word_number(word, TH_WORD_IN_CLASS))] |= family;
    }
}

static th_family_table the_table;

static void make_table(void)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        add_words(&the_table, families[i].words, families[i].family);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const th_view role = { roles[i].role, strlen(roles[i].role) };
        the_table.features[add(&the_table, th_word_number(role, TH_WORD_IN_ROLE))] =
            (uint8_t)roles[i].feature;
    }
}

const th_family_table *th_family_table_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_table);
    return &the_table;
}

/* An id and an item property mean what a class of that name does. */
th_set_stats th_set_facts_of(const th_family_table *table, const uint32_t *words,
                             uint32_t count)
{
    th_set_stats facts = { 0 };
    for (uint32_t i = 0; i < count; i++) {
        if ((words[i] & TH_WORD_PLACE) != TH_WORD_IN_ROLE) {
            const uint32_t slot = find(table, words[i] & ~(uint32_t)TH_WORD_PLACE);
            if (table->words[slot])
                facts.families |= table->families[slot];
            continue;
        }
        const unsigned level = table->features[find(table, words[i])];
        if (level)
            facts.levels |= 1u << (level - TH_FEATURE_LEVEL_MAIN);
    }
    return facts;
}
