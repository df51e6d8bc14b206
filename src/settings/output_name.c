/* Suffixes of outputs. See the header. */
#include "settings/output_name.h"

#include <ctype.h>
#include <string.h>

#include "base/file_name.h"
#include "base/file_sink.h"

const char *const th_compress_names[] = {
    "auto", "none", "gzip", "zstd", TH_COMPRESS_SEEKABLE, NULL
};

/* "x" of "records.x"; NULL: none, or a number, as in a date or a version. */
static const char *suffix_of(const char *name, size_t len)
{
    size_t at = len;
    while (at && isalnum((unsigned char)name[at - 1]))
        at--;
    const bool is_suffix =
        at > 1 && at < len && name[at - 1] == '.' && isalpha((unsigned char)name[at]);
    return is_suffix ? name + at : NULL;
}

static bool is_known(const char *suffix, size_t len)
{
    static const char *const known[] = {
        "jsonl", "ndjson", "json", "txt", "warc", "wet"
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == len && memcmp(known[i], suffix, len) == 0)
            return true;
    return false;
}

/* A Parquet file has its own compression, of pages. */
static th_status table_compression(const char *path, const char *how, th_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (strcmp(how, "gzip") == 0)
        return th_fail(err, TH_USAGE,
                       "compress: Parquet files support zstd (auto, zstd) and none");
    if (th_file_sink_is_stream(path) || th_file_name_ends(path, ".parquet") ||
        !suffix_of(name, strlen(name)))
        return TH_OK;
    return th_fail(err, TH_USAGE,
                   "output '%.200s': the name of a Parquet file must end with .parquet "
                   "or have no suffix",
                   path);
}

th_status th_output_compression(const char *path, const char *how, bool is_table,
                                th_compression *out, th_error *err)
{
    *out = TH_PLAIN;
    if (strcmp(how, TH_COMPRESS_SEEKABLE) == 0 &&
        (is_table || th_file_sink_is_stream(path)))
        return th_fail(err, TH_USAGE,
                       "compress: " TH_COMPRESS_SEEKABLE " is for files of JSON lines");
    if (is_table)
        return table_compression(path, how, err);
    const bool is_gzip = th_file_name_ends(path, ".gz");
    const bool is_zstd = th_file_name_ends(path, ".zst");
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
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
    const size_t len =
        strlen(name) - (is_gzip ? strlen(".gz") : 0) - (is_zstd ? strlen(".zst") : 0);
    const char *suffix = suffix_of(name, len);
    if (!suffix || is_known(suffix, (size_t)(name + len - suffix)))
        return TH_OK;
    if (th_file_name_ends(path, ".parquet"))
        return th_fail(err, TH_USAGE,
                       "output '%.200s': only `--format parquet` writes Parquet files",
                       path);
    return th_fail(
        err, TH_USAGE,
        "output '%.200s' has the unknown suffix '.%.*s' (expected .jsonl, .ndjson, "
        ".json, .txt, .warc or .wet, optionally with .gz or .zst, or no suffix)",
        path, (int)(name + len - suffix), suffix);
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
