/*
 * The WARC reader on any bytes ends. It reads the same byte by byte and at once, and
 * with any pauses. Seeking to the offset of any record returns that record.
 */
#include "fuzz_target.h"
#include "warc/warc_trace.h"

/* The parts of a line that name the record: its place and its header. */
static size_t name_len(const char *line)
{
    const char *fields = strstr(line, " fields ");
    return (size_t)(fields - line) + strlen(" fields ") +
           strspn(fields + 8, "0123456789abcdef");
}

/* "length" is known only for a record that was read to the end of its member. Omitted. */
static void assert_same_record(const char *want, const char *got)
{
    const size_t place = strcspn(want, "l"); /* up to "length" */
    if (strncmp(want, got, place) != 0)
        abort();
    const char *want_type = strstr(want, " fields ");
    const char *got_type = strstr(got, " fields ");
    if (strncmp(want_type, got_type, name_len(want) - (size_t)(want_type - want)) != 0)
        abort();
}

static void check_seek(const struct trace *all, warc_view bytes,
                       const struct trace_way *way)
{
    enum { SEEKS = 16 };
    struct trickle trickle = { .bytes = bytes,
                               .step = way->step,
                               .is_slow = way->is_slow };
    struct trace pauses = { 0 };
    warc_reader *reader = trace_open_for(&pauses, &trickle, way);
    const size_t stride = all->count / SEEKS + 1;
    for (size_t n = 0; n < all->count; n += stride) {
        struct trace one = { 0 };
        trace_add(&one, "");
        if (trace_seek(reader, &all->positions[n]) != WARC_OK)
            abort();
        trace_rest(&one, reader, 1);
        if (one.count != 1)
            abort();
        assert_same_record(all->text + all->lines[n], one.text);
        trace_done(&one);
    }
    warc_reader_free(reader);
}

static void check_pauses(const struct trace *all, warc_view bytes,
                         const struct trace_way *way)
{
    struct trace paused;
    trace_all(&paused, bytes, way);
    if (strcmp(all->text, paused.text) != 0 || all->diags != paused.diags)
        abort();
    trace_done(&paused);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const warc_view bytes = { (const char *)data, size };
    const struct trace_way at_once = { .step = SIZE_MAX };
    const struct trace_way byte_by_byte = { .step = 1, .is_pipe = true };
    const struct trace_way step_by_step = { .step = SIZE_MAX, .pause_every = 1 };
    const struct trace_way now_and_then = { .step = 1 + size / 5,
                                            .pause_every = 1 + (unsigned)(size % 7),
                                            .is_slow = true };
    struct trace all, trickled;
    trace_all(&all, bytes, &at_once);
    trace_all(&trickled, bytes, &byte_by_byte);
    if (strcmp(all.text, trickled.text) != 0)
        abort();
    check_pauses(&all, bytes, &step_by_step);
    check_pauses(&all, bytes, &now_and_then);
    check_seek(&all, bytes, &at_once);
    check_seek(&all, bytes, &step_by_step);
    trace_done(&all);
    trace_done(&trickled);
    return 0;
}
