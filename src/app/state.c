/* The state file: `key = number` lines, written and read by one table of fields, and a
 * checksum of all bytes before it in the last line. */
#include "app/state.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/buffer.h"
#include "base/file_sink.h"
#include "base/whole_file.h"

/* clang-format off */
#define AT(field) offsetof(th_state, field)
static const struct {
    const char *key;
    size_t offset; /* of a uint64_t */
} fields[] = {
    { "options", AT(job.options) },
    { "names", AT(job.names) },
    { "files", AT(job.files) },
    { "offset", AT(next.offset) },
    { "skip", AT(next.skip) },
    { "uoffset", AT(next.uoffset) },
    { "dict_offset", AT(next.dict_offset) },
    { "version", AT(next.version) },
    { "done_len", AT(done_len) },
    { "pages_len", AT(pages_len) },
    { "rejects_len", AT(side_len[TH_SIDE_REJECTS]) },
    { "edges_len", AT(side_len[TH_SIDE_EDGES]) },
    { "aside_len", AT(side_len[TH_SIDE_ASIDE]) },
    { "pages_sum", AT(pages_sum) },
    { "rejects_sum", AT(side_sum[TH_SIDE_REJECTS]) },
    { "edges_sum", AT(side_sum[TH_SIDE_EDGES]) },
    { "aside_sum", AT(side_sum[TH_SIDE_ASIDE]) },
    { "index_mark", AT(index_mark) },
    { "bytes_read", AT(source.bytes_read) },
    { "damaged", AT(source.damaged) },
    { "unreadable", AT(source.unreadable) },
    { "read", AT(counts.read) },
    { "emitted", AT(counts.emitted) },
    { "html_bytes", AT(counts.html_bytes) },
    { "tokens", AT(counts.tokens) },
    { "duplicates", AT(counts.duplicates) },
    { "crawl_unsure", AT(counts.crawl_languages[TH_NOT_COMPARED]) },
    { "crawl_same", AT(counts.crawl_languages[TH_SAME_LANGUAGE]) },
    { "crawl_other", AT(counts.crawl_languages[TH_OTHER_LANGUAGE]) },
};
/* clang-format on */
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static const char checksum_key[] = "checksum";

/* A state has about 2 KiB. A larger file is not a state. */
enum { STATE_MAX_BYTES = 64 << 10 };

#define NUMBER_LINE "%s%s = %llu\n"

static void print_number(th_buffer *out, const char *prefix, const char *key,
                         uint64_t number)
{
    th_buffer_printf(out, NUMBER_LINE, prefix, key, (unsigned long long)number);
}

th_status th_state_save(const th_state *state, const char *path, th_error *err)
{
    th_buffer text = { 0 };
    th_buffer_append_text(&text, "; written by thresher run, read by --resume\n");
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        uint64_t number;
        memcpy(&number, (const char *)state + fields[i].offset, sizeof number);
        print_number(&text, "", fields[i].key, number);
    }
    print_number(&text, "", "input", state->next.input);
    for (unsigned i = 0; i < TH_STATUS_COUNT; i++)
        if (state->counts.refused[i])
            print_number(&text, "refused.", th_status_name((th_status)i),
                         state->counts.refused[i]);
    for (unsigned i = 0; i < TH_FLAG_COUNT; i++)
        if (state->counts.flagged[i])
            print_number(&text, "flagged.", th_flag_name(i), state->counts.flagged[i]);
    /* The last line proves that the file is complete and unchanged. */
    print_number(&text, "", checksum_key, XXH3_64bits(text.data, text.len));
    const th_status status = text.has_failed
                                 ? th_fail(err, TH_NOMEM, "out of memory for the state")
                                 : th_file_replace(path, th_buffer_view(&text), err);
    th_buffer_done(&text);
    return status;
}

/* Takes "refused.NAME" and "flagged.NAME". @return false: no such name */
static bool take_count(th_state *state, const char *name, uint64_t number)
{
    static const char refused[] = "refused.", flagged[] = "flagged.";
    for (unsigned i = 0; i < TH_STATUS_COUNT; i++)
        if (strncmp(name, refused, sizeof refused - 1) == 0 &&
            strcmp(name + sizeof refused - 1, th_status_name((th_status)i)) == 0) {
            state->counts.refused[i] = number;
            return true;
        }
    for (unsigned i = 0; i < TH_FLAG_COUNT; i++)
        if (strncmp(name, flagged, sizeof flagged - 1) == 0 &&
            strcmp(name + sizeof flagged - 1, th_flag_name(i)) == 0) {
            state->counts.flagged[i] = number;
            return true;
        }
    return false;
}

static int load_row(void *context, const char *section, const char *name,
                    const char *value)
{
    th_state *state = context;
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(value, &end, 10);
    if (*section || end == value || *end || errno)
        return 0;
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (strcmp(name, fields[i].key) == 0) {
            const uint64_t field = number;
            memcpy((char *)state + fields[i].offset, &field, sizeof field);
            return 1;
        }
    }
    if (strcmp(name, "input") == 0 && number <= UINT32_MAX)
        state->next.input = (uint32_t)number;
    else
        return take_count(state, name, number);
    return 1;
}

/* Whether the last line has the sum of the bytes before it; cuts it off. */
static bool is_as_written(char *text, size_t len)
{
    char line[64];
    const char *last = len > 1 ? memrchr(text, '\n', len - 1) : NULL;
    if (!last || strlen(text) != len)
        return false;
    const size_t before = (size_t)(last + 1 - text);
    (void)snprintf(line, sizeof line, NUMBER_LINE, "", checksum_key,
                   (unsigned long long)XXH3_64bits(text, before));
    const bool is_so = strcmp(line, text + before) == 0;
    text[before] = '\0';
    return is_so;
}

th_status th_state_load(th_state *state, const char *path, bool *found, th_error *err)
{
    th_buffer bytes = { 0 };
    *state = (th_state){ 0 };
    th_status status =
        th_whole_file_read(path, "", STATE_MAX_BYTES, TH_USAGE, &bytes, err);
    *found = status != TH_ABSENT;
    th_buffer_append_char(&bytes, '\0');
    if (status == TH_OK && bytes.has_failed)
        status = th_fail(err, TH_NOMEM, "out of memory to read '%s'", path);
    else if (status == TH_OK && (!is_as_written(bytes.data, bytes.len - 1) ||
                                 ini_parse_string(bytes.data, load_row, state) != 0))
        status = th_fail(err, TH_USAGE,
                         "'%s' is damaged or not a state file of this version. Finish "
                         "the run with the version that began it, or remove the file to "
                         "start from the beginning",
                         path);
    th_buffer_done(&bytes);
    return *found ? status : TH_OK;
}
