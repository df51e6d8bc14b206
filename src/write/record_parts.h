/*
 * Every field of the record `thresher/1`, in the order in which it is written. This is
 * the only list. Tests compare it with the writer, docs/record.md, the output of
 * `inspect` and the sample page of the tests, so that none of them lacks a field or has
 * an extra one.
 *
 * To add a field: write it (annotation.c), and add it here, to src/write/record_table.c,
 * docs/record.md, docs/schema/record.json and tests/unit/write/sample_page.c. State
 * whether `inspect` shows it.
 */
#ifndef TH_RECORD_PARTS_H
#define TH_RECORD_PARTS_H

/* Where `inspect` shows a field. With --json it shows all. */
enum {
    TH_NOT_SHOWN = 0,         /* nowhere, or not by its name */
    TH_IN_TERMINAL = 1u << 0, /* in the head of the text */
    TH_IN_REPORT = 1u << 1,   /* by report.js, from the record */
    TH_SHOWN = TH_IN_TERMINAL | TH_IN_REPORT
};

/* clang-format off */
/* X(field of th_metadata and name in the record, where it is shown) */
#define TH_RECORD_METADATA(X)         \
    X(title, TH_SHOWN)                \
    X(title_from, TH_NOT_SHOWN)       \
    X(page_title, TH_NOT_SHOWN)       \
    X(author, TH_SHOWN)               \
    X(author_from, TH_NOT_SHOWN)      \
    X(published, TH_SHOWN)            \
    X(published_from, TH_NOT_SHOWN)   \
    X(modified, TH_SHOWN)             \
    X(modified_from, TH_NOT_SHOWN)    \
    X(description, TH_SHOWN)          \
    X(canonical_url, TH_SHOWN)        \
    X(language, TH_SHOWN)             \
    X(site_name, TH_SHOWN)

/* X("path", where it is shown); members of an object have its name before a dot. */
#define TH_RECORD_BEFORE_METADATA(X)              \
    X("schema", TH_NOT_SHOWN)                     \
    X("id", TH_IN_REPORT)                         \
    X("url", TH_SHOWN)                            \
    X("date", TH_SHOWN)                           \
    X("source", TH_IN_REPORT)                     \
    X("source.file", TH_IN_REPORT)                \
    X("source.topic", TH_NOT_SHOWN)               \
    X("source.partition", TH_NOT_SHOWN)           \
    X("source.offset", TH_IN_REPORT)              \
    X("source.key", TH_NOT_SHOWN)                 \
    X("source.length", TH_IN_REPORT)              \
    X("source.skip", TH_IN_REPORT)                \
    X("source.type", TH_IN_REPORT)                \
    X("source.ip", TH_IN_REPORT)                  \
    X("source.truncated", TH_IN_REPORT)           \
    X("source.payload_digest", TH_IN_REPORT)      \
    X("http", TH_IN_REPORT)                       \
    X("http.status", TH_IN_REPORT)                \
    X("http.content_type", TH_IN_REPORT)          \
    X("http.charset", TH_SHOWN)                   \
    X("http.charset_from", TH_SHOWN)              \
    X("http.encoding", TH_IN_REPORT)

#define TH_RECORD_BEHIND_METADATA(X)              \
    X("page_type", TH_SHOWN)                      \
    X("page_type.name", TH_SHOWN)                 \
    X("page_type.score", TH_SHOWN)                \
    X("quality", TH_SHOWN)                        \
    X("language_detected", TH_IN_REPORT)          \
    X("language_detected.name", TH_SHOWN)         \
    X("language_detected.iso", TH_NOT_SHOWN)      \
    X("language_detected.share", TH_NOT_SHOWN)    \
    X("language_detected.score", TH_NOT_SHOWN)    \
    X("language_detected.bytes", TH_NOT_SHOWN)    \
    X("language_detected.sure", TH_NOT_SHOWN)     \
    X("language_detected.others", TH_NOT_SHOWN)   \
    X("language_detected.others.name", TH_IN_TERMINAL) \
    X("language_detected.others.iso", TH_NOT_SHOWN) \
    X("language_detected.others.share", TH_NOT_SHOWN) \
    X("language_detected.others.score", TH_NOT_SHOWN) \
    X("language_second", TH_IN_REPORT)            \
    X("language_second.name", TH_SHOWN)           \
    X("language_second.iso", TH_NOT_SHOWN)        \
    X("language_second.score", TH_NOT_SHOWN)      \
    X("language_second.model", TH_NOT_SHOWN)      \
    X("language_crawl", TH_NOT_SHOWN)             \
    X("language_crawl.name", TH_NOT_SHOWN)        \
    X("language_crawl.iso", TH_NOT_SHOWN)         \
    X("language_crawl.share", TH_NOT_SHOWN)       \
    X("language_crawl.score", TH_NOT_SHOWN)       \
    X("language_crawl.bytes", TH_NOT_SHOWN)       \
    X("language_crawl.sure", TH_NOT_SHOWN)        \
    X("language_crawl.agrees", TH_NOT_SHOWN)      \
    X("language_crawl.others", TH_NOT_SHOWN)      \
    X("language_crawl.others.name", TH_NOT_SHOWN) \
    X("language_crawl.others.iso", TH_NOT_SHOWN)  \
    X("language_crawl.others.share", TH_NOT_SHOWN) \
    X("language_crawl.others.score", TH_NOT_SHOWN) \
    X("text_format", TH_NOT_SHOWN)                \
    X("text", TH_NOT_SHOWN)                       \
    X("text_plain", TH_NOT_SHOWN)                 \
    X("text_markdown", TH_NOT_SHOWN)              \
    X("text_html", TH_NOT_SHOWN)                  \
    X("comments", TH_NOT_SHOWN)                   \
    X("comments.author", TH_NOT_SHOWN)            \
    X("comments.published", TH_NOT_SHOWN)         \
    X("comments.votes", TH_NOT_SHOWN)             \
    X("comments.accepted", TH_NOT_SHOWN)          \
    X("comments.quote_of", TH_NOT_SHOWN)          \
    X("comments.depth", TH_NOT_SHOWN)             \
    X("comments.text", TH_NOT_SHOWN)              \
    X("segmenter", TH_IN_TERMINAL)                \
    X("classifier", TH_IN_TERMINAL)               \
    X("counts", TH_IN_REPORT)                     \
    X("counts.blocks", TH_SHOWN)                  \
    X("counts.segments", TH_IN_TERMINAL)          \
    X("counts.tokens", TH_SHOWN)                  \
    X("counts.linked_tokens", TH_SHOWN)           \
    X("counts.content_tokens", TH_IN_TERMINAL)    \
    X("quality_signals", TH_NOT_SHOWN) \
    X("quality_signals.words", TH_NOT_SHOWN) \
    X("quality_signals.plain_words", TH_NOT_SHOWN) \
    X("quality_signals.mean_word_length", TH_NOT_SHOWN) \
    X("quality_signals.hashes", TH_NOT_SHOWN) \
    X("quality_signals.ellipses", TH_NOT_SHOWN) \
    X("quality_signals.lines", TH_NOT_SHOWN) \
    X("quality_signals.bullet_lines", TH_NOT_SHOWN) \
    X("quality_signals.ellipsis_lines", TH_NOT_SHOWN) \
    X("quality_signals.alphabetic_words", TH_NOT_SHOWN) \
    X("quality_signals.stop_words", TH_NOT_SHOWN) \
    X("quality_signals.duplicate_paragraphs", TH_NOT_SHOWN) \
    X("quality_signals.duplicate_paragraph_chars", TH_NOT_SHOWN) \
    X("quality_signals.duplicate_lines", TH_NOT_SHOWN) \
    X("quality_signals.duplicate_line_chars", TH_NOT_SHOWN) \
    X("quality_signals.top_ngrams", TH_NOT_SHOWN) \
    X("quality_signals.duplicate_ngrams", TH_NOT_SHOWN) \
    X("quality_signals.terminal_lines", TH_NOT_SHOWN) \
    X("quality_signals.short_lines", TH_NOT_SHOWN) \
    X("quality_signals.duplicate_chars", TH_NOT_SHOWN) \
    X("quality_signals.newlines", TH_NOT_SHOWN) \
    X("quality_signals.c4_lines", TH_NOT_SHOWN) \
    X("quality_signals.lorem_ipsum", TH_NOT_SHOWN) \
    X("quality_signals.curly_bracket", TH_NOT_SHOWN) \
    X("main_segment", TH_IN_TERMINAL)             \
    X("site_pages", TH_SHOWN)                     \
    X("template_known", TH_SHOWN)                 \
    X("recurrent_tokens", TH_SHOWN)               \
    X("digest", TH_NOT_SHOWN)                     \
    X("digest.text", TH_IN_TERMINAL)              \
    X("minhash", TH_IN_REPORT)                    \
    X("minhash.preset", TH_SHOWN)                 \
    X("minhash.scheme", TH_NOT_SHOWN)             \
    X("minhash.seed", TH_NOT_SHOWN)               \
    X("minhash.w", TH_IN_REPORT)                  \
    X("minhash.k", TH_IN_REPORT)                  \
    X("minhash.bits", TH_NOT_SHOWN)               \
    X("minhash.tokenizer", TH_NOT_SHOWN)          \
    X("minhash.main", TH_NOT_SHOWN)               \
    X("minhash.content", TH_NOT_SHOWN)            \
    X("minhash.page", TH_NOT_SHOWN)               \
    X("minhash.distinct", TH_NOT_SHOWN)           \
    X("minhash.short", TH_NOT_SHOWN)              \
    X("bands", TH_NOT_SHOWN)                      \
    X("near_duplicate", TH_NOT_SHOWN)             \
    X("near_duplicate.of", TH_NOT_SHOWN)          \
    X("near_duplicate.url", TH_NOT_SHOWN)         \
    X("near_duplicate.jaccard", TH_NOT_SHOWN)     \
    X("near_duplicate.cluster", TH_NOT_SHOWN)     \
    X("full_text", TH_NOT_SHOWN)                  \
    X("segments", TH_IN_REPORT)                   \
    X("segments.number", TH_NOT_SHOWN)            \
    X("segments.tokens", TH_NOT_SHOWN)            \
    X("segments.linked", TH_NOT_SHOWN)            \
    X("segments.density", TH_NOT_SHOWN)           \
    X("segments.link_density", TH_NOT_SHOWN)      \
    X("segments.label", TH_NOT_SHOWN)             \
    X("segments.position", TH_NOT_SHOWN)          \
    X("segments.inner", TH_NOT_SHOWN)             \
    X("segments.fingerprint", TH_NOT_SHOWN)       \
    X("segments.pages", TH_NOT_SHOWN)             \
    X("segments.recurs", TH_NOT_SHOWN)            \
    X("blocks", TH_NOT_SHOWN)                     \
    X("blocks.start", TH_NOT_SHOWN)               \
    X("blocks.end", TH_NOT_SHOWN)                 \
    X("blocks.byte_start", TH_NOT_SHOWN)          \
    X("blocks.byte_end", TH_NOT_SHOWN)            \
    X("blocks.segment", TH_NOT_SHOWN)             \
    X("blocks.paragraph", TH_NOT_SHOWN)           \
    X("blocks.label", TH_NOT_SHOWN)               \
    X("blocks.score", TH_NOT_SHOWN)               \
    X("blocks.tokens", TH_NOT_SHOWN)              \
    X("blocks.linked", TH_NOT_SHOWN)              \
    X("blocks.density", TH_NOT_SHOWN)             \
    X("blocks.path", TH_NOT_SHOWN)                \
    X("blocks.language", TH_NOT_SHOWN)            \
    X("blocks.pages", TH_NOT_SHOWN)               \
    X("blocks.recurs", TH_NOT_SHOWN)              \
    X("paragraphs", TH_NOT_SHOWN)                 \
    X("paragraphs.kind", TH_NOT_SHOWN)            \
    X("paragraphs.level", TH_NOT_SHOWN)           \
    X("paragraphs.row", TH_NOT_SHOWN)             \
    X("paragraphs.column", TH_NOT_SHOWN)          \
    X("paragraphs.depth", TH_NOT_SHOWN)           \
    X("paragraphs.number", TH_NOT_SHOWN)          \
    X("paragraphs.start", TH_NOT_SHOWN)           \
    X("paragraphs.end", TH_NOT_SHOWN)             \
    X("paragraphs.byte_start", TH_NOT_SHOWN)      \
    X("paragraphs.byte_end", TH_NOT_SHOWN)        \
    X("paragraphs.hidden", TH_NOT_SHOWN)          \
    X("paragraphs.label", TH_NOT_SHOWN)           \
    X("paragraphs.score", TH_NOT_SHOWN)           \
    X("paragraphs.language", TH_NOT_SHOWN)        \
    X("paragraphs.pages", TH_NOT_SHOWN)           \
    X("paragraphs.recurs", TH_NOT_SHOWN)          \
    X("links", TH_NOT_SHOWN)                      \
    X("links.url", TH_NOT_SHOWN)                  \
    X("links.anchor", TH_NOT_SHOWN)               \
    X("links.block", TH_NOT_SHOWN)                \
    X("links.label", TH_NOT_SHOWN)                \
    X("links.internal", TH_NOT_SHOWN)             \
    X("links.rel", TH_NOT_SHOWN)                  \
    X("posts", TH_NOT_SHOWN)                      \
    X("posts.author", TH_NOT_SHOWN)               \
    X("posts.published", TH_NOT_SHOWN)            \
    X("posts.votes", TH_NOT_SHOWN)                \
    X("posts.accepted", TH_NOT_SHOWN)             \
    X("posts.quote_of", TH_NOT_SHOWN)             \
    X("posts.depth", TH_NOT_SHOWN)                \
    X("posts.text", TH_NOT_SHOWN)                 \
    X("html", TH_NOT_SHOWN)                       \
    X("flags", TH_SHOWN)
/* clang-format on */

#endif
