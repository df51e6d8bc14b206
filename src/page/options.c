/* Defaults of a page's options, and the names of their values that no stage owns. */
#include "thresher/options.h"

#include <string.h>

#include "page/option_limits.h"
#include "page/options_size.h"
#include "thresher/page.h"

const char *const th_sites_rules[] = { "off", "signatures", "labels", NULL };

const char *const th_text_formats[] = { "plain", "markdown", "html", NULL };

const char *const th_text_titles[] = { "auto", "yes", "no", NULL };

const char *const th_language_detectors[] = { "auto", "cld2", "fasttext", "none", NULL };

const char *const th_emit_names[] = { "full_text", "segments",   "blocks",
                                      "links",     "html",       "paragraphs",
                                      "languages", "signals",    "posts",
                                      "rights",    "structured", "paragraph_languages",
                                      NULL };

const char *const th_redact_names[] = { "email", "ip", "phone", NULL };

/* The size of the first released struct. */
enum { FIRST_SIZE = offsetof(th_options, emit) + sizeof(((th_options *)0)->emit) };

static th_options defaults(void)
{
    return (th_options){
        .size = sizeof(th_options),
#define STANDARD(field, name, low, standard, high) .field = TH_STANDARD_##field,
        TH_OPTION_LIMITS(STANDARD)
#undef STANDARD
            .segmenter = "bf-rulebased",
        .profile = "html5",
        .theta_max = TH_THETA_MAX_OWN,
        .classifier = "learned",
        .main_segment = "weighed",
        .minhash = "modern",
        .text_format = "plain",
        .strictness = "balanced",
        .language_detector = "auto",
        .sites_rule = "labels",
        .text_title = "auto",
        .sign = 1u << TH_SIGN_MAIN | 1u << TH_SIGN_CONTENT,
    };
}

const char *th_text_format_named(th_view name)
{
    for (size_t i = 0; th_text_formats[i]; i++)
        if (name.len == strlen(th_text_formats[i]) &&
            memcmp(name.data, th_text_formats[i], name.len) == 0)
            return th_text_formats[i];
    return NULL;
}

th_view th_text_format_next(th_view *list)
{
    const char *comma = memchr(list->data, ',', list->len);
    const th_view word = { list->data, comma ? (size_t)(comma - list->data) : list->len };
    if (comma)
        *list = (th_view){ comma + 1, list->len - word.len - 1 };
    else
        *list = (th_view){ NULL, 0 };
    return word;
}

const char *th_text_format_at(const th_options *options, unsigned i)
{
    th_view list = { options->text_format, strlen(options->text_format) };
    th_view word = { NULL, 0 };
    for (unsigned k = 0; k <= i; k++) {
        if (!list.data)
            return NULL;
        word = th_text_format_next(&list);
    }
    return th_text_format_named(word);
}

void th_options_init_sized(th_options *options, size_t size)
{
    const th_options all = defaults();
    memset(options, 0, size);
    memcpy(options, &all, size < sizeof all ? size : sizeof all);
    options->size = size;
}

const th_options *th_options_complete(const th_options *options, th_options *scratch)
{
    if (options->size < FIRST_SIZE)
        return NULL;
    if (options->size >= sizeof *options)
        return options;
    *scratch = defaults();
    memcpy(scratch, options, options->size);
    scratch->size = sizeof *scratch;
    return scratch;
}
