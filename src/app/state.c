/* The state file: `key = number` lines, written and read by one table of fields. */
#include "app/state.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file_sink.h"

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
    { "rejects_len", AT(rejects_len) },
    { "edges_len", AT(edges_len) },
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

static void print_number(th_buffer *out, const char *prefix, const char *key,
                         uint64_t number)
{
    th_buffer_printf(out, "%s%s = %llu\n", prefix, key, (unsigned long long)number);
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
    /* The last line proves that the file is whole. */
    th_buffer_append_text(&text, "end = 1\n");
    const th_status status = text.has_failed
                                 ? th_fail(err, TH_NOMEM, "cannot make the state's text")
                                 : th_file_replace(path, th_buffer_view(&text), err);
    th_buffer_done(&text);
    return status;
}

struct loading {
    th_state *state;
    bool is_whole;
};

/* Takes "refused.NAME" and "flagged.NAME"; names that no longer exist are passed over. */
static void take_count(th_state *state, const char *name, uint64_t number)
{
    const char *dot = strchr(name, '.');
    if (!dot)
        return;
    for (unsigned i = 0; i < TH_STATUS_COUNT && name[0] == 'r'; i++)
        if (strcmp(dot + 1, th_status_name((th_status)i)) == 0)
            state->counts.refused[i] = number;
    for (unsigned i = 0; i < TH_FLAG_COUNT && name[0] == 'f'; i++)
        if (strcmp(dot + 1, th_flag_name(i)) == 0)
            state->counts.flagged[i] = number;
}

static int load_row(void *context, const char *section, const char *name,
                    const char *value)
{
    struct loading *loading = context;
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(value, &end, 10);
    if (*section || end == value || *end || errno)
        return 0;
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (strcmp(name, fields[i].key) == 0) {
            const uint64_t field = number;
            memcpy((char *)loading->state + fields[i].offset, &field, sizeof field);
            return 1;
        }
    }
    if (strcmp(name, "input") == 0)
        loading->state->next.input = (uint32_t)number;
    else if (strcmp(name, "end") == 0)
        loading->is_whole = true;
    else
        take_count(loading->state, name, number);
    return 1;
}

th_status th_state_load(th_state *state, const char *path, bool *found, th_error *err)
{
    struct loading loading = { .state = state };
    *state = (th_state){ 0 };
    *found = access(path, F_OK) == 0;
    if (!*found)
        return TH_OK;
    const int line = ini_parse(path, load_row, &loading);
    if (line == 0 && loading.is_whole)
        return TH_OK;
    return th_fail(
        err, TH_USAGE,
        "'%s' is not a run's state file: remove it to start from the beginning", path);
}
