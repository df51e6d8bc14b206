/* Records in, one after the other. See the header. */
#include "app/dedup_reading.h"

#include <stdio.h>

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

static th_status take_record(void *context, const th_record_input *input,
                             th_record_fault fault, th_error *err)
{
    th_dedup_reading *reading = context;
    const th_record_files *files = &reading->files;
    char place[TH_PLACE_MAX];
    char full[TH_FULL_PLACE_MAX];
    th_status status = TH_OK;
    th_record_input_place(input, place);
    (void)snprintf(full, sizeof full, "%.400s: %s", files->path, place);
    if (reading->report->read++ % LOOK_EVERY == 0)
        th_dedup_reading_show(reading, TH_STEP_READING,
                              files->bytes_before + th_record_input_report(input),
                              files->inputs.total_bytes);
    if (fault == TH_RECORD_NONE)
        status =
            reading->take(reading->context, &reading->record, full, place, &fault, err);
    if (status == TH_OK && fault != TH_RECORD_NONE)
        th_dedup_reading_report(reading, full, fault);
    else if (reading->record.is_error_page)
        reading->report->error_pages++;
    return status;
}

th_status th_dedup_reading_run(th_dedup_reading *reading, size_t max_line, th_error *err)
{
    const th_record_work work = { reading, next_record, take_record };
    const th_status status = th_record_files_read(&reading->files, max_line, &work, err);
    reading->report->inputs = reading->files.begun;
    reading->report->damaged_inputs = reading->files.damaged;
    reading->report->bytes = reading->files.bytes_before;
    return status;
}

void th_dedup_reading_done(th_dedup_reading *reading)
{
    th_record_line_done(&reading->record);
    th_input_list_done(&reading->files.inputs);
}
