/* Suffixes of outputs. See the header. */
#include "settings/output_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file_name.h"
#include "base/file_sink.h"

const char *const th_compress_names[] = {
    "auto", "none", "gzip", "zstd", TH_COMPRESS_SEEKABLE, NULL
};

/* The suffix of a file's name, before .gz or .zst. */
struct suffix {
    const char *text; /* "x" of "records.x.gz"; NULL: none, or a number, as in a date */
    size_t len;
};

static struct suffix suffix_of(const char *path)
{
    const char *name = th_last_name(path);
    const size_t len = strlen(name) - (th_file_name_ends(name, ".gz") ? 3 : 0) -
                       (th_file_name_ends(name, ".zst") ? 4 : 0);
    size_t at = len;
    while (at && isalnum((unsigned char)name[at - 1]))
        at--;
    const bool is_suffix =
        at > 1 && at < len && name[at - 1] == '.' && isalpha((unsigned char)name[at]);
    return is_suffix ? (struct suffix){ name + at, len - at }
                     : (struct suffix){ NULL, 0 };
}

/* Returns the name that the suffix equals; NULL if there is none. */
static const char *among(struct suffix suffix, const char *const *names)
{
    for (; suffix.text && *names; names++)
        if (strlen(*names) == suffix.len && memcmp(*names, suffix.text, suffix.len) == 0)
            return *names;
    return NULL;
}

/* A Parquet file has its own compression, of pages. */
static th_status table_compression(const char *path, const char *how, th_error *err)
{
    if (strcmp(how, "gzip") == 0)
        return th_fail(err, TH_USAGE,
                       "compress: Parquet files support zstd (auto, zstd) and none");
    if (th_file_sink_is_stream(path) || th_file_name_ends(path, ".parquet") ||
        !suffix_of(path).text)
        return TH_OK;
    return th_fail(err, TH_USAGE,
                   "output '%.200s': the name of a Parquet file must end with .parquet "
                   "or have no suffix",
                   path);
}

/* Whether a file has the suffix of a format, before .gz or .zst. */
static bool is_own(const char *path, const th_format *format)
{
    const char *const endings[] = { "", ".gz", ".zst" };
    char own[64];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        (void)snprintf(own, sizeof own, ".%s%s", format->suffix, endings[i]);
        if (th_file_name_ends(path, own))
            return true;
    }
    return false;
}

th_status th_output_compression(const char *path, const char *how,
                                const th_format *format, th_compression *out,
                                th_error *err)
{
    *out = TH_PLAIN;
    if (strcmp(how, TH_COMPRESS_SEEKABLE) == 0 &&
        (format->fields || th_file_sink_is_stream(path)))
        return th_fail(err, TH_USAGE,
                       "compress: " TH_COMPRESS_SEEKABLE " is for files of JSON lines");
    if (format->fields)
        return table_compression(path, how, err);
    const bool is_gzip = th_file_name_ends(path, ".gz");
    const bool is_zstd = th_file_name_ends(path, ".zst");
    *out = strcmp(how, "gzip") == 0       ? TH_GZIP
           : strncmp(how, "zstd", 4) == 0 ? TH_ZSTD
           : strcmp(how, "none") == 0     ? TH_PLAIN
           : is_gzip                      ? TH_GZIP
           : is_zstd                      ? TH_ZSTD
                                          : TH_PLAIN;
    if (th_file_sink_is_stream(path))
        return TH_OK;
    if ((is_gzip && *out != TH_GZIP) || (is_zstd && *out != TH_ZSTD))
        return th_fail(err, TH_USAGE,
                       "compress: the suffix of output '%.200s' does not match; "
                       "--compress %s needs a name without %s",
                       path, how, is_gzip ? ".gz" : ".zst");
    if (strcmp(how, "auto") != 0)
        return TH_OK;
    static const char *const known[] = { "jsonl", "ndjson", "json", "txt",
                                         "warc",  "wet",    NULL };
    const struct suffix suffix = suffix_of(path);
    if (!suffix.text || among(suffix, known) || is_own(path, format))
        return TH_OK;
    return th_fail(
        err, TH_USAGE,
        "output '%.200s' has the unknown suffix '.%.*s' (expected .parquet, .warc, .wet, "
        ".jsonl, .ndjson, .json or .txt, the last six also with .gz or .zst; or none)",
        path, (int)suffix.len, suffix.text);
}

th_status th_output_format(const char *path, const char **format, th_error *err)
{
    static const char *const known[] = { "parquet", "warc", "wet", NULL };
    const char *by_name = among(suffix_of(path), known);
    if (strcmp(*format, TH_FORMAT_AUTO) == 0) {
        *format = by_name ? by_name : th_formats[0]->name;
        return TH_OK;
    }
    const char *own = th_format_find(*format)->suffix;
    if (!by_name || strcmp(own, th_format_find(by_name)->suffix) == 0)
        return TH_OK;
    return th_fail(err, TH_USAGE,
                   "output '%.200s': --format %s does not write .%s files; "
                   "--format %s does, and --format auto selects it by the name",
                   path, *format, by_name, by_name);
}

th_status th_output_is_plain(const char *option, const char *path, th_error *err)
{
    if (th_file_sink_is_stream(path) ||
        (!th_file_name_ends(path, ".gz") && !th_file_name_ends(path, ".zst")))
        return TH_OK;
    return th_fail(err, TH_USAGE,
                   "%s: '%.200s' has a suffix of a compressed file, but these lines are "
                   "written uncompressed",
                   option, path);
}

th_status th_output_warc(const char *option, const char *path, th_compression *out,
                         th_error *err)
{
    static const char *const suffixes[] = {
        [TH_PLAIN] = ".warc",
        [TH_GZIP] = ".warc.gz",
        [TH_ZSTD] = ".warc.zst",
    };
    *out = TH_PLAIN;
    if (!*path)
        return TH_OK;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        *out = (th_compression)i;
        if (th_file_name_ends(path, suffixes[i]))
            return TH_OK;
    }
    return th_fail(err, TH_USAGE,
                   "%s: '%.200s' must end with .warc, .warc.gz or .warc.zst", option,
                   path);
}
