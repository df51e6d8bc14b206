/*
 * `thresher sites build INPUT... -O FILE`, `sites merge FILE... -O FILE`, `sites show
 * FILE [SITE]`: counts text that recurs on sites, before a run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/site_build.h"
#include "app/verb_job.h"
#include "base/json.h"
#include "site/site_file.h"
#include "site/site_recall.h"

enum {
    SHOWN_SITES = 20, /* sites with most pages, unless all are requested */
    SHOWN_ROWS = 20,  /* paragraphs of a site, and segments */
};

/* ---- build ---- */

static th_status build(th_verb_job *sites, int count, char **inputs, int *code,
                       th_error *err)
{
    const char *const output = sites->settings.sites.output;
    th_status status =
        th_verb_list_inputs(sites, "sites build", count, inputs, output, err);
    if (status != TH_OK)
        return status;
    th_site_build job = { .settings = &sites->settings,
                          .inputs = &sites->inputs,
                          .path = output,
                          .warn = th_verb_warn,
                          .warn_context = sites,
                          .progress = &sites->progress };
    th_progress_start(&sites->progress, stderr, sites->settings.quiet,
                      sites->inputs.total_bytes, 0);
    status = th_site_build_run(&job, err);
    th_progress_clear(&sites->progress);
    if (status == TH_OK && !sites->settings.quiet)
        th_progress_summary(&sites->progress, &job.source, &job.counts, NULL);
    if (status == TH_OK && (job.source.damaged || job.source.unreadable))
        *code = TH_EXIT_INPUT;
    return status;
}

/* ---- merge ---- */

/* An input file of a merge, and the current position in it. */
struct merged {
    th_site_file *file;
    uint64_t at;
};

/*
 * Sites of one number, joined two by two. Entries are dropped only after all are joined,
 * or the order of the files would decide which ones.
 */
static th_status join_next(struct merged *files, int count, uint64_t number,
                           th_buffer scratch[2], th_buffer **joined)
{
    const th_site_limits limits = { TH_SITE_PAGES_MAX, UINT32_MAX, 1 };
    *joined = NULL;
    for (int i = 0; i < count; i++) {
        struct merged *from = &files[i];
        th_site site, before;
        if (from->at == th_site_file_count(from->file) ||
            th_site_file_number(from->file, from->at) != number)
            continue;
        if (th_site_file_at(from->file, from->at++, &site) != TH_OK)
            continue; /* told */
        th_buffer *out = *joined == &scratch[0] ? &scratch[1] : &scratch[0];
        th_buffer_reset(out);
        if (*joined)
            (void)th_site_read(th_buffer_view(*joined), &before, NULL);
        const th_status status = *joined ? th_site_join(&before, &site, &limits, out)
                                         : th_site_add(&site, NULL, 0, &limits, out);
        if (status != TH_OK)
            return status;
        *joined = out;
    }
    return TH_OK;
}

static bool next_number(const struct merged *files, int count, uint64_t *number)
{
    bool has_any = false;
    for (int i = 0; i < count; i++) {
        if (files[i].at == th_site_file_count(files[i].file))
            continue;
        const uint64_t here = th_site_file_number(files[i].file, files[i].at);
        if (!has_any || here < *number)
            *number = here;
        has_any = true;
    }
    return has_any;
}

/* A joined site, within the limits at last. */
static th_status write_joined(const th_verb_job *sites, th_site_writer *writer,
                              const th_buffer *joined, th_buffer *scratch, th_error *err)
{
    const th_site_limits limits = th_site_limits_of(&sites->settings);
    th_site site;
    th_buffer_reset(scratch);
    (void)th_site_read(th_buffer_view(joined), &site, NULL);
    if (th_site_add(&site, NULL, 0, &limits, scratch) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory");
    return site.pages < limits.min
               ? TH_OK
               : th_site_writer_add(writer, th_buffer_view(scratch), err);
}

static th_status write_merged(const th_verb_job *sites, struct merged *files, int count,
                              th_error *err)
{
    th_buffer scratch[3] = { { 0 }, { 0 }, { 0 } };
    th_site_writer *writer = NULL;
    uint64_t number = 0;
    th_status status = th_site_writer_open(
        sites->settings.sites.output, th_site_file_grouping(files[0].file),
        th_site_file_has_segments(files[0].file), &writer, err);
    while (status == TH_OK && next_number(files, count, &number)) {
        th_buffer *joined = NULL;
        status = th_stop_requested ? th_fail(err, TH_INTERRUPTED, "interrupted")
                                   : join_next(files, count, number, scratch, &joined);
        if (status == TH_OK && joined)
            status = write_joined(sites, writer, joined, &scratch[2], err);
    }
    if (status == TH_OK)
        status = th_site_writer_finish(writer, err);
    th_site_writer_free(writer);
    th_buffer_done(&scratch[0]);
    th_buffer_done(&scratch[1]);
    th_buffer_done(&scratch[2]);
    return status;
}

static th_status merge(th_verb_job *sites, int count, char **paths, int *code,
                       th_error *err)
{
    if (!count)
        return th_fail(err, TH_USAGE, "sites merge needs FILE (written by sites build)");
    struct merged *files = calloc((size_t)count, sizeof *files);
    if (!files)
        return th_fail(err, TH_NOMEM, "out of memory");
    th_status status = TH_OK;
    for (int i = 0; i < count && status == TH_OK; i++) {
        status = th_file_uses_input(&sites->files, paths[i], err);
        if (status == TH_OK)
            status =
                th_site_file_open(paths[i], th_verb_warn, sites, &files[i].file, err);
        if (status == TH_OK &&
            th_site_file_grouping(files[i].file) != th_site_file_grouping(files[0].file))
            status = th_fail(err, TH_USAGE,
                             "'%.200s' and '%.200s' have different groupings of sites "
                             "(host and domain)",
                             paths[i], paths[0]);
        if (status == TH_OK && th_site_file_has_segments(files[i].file) !=
                                   th_site_file_has_segments(files[0].file))
            status =
                th_fail(err, TH_USAGE, "only one of '%.200s' and '%.200s' has segments",
                        paths[i], paths[0]);
    }
    if (status == TH_OK)
        status =
            th_verb_check_output(sites, "sites merge", sites->settings.sites.output, err);
    if (status == TH_OK)
        status = write_merged(sites, files, count, err);
    for (int i = 0; i < count; i++) {
        if (status == TH_OK && th_site_file_damaged(files[i].file))
            *code = TH_EXIT_INPUT;
        th_site_file_close(files[i].file);
    }
    free(files);
    return status;
}

/* ---- show ---- */

/* A paragraph or a segment of a site by its count. */
struct shown {
    uint64_t hash;
    uint32_t count;
};

static int by_count(const void *left, const void *right)
{
    const struct shown *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

/* @param rows  room for all hashes of the site; @return how many are of the kind */
static uint32_t gather_shown(const th_site *site, bool wants_segments, struct shown *rows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < site->hash_count; i++)
        if (th_site_hash_is_segment(site->hashes[i]) == wants_segments)
            rows[count++] = (struct shown){ site->hashes[i], site->counts[i] };
    qsort(rows, count, sizeof *rows, by_count);
    return count;
}

static uint32_t paragraph_count(const th_site *site)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < site->hash_count; i++)
        count += !th_site_hash_is_segment(site->hashes[i]);
    return count;
}

static uint32_t recurrent_count(const th_site *site, uint32_t tokens)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < site->hash_count; i++)
        count += !th_site_hash_is_segment(site->hashes[i]) &&
                 th_recurs(site->counts[i], site->pages, tokens);
    return count;
}

static void site_head_json(th_json *json, const th_site *site)
{
    th_json_member(json, "site", site->name);
    th_json_member_uint(json, "pages", site->pages);
    th_json_member_uint(json, "paragraphs", paragraph_count(site));
    th_json_member_uint(json, "recur", recurrent_count(site, 0));
    th_json_member_uint(json, "recur_if_long", recurrent_count(site, TH_RECURS_LONG));
}

static void print_site_head(FILE *out, const th_site *site)
{
    fprintf(out, "%7" PRIu32 " %10" PRIu32 " %6" PRIu32 " %8" PRIu32 "  %.*s\n",
            site->pages, paragraph_count(site), recurrent_count(site, 0),
            recurrent_count(site, TH_RECURS_LONG), (int)site->name.len, site->name.data);
}

static const char head_line[] = "  pages paragraphs  recur  if long  site\n";

/* The names of a segment's positions. NULL if unknown. */
struct places {
    const char *position, *inner;
};

static struct places places_of(uint64_t hash)
{
    return (struct places){ th_position_name((unsigned)(hash >> 3) & TH_SITE_POSITION),
                            th_position_name((unsigned)hash & TH_SITE_POSITION) };
}

/* Digits of a segment's fingerprint that its hash has. */
enum { FINGERPRINT_DIGITS = 14 };

static void shown_json(th_json *json, const struct shown *row)
{
    th_json_open_object(json);
    if (th_site_hash_is_segment(row->hash)) {
        char digits[FINGERPRINT_DIGITS + 1];
        const struct places places = places_of(row->hash);
        (void)snprintf(digits, sizeof digits, "%0*" PRIx64, FINGERPRINT_DIGITS,
                       row->hash >> 8);
        th_json_member_text(json, "fingerprint", digits);
        th_json_member_text(json, "position", places.position);
        th_json_member_text(json, "inner", places.inner);
    } else {
        th_json_key(json, "hash");
        th_json_hex_words(json, &row->hash, 1, sizeof row->hash);
    }
    th_json_member_uint(json, "pages", row->count);
    th_json_close_object(json);
}

static th_status show_site_json(const th_site *site, bool has_segments,
                                struct shown *rows)
{
    th_buffer line = { 0 };
    th_json json;
    th_json_begin(&json, &line);
    th_json_open_object(&json);
    th_json_member_text(&json, "schema", "thresher-site/1");
    site_head_json(&json, site);
    for (unsigned kind = 0; kind < 1u + has_segments; kind++) {
        const uint32_t count = gather_shown(site, kind, rows);
        th_json_key(&json, kind ? "segments" : "hashes");
        th_json_open_array(&json);
        for (uint32_t i = 0; i < count; i++)
            shown_json(&json, &rows[i]);
        th_json_close_array(&json);
    }
    th_json_close_object(&json);
    const th_status status = th_json_end(&json);
    if (status == TH_OK)
        (void)fwrite(line.data, 1, line.len, stdout);
    th_buffer_done(&line);
    return status;
}

static void print_shown(const struct shown *row)
{
    const struct places places = places_of(row->hash);
    if (!th_site_hash_is_segment(row->hash))
        printf("%7" PRIu32 "  %016" PRIx64 "\n", row->count, row->hash);
    else
        printf("%7" PRIu32 "  %0*" PRIx64 "  %-8s  %s\n", row->count, FINGERPRINT_DIGITS,
               row->hash >> 8, places.position ? places.position : "-",
               places.inner ? places.inner : "-");
}

static void show_site_text(const th_site *site, bool has_segments, struct shown *rows)
{
    fputs(head_line, stdout);
    print_site_head(stdout, site);
    for (unsigned kind = 0; kind < 1u + has_segments; kind++) {
        const uint32_t count = gather_shown(site, kind, rows);
        fputs(kind ? "\n  pages  segment         position  inner\n"
                   : "\n  pages  paragraph\n",
              stdout);
        for (uint32_t i = 0; i < count && i < SHOWN_ROWS; i++)
            print_shown(&rows[i]);
        if (count > SHOWN_ROWS)
            printf("         and %" PRIu32 " more; use --json for all\n",
                   count - SHOWN_ROWS);
    }
}

static th_status show_site(const th_verb_job *sites, const th_site *site,
                           bool has_segments, th_error *err)
{
    struct shown *rows = calloc((size_t)site->hash_count + 1, sizeof *rows);
    if (!rows)
        return th_fail(err, TH_NOMEM, "out of memory");
    th_status status = TH_OK;
    if (sites->settings.sites.json)
        status = show_site_json(site, has_segments, rows);
    else
        show_site_text(site, has_segments, rows);
    free(rows);
    return status == TH_OK ? TH_OK : th_fail(err, status, "out of memory");
}

static int by_pages(const void *left, const void *right)
{
    const th_site *a = left, *b = right;
    if (a->pages != b->pages)
        return a->pages < b->pages ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Keeps the sites with most pages in order: `site` takes its place among them. */
static void keep_largest(th_site *largest, uint32_t *count, const th_site *site)
{
    uint32_t i = *count < SHOWN_SITES ? (*count)++ : SHOWN_SITES;
    for (; i > 0 && by_pages(site, &largest[i - 1]) < 0; i--)
        if (i < SHOWN_SITES)
            largest[i] = largest[i - 1];
    if (i < SHOWN_SITES)
        largest[i] = *site;
}

static th_status show_file(const th_verb_job *sites, th_site_file *file, th_error *err)
{
    const uint64_t count = th_site_file_count(file);
    th_site largest[SHOWN_SITES];
    uint32_t kept = 0;
    th_status status = TH_OK;
    if (!sites->settings.sites.json)
        printf("%" PRIu64 " sites by %s, %" PRIu64 " pages\n\n%s", count,
               th_site_groupings[th_site_file_grouping(file)], th_site_file_pages(file),
               head_line);
    for (uint64_t i = 0; i < count && status == TH_OK; i++) {
        th_site site;
        if (th_stop_requested)
            return th_fail(err, TH_INTERRUPTED, "interrupted");
        if (th_site_file_at(file, i, &site) != TH_OK)
            continue; /* told */
        if (!sites->settings.sites.json) {
            keep_largest(largest, &kept, &site);
            continue;
        }
        th_buffer line = { 0 };
        th_json json;
        th_json_begin(&json, &line);
        th_json_open_object(&json);
        site_head_json(&json, &site);
        th_json_close_object(&json);
        status = th_json_end(&json);
        if (status == TH_OK)
            (void)fwrite(line.data, 1, line.len, stdout);
        th_buffer_done(&line);
    }
    for (uint32_t i = 0; i < kept && !sites->settings.sites.json; i++)
        print_site_head(stdout, &largest[i]);
    if (count > kept && !sites->settings.sites.json)
        printf("        and %" PRIu64 " more; use --json for all\n", count - kept);
    return status == TH_OK ? TH_OK : th_fail(err, status, "out of memory");
}

static th_status show(th_verb_job *sites, int count, char **arguments, int *code,
                      th_error *err)
{
    th_site_file *file = NULL;
    th_site_name name;
    th_site site;
    if (count < 1 || count > 2)
        return th_fail(err, TH_USAGE, "sites show needs FILE, and optionally SITE");
    th_exit_on_sigpipe();
    th_status status = th_site_file_open(arguments[0], th_verb_warn, sites, &file, err);
    if (status != TH_OK)
        return status;
    if (count == 1) {
        status = show_file(sites, file, err);
    } else if (!th_site_name_parse((th_view){ arguments[1], strlen(arguments[1]) },
                                   th_site_file_grouping(file), &name)) {
        status = th_fail(err, TH_USAGE, "'%.200s' is not a valid site", arguments[1]);
    } else {
        status = th_site_file_find(file, &name, &site);
        if (status == TH_OK)
            status = show_site(sites, &site, th_site_file_has_segments(file), err);
        else if (status == TH_ABSENT)
            status = th_fail(err, TH_USAGE, "'%.200s' does not contain site '%s'",
                             arguments[0], name.text);
        else
            status = th_fail(err, TH_DAMAGED, "site '%s' is damaged", name.text);
    }
    if (status == TH_OK && th_site_file_damaged(file))
        *code = TH_EXIT_INPUT;
    th_site_file_close(file);
    return status;
}

/* ---- the command ---- */

static const th_verb verbs[] = {
    { "build", build }, { "merge", merge }, { "show", show }, { NULL, NULL }
};

int th_command_sites(const th_program *program, int argc, char **argv)
{
    return th_verb_command(program, "sites", TH_FOR_SITES, verbs, argc, argv);
}
