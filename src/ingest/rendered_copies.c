/* A sorted array of the copies' positions, and a reader that visits them. See the header. */
#include "ingest/rendered_copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/stoppable_read.h"
#include "ingest/archive_place.h"
#include "ingest/wacz.h"
#include "page/rendered_name.h"
#include "xxhash.h"

const char *const th_rendered_names[] = { "off", "dom", "text", "only", NULL };

/* A copy. The order of the members is the order of the array. */
struct copy {
    uint64_t page;         /* hash of the page's URL without fragment */
    uint64_t date;         /* YYYYMMDDhhmmss */
    uint64_t offset, skip; /* of its record in the archive */
    uint32_t archive;      /* index of its name */
    uint8_t kind;          /* th_rendered_kind */
    bool is_used;          /* it belongs to a page that was read */
};

struct th_rendered_copies {
    th_rendered_options options;
    bool is_only;
    th_rendered_kind min_kind; /* of copies that pages are read from */
    char **archives;           /* names of archives, owned */
    uint32_t archive_count;
    size_t archive_capacity;
    struct copy *copies; /* owned */
    size_t count, capacity;
    uint64_t beyond;          /* copies beyond the limit */
    th_batch_builder builder; /* of the archive read last */
    uint32_t open;            /* its index */
    th_batch scratch;         /* of one copy */
};

static th_view without_fragment(th_view url)
{
    const char *const mark = url.len ? memchr(url.data, '#', url.len) : NULL;
    return mark ? (th_view){ url.data, (size_t)(mark - url.data) } : url;
}

static uint64_t hash_of(th_view page)
{
    const th_view url = without_fragment(page);
    return XXH3_64bits(url.data, url.len);
}

/* Returns the first 14 digits of a date as a number; missing digits are 0. */
static uint64_t seconds_of(th_view date)
{
    uint64_t number = 0;
    unsigned digits = 0;
    for (size_t i = 0; i < date.len && digits < 14; i++)
        if (th_is_digit(date.data[i])) {
            number = number * 10 + (uint64_t)(date.data[i] - '0');
            digits++;
        }
    for (; digits < 14; digits++)
        number *= 10;
    return number;
}

static th_view view_of(warc_view view)
{
    return (th_view){ view.data, view.len };
}

#define BY(member)                                                                       \
    if (x->member != y->member)                                                          \
    return x->member < y->member ? -1 : 1

static int compare(const void *a, const void *b)
{
    const struct copy *x = a, *y = b;
    BY(page);
    BY(date);
    BY(archive);
    BY(offset);
    BY(skip);
    return 0;
}
#undef BY

static void warn(const th_rendered_copies *copies, const char *name, const char *text)
{
    char line[1024];
    if (!copies->options.warn)
        return;
    (void)snprintf(line, sizeof line, "%s%s%s", name, *name ? ": " : "", text);
    copies->options.warn(copies->options.warn_context, line);
}

static bool should_pause(void *context)
{
    const th_rendered_copies *copies = context;
    return th_is_stopped(copies->options.stop);
}

/* ---- the archives ---- */

static th_status add_archive(void *context, const char *name, th_error *err)
{
    th_rendered_copies *copies = context;
    if (!TH_HAS_CAPACITY(copies->archives, copies->archive_count,
                         copies->archive_capacity))
        return th_fail(err, TH_NOMEM, "out of memory for names of archives");
    char *copy = strdup(name);
    if (!copy)
        return th_fail(err, TH_NOMEM, "out of memory for names of archives");
    copies->archives[copies->archive_count++] = copy;
    return TH_OK;
}

/* Adds all archives of the WACZ file of a member, once if its members follow one
 * another. */
static th_status add_wacz(th_rendered_copies *copies, const char *member, size_t file_len,
                          th_error *err)
{
    const char *last =
        copies->archive_count ? copies->archives[copies->archive_count - 1] : "";
    if (th_wacz_file_len(last) == file_len && strncmp(last, member, file_len) == 0)
        return TH_OK;
    char *file = strndup(member, file_len);
    const th_status status =
        file ? th_wacz_list(file, copies->options.remote, add_archive, copies, err)
             : th_fail(err, TH_NOMEM, "out of memory");
    free(file);
    return status == TH_IO ? TH_OK : status; /* the run reports it */
}

static th_status list_archives(th_rendered_copies *copies, th_error *err)
{
    th_archive_place place;
    th_status status = TH_OK;
    for (uint32_t i = 0; i < copies->options.input_count && status == TH_OK; i++) {
        const char *name = copies->options.inputs[i];
        const size_t file_len = th_wacz_file_len(name);
        if (th_archive_place_read(name, &place))
            continue; /* a single record */
        status = file_len ? add_wacz(copies, name, file_len, err)
                          : add_archive(copies, name, err);
    }
    return status;
}

/* ---- the pass over them ---- */

static th_status add(th_rendered_copies *copies, const struct copy *copy)
{
    if (copies->count == copies->options.max_copies) {
        copies->beyond++;
        return TH_OK;
    }
    if (!TH_HAS_CAPACITY(copies->copies, copies->count, copies->capacity))
        return TH_NOMEM;
    copies->copies[copies->count++] = *copy;
    return TH_OK;
}

/* Adds the pending record if it is a copy. */
static th_status note(th_rendered_copies *copies, uint32_t archive)
{
    const warc_record *record = copies->builder.pending;
    th_view page;
    if (warc_record_type(record) != WARC_TYPE_RESOURCE)
        return TH_OK;
    const th_rendered_kind kind =
        th_rendered_kind_of(view_of(warc_record_target_uri(record)), &page);
    if (kind == TH_RENDERED_NONE)
        return TH_OK;
    const warc_position position = warc_record_position(record);
    const th_view date = view_of(warc_record_get(record, WARC_FIELD_DATE));
    return add(copies, &(struct copy){ .page = hash_of(page),
                                       .date = seconds_of(date),
                                       .offset = position.offset,
                                       .skip = position.skip,
                                       .archive = archive,
                                       .kind = (uint8_t)kind });
}

static th_status open_archive(th_rendered_copies *copies, uint32_t archive,
                              warc_error *error)
{
    const th_batch_builder_options options = {
        .max_record = copies->options.max_record,
        .should_pause = should_pause,
        .pause_context = copies,
        .remote = copies->options.remote,
    };
    copies->open = archive;
    return th_batch_builder_open(&copies->builder, copies->archives[archive], -1,
                                 &options, error);
}

static th_status scan(th_rendered_copies *copies, uint32_t archive, warc_error *error)
{
    th_status status = open_archive(copies, archive, error);
    if (status == TH_OK)
        status = th_batch_builder_next(&copies->builder, error);
    while (status == TH_OK) {
        status = note(copies, archive);
        if (status == TH_OK)
            status = th_batch_builder_next(&copies->builder, error);
    }
    th_batch_builder_close(&copies->builder);
    return status == TH_END || status == TH_IO ? TH_OK : status;
}

static th_status scan_all(th_rendered_copies *copies, th_error *err)
{
    warc_error error = { .text = "" };
    th_status status = list_archives(copies, err);
    if (status != TH_OK)
        return status;
    for (uint32_t i = 0; i < copies->archive_count && status == TH_OK; i++)
        status = scan(copies, i, &error);
    if (status == TH_PAUSED)
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    if (status != TH_OK)
        return th_fail(err, status, "cannot find rendered copies: %s",
                       *error.text ? error.text : th_status_text(status));
    if (copies->count)
        qsort(copies->copies, copies->count, sizeof *copies->copies, compare);
    if (copies->beyond) {
        char text[160];
        (void)snprintf(text, sizeof text,
                       "rendered: %llu copies are beyond the limit of %u; their pages "
                       "are read from their own records",
                       (unsigned long long)copies->beyond,
                       (unsigned)copies->options.max_copies);
        warn(copies, "", text);
    }
    return TH_OK;
}

th_status th_rendered_copies_new(const th_rendered_options *options,
                                 th_rendered_copies **out, th_error *err)
{
    *out = NULL;
    th_rendered_copies *copies = calloc(1, sizeof *copies);
    if (!copies)
        return th_fail(err, TH_NOMEM, "out of memory for rendered copies");
    copies->options = *options;
    if (!options->max_copies)
        copies->options.max_copies = TH_RENDERED_COPIES_MAX;
    copies->is_only = strcmp(options->use, "only") == 0;
    copies->min_kind =
        strcmp(options->use, "text") == 0 ? TH_RENDERED_TEXT : TH_RENDERED_DOM;
    const th_status status = copies->is_only ? TH_OK : scan_all(copies, err);
    if (status == TH_OK)
        *out = copies;
    else
        th_rendered_copies_free(copies);
    return status;
}

void th_rendered_copies_free(th_rendered_copies *copies)
{
    if (!copies)
        return;
    th_batch_builder_close(&copies->builder);
    for (uint32_t i = 0; i < copies->archive_count; i++)
        free(copies->archives[i]);
    free(copies->archives);
    free(copies->copies);
    free(copies);
}

/* ---- one page ---- */

/* Finds the copy that a page is read from, and marks the copies of its capture. */
static const struct copy *find(th_rendered_copies *copies, const th_record *record)
{
    const struct copy wanted = { .page = hash_of(record->url),
                                 .date = seconds_of(record->date) };
    size_t low = 0, high = copies->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(&copies->copies[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct copy *best = NULL;
    unsigned seen = 0;
    for (; low < copies->count && copies->copies[low].page == wanted.page; low++) {
        struct copy *copy = &copies->copies[low];
        if (seen & 1u << copy->kind)
            break;
        seen |= 1u << copy->kind;
        copy->is_used = true;
        if (copy->kind >= copies->min_kind && (!best || copy->kind > best->kind))
            best = copy;
    }
    return best;
}

/* Reads the record of a copy into `scratch`. */
static th_status read_copy(th_rendered_copies *copies, const struct copy *copy,
                           th_arena *arena, warc_error *error)
{
    const th_checkpoint at = { .offset = copy->offset,
                               .skip = copy->skip,
                               .uoffset = WARC_NO_OFFSET,
                               .dict_offset = WARC_NO_OFFSET };
    th_batch_builder *builder = &copies->builder;
    th_status status = TH_OK;
    if (builder->reader && copies->open != copy->archive)
        th_batch_builder_close(builder);
    if (!builder->reader)
        status = open_archive(copies, copy->archive, error);
    builder->stops_at_max = true;
    if (status == TH_OK)
        status = th_batch_builder_seek(builder, &at, error);
    if (status == TH_OK)
        status = th_batch_builder_next(builder, error);
    copies->scratch.arena = arena;
    copies->scratch.record_count = 0;
    if (status == TH_OK)
        status =
            th_batch_builder_add(builder, (th_view){ NULL, 0 }, &copies->scratch, error);
    if (status != TH_OK)
        th_batch_builder_close(builder);
    return status;
}

/* Returns whether the record in `scratch` is the copy of a page: hashes can be equal, and
 * the archive can have changed. */
static bool is_of(const th_rendered_copies *copies, const struct copy *copy,
                  const th_record *page)
{
    const th_record *found = copies->scratch.records;
    th_view url = { NULL, 0 };
    if (copies->scratch.record_count != 1 ||
        th_rendered_kind_of(found->url, &url) != copy->kind)
        return false;
    const th_view a = without_fragment(url), b = without_fragment(page->url);
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static th_view type_of(th_rendered_kind kind)
{
    return kind >= TH_RENDERED_DOM ? (th_view){ "dom", 3 } : (th_view){ "text", 4 };
}

/* `only`: copies of a DOM are the pages. */
static void keep_only(th_record *record)
{
    th_view page;
    const th_rendered_kind kind = record->kind == TH_RECORD_RESOURCE
                                      ? th_rendered_kind_of(record->url, &page)
                                      : TH_RENDERED_NONE;
    if (kind >= TH_RENDERED_DOM) {
        record->url = page;
        record->rendered_type = type_of(kind);
    } else if (th_record_kind_holds_payload(record->kind)) {
        record->refusal = TH_NOT_A_PAGE;
        record->detail = "record is not the DOM of a rendered page (rendered = only)";
    }
}

th_status th_rendered_copies_join(th_rendered_copies *copies, th_record *record,
                                  th_batch *batch, warc_error *error)
{
    if (copies->is_only)
        keep_only(record);
    if (copies->is_only || record->kind != TH_RECORD_RESPONSE)
        return TH_OK;
    const struct copy *copy = find(copies, record);
    if (!copy)
        return TH_OK;
    const th_status status = read_copy(copies, copy, batch->arena, error);
    if (status == TH_NOMEM || status == TH_PAUSED || status == TH_NOT_YET)
        return status;
    const th_record *found = copies->scratch.records;
    if (status == TH_OK && is_of(copies, copy, record)) {
        record->rendered = found->block;
        record->rendered_type = type_of(copy->kind);
        record->flags |= found->flags & (TH_FLAG_RECORD_TRUNCATED | TH_FLAG_WARC_DAMAGED);
    } else if (status == TH_IO || status == TH_END) {
        char text[400];
        (void)snprintf(text, sizeof text,
                       "offset %llu: rendered copy cannot be read, its page is read from "
                       "its own record%s%.250s",
                       (unsigned long long)copy->offset, *error->text ? ": " : "",
                       error->text);
        warn(copies, copies->archives[copy->archive], text);
        error->text[0] = '\0';
    }
    return TH_OK;
}

void th_rendered_copies_report(const th_rendered_copies *copies)
{
    unsigned long long unused = 0;
    for (size_t i = 0; i < copies->count; i++)
        unused +=
            !copies->copies[i].is_used && copies->copies[i].kind >= copies->min_kind;
    char text[120];
    (void)snprintf(text, sizeof text, "rendered: %llu copies belong to no page", unused);
    if (unused)
        warn(copies, "", text);
}
