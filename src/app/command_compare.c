/*
 * `thresher compare`: compares two files of records, for example before and after an
 * upgrade.
 *
 * Both files are read once and at the same time. Records with the same id are compared. A
 * record without its counterpart waits in a window, because the other file may have other
 * records before it, or another order. If a window is full, its oldest record is reported
 * as missing in the other file. So memory is bounded for any size of the files.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "app/program.h"
#include "app/record_diff.h"
#include "app/say.h"
#include "base/json.h"
#include "base/stop.h"
#include "dedup/line_reader.h"

const char th_compare_usage[] =
    "usage: thresher compare [--json] OLD.jsonl NEW.jsonl\n\n"
    "Compares records with the same id, and reports fields that differ: number of "
    "records, and\n"
    "the first ids. Files may be compressed (gzip, zstd); - is stdin. A record may be up "
    "to\n"
    "1024 records away from its place in the other file.\n"
    "Exit codes: 0 all records are equal, 1 they differ, 2 wrong usage, 74 a file cannot "
    "be\n"
    "read or is damaged.\n";

enum {
    WINDOW = 1024,              /* records of a file that wait */
    WINDOW_BYTES = 64 << 20,    /* and their bytes */
    LINE_MAX_BYTES = 256 << 20, /* of a record */
};

struct waiting {
    uint64_t hash;
    th_view id;
    char *line; /* NULL: an empty place. Owned */
    size_t len;
};

/* A file of records. */
struct side {
    const char *path;
    th_decompressed_input *input;
    th_line_reader *lines;
    struct waiting window[WINDOW]; /* a ring: the oldest is at `first` */
    uint32_t first, count;         /* places, also empty ones */
    size_t bytes;
    uint64_t records, bad, missing; /* missing: in the other file */
    th_view examples[TH_DIFF_EXAMPLES];
    bool is_read;
};

struct comparison {
    struct side sides[2]; /* old, new */
    th_record_diff diff;
    uint64_t equal, different;
};

static void bad_line(struct side *side, uint64_t number)
{
    if (side->bad++ < TH_DIFF_EXAMPLES)
        th_say("'%s': line %" PRIu64 " is not a record (expected a JSON object with id "
               "or url)",
               side->path, number);
}

/* Removes the oldest place of a window. A record there is missing in the other file. */
static th_status drop_oldest(struct comparison *comparison, struct side *side)
{
    struct waiting *oldest = &side->window[side->first];
    th_status status = TH_OK;
    if (oldest->line) {
        for (unsigned i = 0; i < TH_DIFF_EXAMPLES; i++)
            if (!side->examples[i].data) {
                side->examples[i] = th_arena_copy(comparison->diff.arena, oldest->id);
                status = side->examples[i].data ? TH_OK : TH_NOMEM;
                break;
            }
        side->missing++;
        side->bytes -= oldest->len;
        free(oldest->line);
        oldest->line = NULL;
    }
    side->first = (side->first + 1) % WINDOW;
    side->count--;
    return status;
}

static th_status keep(struct comparison *comparison, struct side *side, uint64_t hash,
                      th_view id, th_view line)
{
    th_status status = TH_OK;
    while (status == TH_OK && side->count &&
           (side->count == WINDOW || side->bytes + line.len > WINDOW_BYTES))
        status = drop_oldest(comparison, side);
    char *copy = status == TH_OK ? malloc(line.len + 1) : NULL;
    if (!copy)
        return TH_NOMEM;
    memcpy(copy, line.data, line.len);
    struct waiting *place = &side->window[(side->first + side->count++) % WINDOW];
    *place = (struct waiting){
        hash, { copy + (id.data - line.data), id.len }, copy, line.len
    };
    side->bytes += line.len;
    return TH_OK;
}

static struct waiting *find(struct side *side, uint64_t hash, th_view id)
{
    for (uint32_t i = 0; i < side->count; i++) {
        struct waiting *place = &side->window[(side->first + i) % WINDOW];
        if (place->line && place->hash == hash && place->id.len == id.len &&
            memcmp(place->id.data, id.data, id.len) == 0)
            return place;
    }
    return NULL;
}

static th_status match(struct comparison *comparison, unsigned which, th_view id,
                       th_view line)
{
    struct side *other = &comparison->sides[!which];
    const uint64_t hash = XXH3_64bits(id.data, id.len);
    struct waiting *place = find(other, hash, id);
    if (!place)
        return keep(comparison, &comparison->sides[which], hash, id, line);
    const th_view old_line = which ? (th_view){ place->line, place->len } : line;
    const th_view new_line = which ? line : (th_view){ place->line, place->len };
    bool same = false;
    const th_status status =
        th_record_diff_add(&comparison->diff, id, old_line, new_line, &same);
    other->bytes -= place->len;
    free(place->line);
    place->line = NULL;
    while (other->count && !other->window[other->first].line)
        (void)drop_oldest(comparison, other);
    if (status == TH_DAMAGED)
        bad_line(&comparison->sides[which], comparison->sides[which].lines->number);
    else if (status == TH_OK)
        ++*(same ? &comparison->equal : &comparison->different);
    return status == TH_DAMAGED ? TH_OK : status;
}

/* Reads the next record of a file. */
static th_status step(struct comparison *comparison, unsigned which, th_error *err)
{
    struct side *side = &comparison->sides[which];
    th_view line;
    const th_status status = th_line_read(side->lines, &line, err);
    if (status == TH_END)
        side->is_read = true;
    if (status == TH_END || (status == TH_OK && !line.len))
        return TH_OK;
    if (status != TH_OK && status != TH_TOO_LARGE)
        return status;
    const th_view id = status == TH_OK ? th_record_key(line) : (th_view){ NULL, 0 };
    side->records++;
    if (!id.data) {
        bad_line(side, side->lines->number);
        return TH_OK;
    }
    return match(comparison, which, id, line) == TH_OK
               ? TH_OK
               : th_fail(err, TH_NOMEM, "out of memory for records");
}

static th_status open_side(struct side *side, th_error *err)
{
    const th_status status =
        th_decompressed_open(side->path, NULL, &th_stop_requested, &side->input, err);
    if (status != TH_OK)
        return status;
    char start[4];
    if (th_decompressed_peek(side->input, start, sizeof start) == sizeof start &&
        memcmp(start, "PAR1", sizeof start) == 0)
        return th_fail(err, TH_USAGE,
                       "'%s' is Parquet; compare reads JSON lines (--format jsonl)",
                       side->path);
    side->lines = calloc(1, sizeof *side->lines);
    if (!side->lines)
        return th_fail(err, TH_NOMEM, "out of memory for a line");
    th_line_reader_start(side->lines, side->input, LINE_MAX_BYTES);
    return TH_OK;
}

static void close_side(struct side *side)
{
    for (uint32_t i = 0; i < WINDOW; i++)
        free(side->window[i].line);
    if (side->lines)
        th_line_reader_done(side->lines);
    free(side->lines);
    th_decompressed_free(side->input);
}

static th_status compare(struct comparison *comparison, th_error *err)
{
    th_status status = th_record_diff_init(&comparison->diff) == TH_OK
                           ? TH_OK
                           : th_fail(err, TH_NOMEM, "out of memory");
    for (unsigned i = 0; i < 2 && status == TH_OK; i++)
        status = open_side(&comparison->sides[i], err);
    while (status == TH_OK &&
           !(comparison->sides[0].is_read && comparison->sides[1].is_read))
        for (unsigned i = 0; i < 2 && status == TH_OK; i++)
            if (!comparison->sides[i].is_read)
                status = step(comparison, i, err);
    for (unsigned i = 0; i < 2; i++)
        while (status == TH_OK && comparison->sides[i].count)
            if (drop_oldest(comparison, &comparison->sides[i]) != TH_OK)
                status = th_fail(err, TH_NOMEM, "out of memory for records");
    return status;
}

/* ---- report ---- */

static void print_examples(const th_view *examples)
{
    for (unsigned i = 0; i < TH_DIFF_EXAMPLES && examples[i].data; i++)
        printf(" %.*s", (int)(examples[i].len > 200 ? 200 : examples[i].len),
               examples[i].data);
    putchar('\n');
}

static void print_text(const struct comparison *comparison)
{
    static const char *const names[] = { "only in OLD", "only in NEW" };
    printf("records  %" PRIu64 " equal, %" PRIu64 " different, %" PRIu64
           " only in OLD, %" PRIu64 " only in NEW\n",
           comparison->equal, comparison->different, comparison->sides[0].missing,
           comparison->sides[1].missing);
    for (unsigned i = 0; i < 2; i++)
        if (comparison->sides[i].missing) {
            printf("%s:", names[i]);
            print_examples(comparison->sides[i].examples);
        }
    if (comparison->diff.field_count)
        printf("%-24s %9s %9s %9s  first records\n", "field", "changed", "added",
               "removed");
    for (uint32_t i = 0; i < comparison->diff.field_count; i++) {
        const th_diff_field *field = &comparison->diff.fields[i];
        if (!field->name.data)
            continue;
        printf("%-24.*s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " ", (int)field->name.len,
               field->name.data, field->changed, field->added, field->removed);
        print_examples(field->examples);
    }
}

static void json_examples(th_json *json, const char *key, const th_view *examples)
{
    th_json_key(json, key);
    th_json_open_array(json);
    for (unsigned i = 0; i < TH_DIFF_EXAMPLES && examples[i].data; i++)
        th_json_string(json, examples[i]);
    th_json_close_array(json);
}

static th_status print_json(const struct comparison *comparison, th_error *err)
{
    th_json json;
    th_buffer out = { 0 };
    th_json_begin(&json, &out);
    th_json_open_object(&json);
    th_json_member_uint(&json, "equal", comparison->equal);
    th_json_member_uint(&json, "different", comparison->different);
    th_json_member_uint(&json, "only_old", comparison->sides[0].missing);
    th_json_member_uint(&json, "only_new", comparison->sides[1].missing);
    json_examples(&json, "only_old_first", comparison->sides[0].examples);
    json_examples(&json, "only_new_first", comparison->sides[1].examples);
    th_json_member_uint(&json, "bad_lines",
                        comparison->sides[0].bad + comparison->sides[1].bad);
    th_json_key(&json, "fields");
    th_json_open_array(&json);
    for (uint32_t i = 0; i < comparison->diff.field_count; i++) {
        const th_diff_field *field = &comparison->diff.fields[i];
        if (!field->name.data)
            continue;
        th_json_open_object(&json);
        th_json_member(&json, "name", field->name);
        th_json_member_uint(&json, "changed", field->changed);
        th_json_member_uint(&json, "added", field->added);
        th_json_member_uint(&json, "removed", field->removed);
        json_examples(&json, "first", field->examples);
        th_json_close_object(&json);
    }
    th_json_close_array(&json);
    th_json_close_object(&json);
    const th_status status = th_json_end(&json);
    if (status == TH_OK)
        (void)fwrite(out.data, 1, out.len, stdout);
    th_buffer_done(&out);
    return status == TH_OK ? TH_OK : th_fail(err, status, "out of memory");
}

static int code_of(const struct comparison *comparison)
{
    if (comparison->sides[0].bad || comparison->sides[1].bad)
        return TH_EXIT_IO;
    return comparison->different || comparison->sides[0].missing ||
                   comparison->sides[1].missing
               ? 1
               : TH_EXIT_OK;
}

int th_command_compare(const th_program *program, int argc, char **argv)
{
    (void)program;
    th_error err = { .text = "" };
    bool is_json = false;
    int files = 0;
    const char *paths[2];
    th_exit_on_sigpipe();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(th_compare_usage, stdout);
            return TH_EXIT_OK;
        }
        if (strcmp(argv[i], "--json") == 0) {
            is_json = true;
        } else if (argv[i][0] == '-' && argv[i][1]) {
            (void)th_fail(&err, TH_USAGE, "unknown option '%.80s'", argv[i]);
            return th_complain(&err);
        } else {
            if (files < 2)
                paths[files] = argv[i];
            files++;
        }
    }
    if (files != 2) {
        fputs(th_compare_usage, stderr);
        return TH_EXIT_USAGE;
    }
    struct comparison *comparison = calloc(1, sizeof *comparison);
    if (!comparison) {
        (void)th_fail(&err, TH_NOMEM, "out of memory");
        return th_complain(&err);
    }
    for (unsigned i = 0; i < 2; i++)
        comparison->sides[i].path = paths[i];
    th_status status = compare(comparison, &err);
    if (status == TH_OK && is_json)
        status = print_json(comparison, &err);
    else if (status == TH_OK)
        print_text(comparison);
    int code = code_of(comparison);
    if (status == TH_BAD_CODING) { /* not the code for a difference */
        (void)th_complain(&err);
        code = TH_EXIT_IO;
    } else if (status != TH_OK) {
        code = th_complain(&err);
    }
    for (unsigned i = 0; i < 2; i++)
        close_side(&comparison->sides[i]);
    th_record_diff_done(&comparison->diff);
    free(comparison);
    return code;
}
