/* src/ingest: all fields of all records that a source reads from random files, with their
 * rendered copies and crawl notes, of single records, and after a new start, as a digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "ingest/input_list.h"
#include "ingest/source.h"
#include "outcomes.h"

enum { ROUNDS = 120, ARCHIVES = 4, CHECKPOINTS = 64 };

#define PAGE "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page"
#define RESOURCE "<p>a resource"

/* clang-format off */
static const char *const kinds[] = { "response", "response", "response", "resource", "request", "metadata", "revisit", "conversion", "warcinfo", "continuation", "RESPONSE", "other" };
static const char *const urls[] = { "http://a.example/", "http://a.example/x", "<http://b.example/>", "urn:dom:http://a.example/", "urn:domFinal:http://a.example/x#y", "urn:text:http://a.example/", "urn:textFinal:http://b.example/", "urn:pageinfo:http://a.example/", "" };
static const char *const fields[] = {
    "WARC-Block-Digest: sha1:PPHFJGRWCMRQDHWXTAW4HFV76HDM323Z\r\n", "WARC-Block-Digest: sha1:UBFN6Q4UYS3RLTHZFJVFVQAIVOFOH2XJ\r\n", "WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n", "WARC-Payload-Digest: sha1:B\r\n", "WARC-IP-Address: 192.0.2.1\r\n", "WARC-Truncated: length\r\n",
    "WARC-Concurrent-To: <urn:uuid:%" PRIu32 ">\r\n", "WARC-Refers-To: <urn:uuid:%" PRIu32 ">\r\n", "X: y\r\n folded\r\n", "WARC-Identified-Payload-Type: text/html\r\n", "junk\r\n",
};
static const char *const types[] = { "application/http; msgtype=response", "application/http", "text/html", "text/plain", "application/warc-fields", "" };
static const char *const blocks[] = { PAGE, PAGE, RESOURCE, "HTTP/1.1 404 Not Found\r\n\r\n", "fetchTimeMs: 5\r\nlanguages-cld2: {\"reliable\":true}\r\n", "languages-cld2: {}\r\n", "", "GET / HTTP/1.1\r\n\r\n", "plain text of a copy\n" };
/* clang-format on */

static uint32_t crc32_of(const char *bytes, size_t len)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < len; i++) {
        crc ^= (uint8_t)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

/* Appends bytes as a gzip member with one stored block. */
static void append_member(th_buffer *out, const char *bytes, size_t len)
{
    const uint32_t ends[2] = { crc32_of(bytes, len), (uint32_t)len };
    const uint8_t head[15] = { 0x1f,
                               0x8b,
                               8,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               255,
                               1,
                               (uint8_t)len,
                               (uint8_t)(len >> 8),
                               (uint8_t)~len,
                               (uint8_t)(~len >> 8) };
    th_buffer_append(out, (const char *)head, sizeof head);
    th_buffer_append(out, bytes, len);
    for (int i = 0; i < 8; i++)
        th_buffer_append_char(out, (char)(ends[i / 4] >> 8 * (i % 4)));
}

static void append_record(struct outcomes *all, uint32_t number, bool is_packed,
                          th_buffer *out)
{
    th_buffer record = { 0 };
    const char *kind = kinds[below(all, sizeof kinds / sizeof *kinds)];
    const char *url = urls[below(all, sizeof urls / sizeof *urls)];
    const char *type = types[below(all, sizeof types / sizeof *types)];
    const char *block = blocks[below(all, sizeof blocks / sizeof *blocks)];
    if (below(all, 3)) { /* as crawlers write it */
        type = strcmp(kind, "metadata") == 0  ? types[4]
               : strncmp(url, "urn:", 4) == 0 ? types[2]
                                              : types[0];
        block = strcmp(kind, "metadata") == 0 ? blocks[4]
                : type == types[0]            ? PAGE
                                              : RESOURCE;
        kind = strncmp(url, "urn:", 4) == 0 ? "resource" : kind;
    }
    th_buffer_printf(&record, "WARC/1.%u\r\nWARC-Type: %s\r\n", below(all, 2), kind);
    if (below(all, 30))
        th_buffer_printf(&record, "WARC-Record-ID: <urn:uuid:%" PRIu32 ">\r\n", number);
    th_buffer_printf(&record, "WARC-Date: 2026-01-01T00:00:%02uZ\r\n", number % 60);
    if (*url)
        th_buffer_printf(&record, "WARC-Target-URI: %s\r\n", url);
    if (*type)
        th_buffer_printf(&record, "Content-Type: %s\r\n", type);
    for (uint32_t i = below(all, 4); i; i--) {
        const uint32_t which = below(all, sizeof fields / sizeof *fields);
        if (which == 6)
            th_buffer_printf(&record, "WARC-Concurrent-To: <urn:uuid:%" PRIu32 ">\r\n",
                             number - below(all, 3));
        else if (which == 7)
            th_buffer_printf(&record, "WARC-Refers-To: <urn:uuid:%" PRIu32 ">\r\n",
                             number - below(all, 3));
        else
            th_buffer_append_text(&record, fields[which]);
    }
    const uint32_t more = below(all, 8) ? 0 : below(all, 400);
    const uint32_t wrong = below(all, 25) ? 0 : below(all, 60);
    th_buffer_printf(&record, "Content-Length: %zu\r\n\r\n%s",
                     strlen(block) + more + wrong, block);
    for (uint32_t i = 0; i < more; i++)
        th_buffer_append_char(&record, (char)('a' + i % 26));
    th_buffer_append_text(&record, below(all, 30) ? "\r\n\r\n" : "\r\n");
    if (is_packed)
        append_member(out, record.data, record.len);
    else
        th_buffer_append_view(out, th_buffer_view(&record));
    th_buffer_done(&record);
}

/* Writes an archive, or another file. */
static void write_file(struct outcomes *all, const char *name, bool is_packed)
{
    th_buffer bytes = { 0 };
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    for (uint32_t i = 0, count = below(all, 4) ? below(all, 14) : 60 + below(all, 30);
         i < count; i++)
        append_record(all, i, is_packed, &bytes);
    for (uint32_t i = below(all, 3) ? 0 : 1 + below(all, 3); i && bytes.len; i--) {
        const uint32_t at = below(all, (uint32_t)bytes.len), kind = below(all, 4);
        if (kind == 0)
            bytes.len = at;
        else if (kind == 1)
            bytes.data[at] ^= (char)(1u << below(all, 8));
        else
            for (uint32_t k = at; k < bytes.len && k < at + 20; k++)
                bytes.data[k] = kind == 2 ? 'x' : '\0';
    }
    if (bytes.len)
        assert_int_equal(fwrite(bytes.data, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
    th_buffer_done(&bytes);
}

static void hear(void *context, const char *text)
{
    note_text(context, text);
}

static void note_record(struct outcomes *all, const th_record *record)
{
    const th_view views[] = { record->type,
                              record->url,
                              record->id,
                              record->date,
                              record->ip,
                              record->content_type,
                              record->truncated,
                              record->head,
                              record->payload_digest,
                              record->block,
                              record->rendered,
                              record->rendered_type,
                              record->position.file,
                              record->crawl_languages };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        note_view(all, views[i]);
    const uint64_t numbers[] = {
        record->kind,          record->block_len,        record->flags,
        record->is_http,       record->position.offset,  record->position.length,
        record->position.skip, (uint64_t)record->refusal
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        note_number(all, numbers[i]);
    note_text(all, record->refusal != TH_OK ? record->detail : NULL);
}

/* Reads all batches. Keeps where they end. */
static uint32_t read_all(struct outcomes *all, const th_file_source_options *options,
                         th_checkpoint *places, th_source_counts *counts)
{
    th_source *source = NULL;
    th_error err = { .text = "" };
    th_batch *batch = calloc(1, sizeof *batch);
    uint32_t count = 0;
    assert_non_null(batch);
    batch->arena = th_arena_new(0);
    th_status status = th_file_source_open(options, &source, &err);
    while (status == TH_OK) {
        th_arena_reset(batch->arena);
        batch->record_count = 0;
        status = source->read(source, batch, &err);
        note_number(all, (uint64_t)status);
        if (status != TH_OK)
            break;
        for (uint32_t i = 0; i < batch->record_count; i++)
            note_record(all, &batch->records[i]);
        const uint64_t numbers[] = { batch->record_count,   batch->input,
                                     batch->is_last,        batch->next.input,
                                     batch->next.offset,    batch->next.skip,
                                     batch->next.uoffset,   batch->counts.bytes_read,
                                     batch->counts.damaged, batch->counts.unreadable };
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            note_number(all, numbers[i]);
        if (count < CHECKPOINTS) {
            counts[count] = batch->counts;
            places[count++] = batch->next;
        }
    }
    assert_int_equal(status, TH_END);
    source->close(source);
    th_arena_free(batch->arena);
    free(batch);
    return count;
}

static void records_of_random_files_are_known(void **state)
{
    static const char *const names[] = { "a.warc", "b.warc.gz", "c.warc", "d.warc.gz" };
    static const char *const uses[] = { NULL, "off", "dom", "text", "only" };
    (void)state;
    struct outcomes all = { .chance = 1 };
    char dir[] = "/tmp/thresher-source-XXXXXX", old[4096], command[64];
    assert_non_null(mkdtemp(dir));
    assert_non_null(getcwd(old, sizeof old));
    assert_int_equal(chdir(dir), 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        th_checkpoint places[CHECKPOINTS];
        th_source_counts counts[CHECKPOINTS];
        th_input_list list;
        th_error err = { .text = "" };
        char place[64];
        assert_int_equal(th_input_list_init(&list), TH_OK);
        list.warn = hear;
        list.warn_context = &all;
        list.takes_records = true;
        for (uint32_t i = 0; i < ARCHIVES; i++)
            write_file(&all, names[i], i % 2);
        for (uint32_t i = 1 + below(&all, 4); i; i--) {
            const uint32_t kind = below(&all, 8);
            const char *name = names[below(&all, ARCHIVES)];
            (void)snprintf(place, sizeof place, kind == 0 ? "%s#0" : "%s", name);
            if (kind == 1) {
                const uint32_t offset = below(&all, 900);
                (void)snprintf(place, sizeof place, "%s#%u,%u", name, offset,
                               below(&all, 900));
            }
            note_number(&all, (uint64_t)th_input_list_add(&list,
                                                          kind == 2   ? "."
                                                          : kind == 3 ? "missing.warc"
                                                          : kind == 4 ? "[ab].*"
                                                                      : place,
                                                          &err));
        }
        note_number(&all, list.total_bytes);
        for (uint32_t i = 0; i < list.count; i++)
            note_text(&all, list.paths[i]);
        th_file_source_options options = { .inputs = list.paths,
                                           .input_count = list.count,
                                           .warn = hear,
                                           .warn_context = &all };
        options.max_record = below(&all, 2) ? 1 << 20 : 1 + below(&all, 200);
        options.keeps_heads = below(&all, 2);
        options.verify_digests = below(&all, 2);
        options.rendered = uses[below(&all, 5)];
        options.is_only_run = below(&all, 2);
        const uint32_t count = read_all(&all, &options, places, counts);
        for (uint32_t i = 0; i < 2 && count; i++) {
            const uint32_t at = below(&all, count);
            options.start = &places[at];
            options.counts = counts[at];
            th_checkpoint others[CHECKPOINTS];
            th_source_counts more[CHECKPOINTS];
            (void)read_all(&all, &options, others, more);
        }
        th_input_list_done(&list);
    }
    assert_int_equal(chdir(old), 0);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    expect_digest(&all, 0x0F9637ADF922B63C);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_random_files_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
