/* The one option table. A new option is one row here and one field in a struct. */
#include <stddef.h>
#include <string.h>

#include "app/settings.h"

#define AT(field) offsetof(th_settings, field)

static const char *const emit_names[] = { "full_text", "segments", "blocks",
                                          "links",     "html",     NULL };
static const char *const sign_names[] = { "main", "content", "page", NULL };
static const char *const format_names[] = { "jsonl", "warc", NULL };
static const char *const compress_names[] = { "auto", "none", "gzip", "zstd", NULL };

/* clang-format off */
const th_option th_option_table[] = {
    { "run", "output", 'O', TH_OPTION_TEXT, AT(output), NULL, TH_FOR_RUN, "PATH",
      "where records go: a file, DIR/ for one file per input, - for stdout" },
    { "run", "format", 'f', TH_OPTION_TEXT, AT(format), format_names, TH_FOR_RUN, "NAME",
      "jsonl: thresher/1 records; warc: conversion and metadata records" },
    { "run", "compress", 0, TH_OPTION_TEXT, AT(compress), compress_names, TH_FOR_RUN, "NAME",
      "auto (by the output's suffix .gz or .zst), none, gzip, zstd" },
    { "run", "rejects", 0, TH_OPTION_TEXT, AT(rejects), NULL, TH_FOR_RUN, "FILE",
      "one JSON line for each record that gave no page, with the reason" },
    { "run", "emit", 'e', TH_OPTION_SET, AT(page.emit), emit_names, TH_FOR_RUN, "PARTS",
      "further parts of a record: full_text,segments,blocks,links,html" },
    { "run", "jobs", 'j', TH_OPTION_NUMBER, AT(jobs), NULL, TH_FOR_RUN, "N",
      "worker threads; 0 is one for each core. The output does not depend on it" },
    { "run", "resume", 'r', TH_OPTION_SWITCH, AT(resume), NULL, TH_FOR_RUN, NULL,
      "go on where an interrupted run into a file or folder stopped" },
    { "run", "checkpoint-ms", 0, TH_OPTION_NUMBER, AT(checkpoint_ms), NULL, TH_FOR_RUN, "MS",
      "milliseconds between two saved states of such a run" },
    { "run", "verify-digests", 0, TH_OPTION_SWITCH, AT(verify_digests), NULL, TH_FOR_ALL, NULL,
      "check block digests; a mismatch is a flag, never a loss" },
    { "run", "quiet", 'q', TH_OPTION_SWITCH, AT(quiet), NULL, TH_FOR_ALL, NULL,
      "no progress, no summary; what is damaged is still told" },

    { "text", "parser", 0, TH_OPTION_TEXT, AT(page.parser), NULL, TH_FOR_RUN, "NAME",
      "HTML parser: libxml2" },
    { "text", "w-max", 0, TH_OPTION_NUMBER, AT(page.w_max), NULL, TH_FOR_RUN, "COLUMNS",
      "width at which blocks are wrapped to measure text density" },
    { "text", "segmenter", 's', TH_OPTION_TEXT, AT(page.segmenter), NULL, TH_FOR_RUN, "NAME",
      "how blocks are fused to segments" },
    { "text", "profile", 'p', TH_OPTION_TEXT, AT(page.profile), NULL, TH_FOR_RUN, "NAME",
      "which tags enforce or avoid a gap" },
    { "text", "theta-max", 0, TH_OPTION_REAL, AT(page.theta_max), NULL, TH_FOR_RUN, "DELTA",
      "fuse up to this slope delta; negative is the segmenter's own, inf is allowed" },
    { "text", "classifier", 'k', TH_OPTION_TEXT, AT(page.classifier), NULL, TH_FOR_RUN, "NAME",
      "how content is told from boilerplate" },

    { "sketch", "minhash", 'm', TH_OPTION_TEXT, AT(page.minhash), NULL, TH_FOR_RUN, "PRESET",
      "signature preset, or none" },
    { "sketch", "sign", 0, TH_OPTION_SET, AT(page.sign), sign_names, TH_FOR_RUN, "TEXTS",
      "texts that are signed: main,content,page" },
    { "sketch", "bands", 'b', TH_OPTION_SWITCH, AT(page.bands), NULL, TH_FOR_RUN, NULL,
      "emit the band keys of the first signature" },

    { "limits", "max-record", 0, TH_OPTION_SIZE, AT(page.max_record), NULL, TH_FOR_RUN, "BYTES",
      "of a record's block that are looked at; the rest is cut and flagged" },
    { "limits", "max-body", 0, TH_OPTION_SIZE, AT(page.max_body), NULL, TH_FOR_RUN, "BYTES",
      "of a decoded HTTP body; the rest is cut and flagged" },
    { "limits", "max-head", 0, TH_OPTION_NUMBER, AT(page.max_head), NULL, TH_FOR_ALL, "BYTES",
      "of an HTTP head; a longer one is refused" },
    { "limits", "max-codings", 0, TH_OPTION_NUMBER, AT(page.max_codings), NULL, TH_FOR_ALL, "N",
      "stacked content codings that are undone; more are refused" },
    { "limits", "max-depth", 0, TH_OPTION_NUMBER, AT(page.max_depth), NULL, TH_FOR_RUN, "N",
      "nested elements; deeper text still comes, flat" },
    { "limits", "max-nodes", 0, TH_OPTION_NUMBER, AT(page.max_nodes), NULL, TH_FOR_RUN, "N",
      "elements of a page; text beyond still comes, flat" },
    { "limits", "max-blocks", 0, TH_OPTION_NUMBER, AT(page.max_blocks), NULL, TH_FOR_RUN, "N",
      "atomic blocks of a page; text beyond joins the last" },
    { "limits", "max-links", 0, TH_OPTION_NUMBER, AT(page.max_links), NULL, TH_FOR_RUN, "N",
      "links of a page" },
    { "limits", "max-attributes", 0, TH_OPTION_NUMBER, AT(page.max_attributes), NULL, TH_FOR_RUN,
      "N", "attributes of a tag; more are dropped" },
    { "limits", "max-tag", 0, TH_OPTION_NUMBER, AT(page.max_tag), NULL, TH_FOR_RUN, "BYTES",
      "of a tag; attributes beyond are dropped" },
    { "limits", "page-ms", 0, TH_OPTION_NUMBER, AT(page.page_ms), NULL, TH_FOR_RUN, "MS",
      "CPU milliseconds of a page, 0 for no limit; a slower page is refused" },
    { NULL, NULL, 0, TH_OPTION_TEXT, 0, NULL, 0, NULL, NULL },
};
/* clang-format on */

const th_option *th_option_find(const char *key)
{
    for (const th_option *option = th_option_table; option->key; option++)
        if (strcmp(option->key, key) == 0)
            return option;
    return NULL;
}
