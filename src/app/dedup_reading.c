/* Records in, one after the other. See the header. */
#include "app/dedup_reading.h"

#include <stdio.h>
#include <string.h>

#include "app/say.h"
#include "dedup/record_locations.h"

enum { LOOK_EVERY = 1024 }; /* records between two looks at the clock */

void th_dedup_reading_show(void *context, const char *step, uint64_t done, uint64_t total)
{
    th_dedup_reading *reading = context;
    th_record_files_show(&reading->files, step, done, total, reading->report->read);
}

void th_dedup_reading_report(th_dedup_reading *reading, const char *place,
                             th_record_fault fault)
{
    const uint64_t told = th_dedup_report_refused(reading->report);
    reading->report->refused[fault]++;
    if (told > TH_TOLD_FAULTS)
        return;
    th_progress_clear(&reading->files.progress);
    if (told < TH_TOLD_FAULTS)
        th_say("%s: %s", place, th_record_fault_text(fault));
    else
        th_say("further faulty records are counted, not listed");
}

static th_status next_record(void *context, th_record_input *input,
                             th_record_fault *fault, th_error *wrong)
{
    th_dedup_reading *reading = context;
    return th_record_input_next(input, &reading->record, fault, wrong);
}

/* Passes on a record, or a paragraph, and counts it. */
static th_status take_unit(th_dedup_reading *reading, const th_record_line *unit,
                           const char *place, th_record_fault fault, th_error *err)
{
    char full[TH_FULL_PLACE_MAX];
    th_status status = TH_OK;
    (void)snprintf(full, sizeof full, "%.400s: %s", reading->files.path, place);
    reading->report->read++;
    if (fault == TH_RECORD_NONE)
        status = reading->take(reading->context, unit, full, place, &fault, err);
    if (status == TH_OK && fault != TH_RECORD_NONE)
        th_dedup_reading_report(reading, full, fault);
    else if (reading->record.is_error_page)
        reading->report->error_pages++;
    return status;
}

static th_status take_paragraphs(th_dedup_reading *reading, const char *place,
                                 th_error *err)
{
    th_paragraph_walk walk = { .record = &reading->record, .id = &reading->id };
    char words[TH_PLACE_MAX];
    th_status status = TH_OK;
    if (reading->record.is_error_page) {
        reading->report->error_pages++;
        return TH_OK;
    }
    while (status == TH_OK && (status = th_paragraph_next(&walk)) == TH_OK) {
        (void)snprintf(words, sizeof words, "%.30s #%u", place, walk.number);
        status = take_unit(reading, &walk.unit, words, TH_RECORD_NONE, err);
    }
    if (status == TH_NOMEM)
        return th_fail(err, status, "out of memory for a paragraph");
    return status == TH_END ? TH_OK : status;
}

static th_status take_record(void *context, const th_record_input *input,
                             th_record_fault fault, th_error *err)
{
    th_dedup_reading *reading = context;
    const th_record_files *files = &reading->files;
    char place[TH_PLACE_MAX];
    th_record_input_place(input, place);
    if (reading->report->documents++ % LOOK_EVERY == 0)
        th_dedup_reading_show(reading, TH_STEP_READING,
                              files->bytes_before + th_record_input_report(input),
                              files->inputs.total_bytes);
    if (fault == TH_RECORD_NONE && reading->has_paragraphs)
        return take_paragraphs(reading, place, err);
    if (fault == TH_RECORD_NONE && reading->by != TH_BY_SIMILARITY &&
        th_exact_record(&reading->record, reading->by, reading->arena) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory for the text of a record");
    return take_unit(reading, &reading->record, place, fault, err);
}

static th_status prepare(th_dedup_reading *reading, const th_settings *settings,
                         th_error *err)
{
    const th_dedup_settings *dedup = &settings->dedup;
    while (strcmp(th_dedup_by_names[reading->by], dedup->by) != 0)
        reading->by++; /* the option table allows no other */
    reading->has_paragraphs = strcmp(dedup->unit, "paragraph") == 0;
    reading->arena = th_arena_new(0);
    if (!reading->arena)
        return th_fail(err, TH_NOMEM, "out of memory to read records");
    if (reading->has_paragraphs && reading->by == TH_BY_URL)
        return th_fail(err, TH_USAGE,
                       "--unit paragraph compares texts, not --by url (use --by text)");
    reading->report->exact = reading->has_paragraphs     ? "paragraph"
                             : reading->by == TH_BY_URL  ? "URL"
                             : reading->by == TH_BY_TEXT ? "text"
                                                         : NULL;
    return TH_OK;
}

th_status th_dedup_reading_run(th_dedup_reading *reading, const th_settings *settings,
                               th_error *err)
{
    const th_record_work work = { reading, next_record, take_record };
    th_dedup_report *report = reading->report;
    th_status status = prepare(reading, settings, err);
    if (status != TH_OK)
        return status;
    const th_record_use use = reading->has_paragraphs     ? TH_RECORD_TEXTS
                              : reading->by == TH_BY_TEXT ? TH_RECORD_DIGESTS
                                                          : TH_RECORD_SIGNATURES;
    status = th_record_files_read(&reading->files, use, (size_t)settings->dedup.max_line,
                                  &work, err);
    report->inputs = reading->files.begun;
    report->damaged_inputs = reading->files.damaged;
    report->bytes = reading->files.bytes_before;
    if (status == TH_OK && report->documents > report->error_pages && !report->read)
        status = th_fail(err, TH_USAGE, "no record has a text with paragraphs");
    return status;
}

void th_dedup_reading_done(th_dedup_reading *reading)
{
    th_record_line_done(&reading->record);
    th_buffer_done(&reading->id);
    th_arena_free(reading->arena);
    th_record_files_done(&reading->files);
}
