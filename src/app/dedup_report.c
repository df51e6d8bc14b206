/* The summary of `dedup` in two forms. */
#include "app/dedup_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"

uint64_t th_dedup_report_refused(const th_dedup_report *report)
{
    uint64_t sum = 0;
    for (int i = 0; i < TH_RECORD_FAULT_COUNT; i++)
        sum += report->refused[i];
    return sum;
}

static uint64_t smallest_of(unsigned class)
{
    return class ? ((uint64_t)1 << class) + 1 : 2;
}

/* ---- for people ---- */

static bool is_paragraphs(const th_dedup_report *report)
{
    return report->exact && strcmp(report->exact, "paragraph") == 0;
}

static void print_records(const th_dedup_report *report, FILE *out)
{
    const char *comma = " (";
    fprintf(out, "%s %" PRIu64 " read, %" PRIu64 " used, %" PRIu64 " refused",
            is_paragraphs(report) ? "paragraphs" : "records  ", report->read,
            report->counts.records, th_dedup_report_refused(report));
    for (int i = 0; i < TH_RECORD_FAULT_COUNT; i++) {
        if (!report->refused[i])
            continue;
        fprintf(out, "%s%s %" PRIu64, comma, th_record_fault_name((th_record_fault)i),
                report->refused[i]);
        comma = ", ";
    }
    fputs(th_dedup_report_refused(report) ? ")\n" : "\n", out);
    if (report->error_pages)
        fprintf(out,
                "errors    %" PRIu64 " error pages and redirects (HTTP status is not "
                "2xx), not compared\n",
                report->error_pages);
    if (report->damaged_inputs)
        fprintf(out, "damage    %" PRIu64 " of %" PRIu64 " inputs\n",
                report->damaged_inputs, report->inputs);
    if (report->exact) {
        fprintf(out, "equal     %s; of %" PRIu64 " records\n", report->exact,
                report->documents);
        return;
    }
    fprintf(out, "signed    %s; %" PRIu64 " without signature, compared by digest only\n",
            report->params[0] ? report->params : "nothing",
            report->counts.unsigned_records);
}

static void print_sizes(const th_cluster_sizes *sizes, FILE *out)
{
    const char *start = "sizes     ";
    for (unsigned i = 0; i < TH_SIZE_CLASSES; i++) {
        const uint64_t last = (uint64_t)2 << i;
        if (!sizes->classes[i])
            continue;
        if (i == 0)
            fprintf(out, "%s2: %" PRIu64, start, sizes->classes[i]);
        else
            fprintf(out, "%s%" PRIu64 "-%" PRIu64 ": %" PRIu64, start, smallest_of(i),
                    last, sizes->classes[i]);
        start = ", ";
    }
    if (sizes->clusters)
        fputc('\n', out);
}

static void print_largest(const th_dedup_report *report, th_duplicate_finder *finder,
                          FILE *out)
{
    th_record_name name = { .bytes = { 0 } };
    for (int i = 0; i < TH_LARGEST_CLUSTERS && report->sizes.largest[i]; i++) {
        if (th_record_store_name(finder->store, report->sizes.representatives[i], &name,
                                 NULL) != TH_OK)
            break;
        const th_view shown = name.url.data ? name.url : name.id;
        fprintf(out, "%s%u  %.*s\n", i ? "          " : "largest   ",
                report->sizes.largest[i], (int)(shown.len < 200 ? shown.len : 200),
                shown.data);
    }
    th_buffer_done(&name.bytes);
}

void th_dedup_report_print(const th_dedup_report *report, th_duplicate_finder *finder,
                           FILE *out)
{
    const th_dedup_counts *counts = &report->counts;
    const uint64_t dropped = report->sizes.clustered - report->sizes.clusters;
    const char *units = is_paragraphs(report) ? "paragraphs" : "records";
    print_records(report, out);
    fprintf(out,
            "keys      %" PRIu64 " (%" PRIu64 " runs on disk), %" PRIu64
            " shared, by %" PRIu64 " records at most\n",
            counts->keys, counts->spilled_runs, counts->buckets, counts->largest_bucket);
    if (counts->capped_buckets)
        fprintf(out,
                "capped    %" PRIu64 " keys shared by more than fan-out records; not all "
                "of their pairs were compared\n",
                counts->capped_buckets);
    fprintf(out, "pairs     %" PRIu64 " compared\n", counts->compared);
    fprintf(out,
            "clusters  %" PRIu64 " of %" PRIu64 " %s: %" PRIu64
            " to drop, %.1f%% of the used %s\n",
            report->sizes.clusters, report->sizes.clustered, units, dropped,
            counts->records ? 100.0 * (double)dropped / (double)counts->records : 0.0,
            units);
    print_sizes(&report->sizes, out);
    if (finder)
        print_largest(report, finder, out);
    fprintf(out, "bytes     %.1f MB read in %.2f s\n", (double)report->bytes / 1e6,
            report->seconds);
}

/* ---- for programs ---- */

static void write_records(th_json *json, const th_dedup_report *report)
{
    th_json_member_uint(json, "read", report->read);
    th_json_member_uint(json, "used", report->counts.records);
    th_json_member_uint(json, "refused", th_dedup_report_refused(report));
    th_json_key(json, "refused_by");
    th_json_open_object(json);
    for (int i = 0; i < TH_RECORD_FAULT_COUNT; i++)
        if (report->refused[i])
            th_json_member_uint(json, th_record_fault_name((th_record_fault)i),
                                report->refused[i]);
    th_json_close_object(json);
    th_json_member_uint(json, "error_pages", report->error_pages);
    th_json_member_uint(json, "inputs", report->inputs);
    th_json_member_uint(json, "damaged_inputs", report->damaged_inputs);
    if (report->exact) {
        th_json_member_text(json, "equal", report->exact);
        th_json_member_uint(json, "records", report->documents);
    }
    if (report->params[0])
        th_json_member_text(json, "signing", report->params);
    th_json_member_uint(json, "unsigned", report->counts.unsigned_records);
}

static void write_counts(th_json *json, const th_dedup_report *report)
{
    const th_dedup_counts *counts = &report->counts;
    th_json_member_uint(json, "keys", counts->keys);
    th_json_member_uint(json, "shared_keys", counts->buckets);
    th_json_member_uint(json, "largest_bucket", counts->largest_bucket);
    th_json_member_uint(json, "capped_buckets", counts->capped_buckets);
    th_json_member_uint(json, "compared", counts->compared);
    th_json_member_uint(json, "clusters", report->sizes.clusters);
    th_json_member_uint(json, "clustered", report->sizes.clustered);
    th_json_member_uint(json, "dropped",
                        report->sizes.clustered - report->sizes.clusters);
    th_json_key(json, "sizes");
    th_json_open_array(json);
    for (unsigned i = 0; i < TH_SIZE_CLASSES; i++) {
        if (!report->sizes.classes[i])
            continue;
        th_json_open_object(json);
        th_json_member_uint(json, "from", smallest_of(i));
        th_json_member_uint(json, "to", (uint64_t)2 << i);
        th_json_member_uint(json, "clusters", report->sizes.classes[i]);
        th_json_close_object(json);
    }
    th_json_close_array(json);
}

static th_status write_largest(th_json *json, const th_dedup_report *report,
                               th_duplicate_finder *finder, th_error *err)
{
    th_record_name name = { .bytes = { 0 } };
    th_status status = TH_OK;
    th_json_key(json, "largest");
    th_json_open_array(json);
    for (int i = 0; i < TH_LARGEST_CLUSTERS && report->sizes.largest[i]; i++) {
        status = th_record_store_name(finder->store, report->sizes.representatives[i],
                                      &name, err);
        if (status != TH_OK)
            break;
        th_json_open_object(json);
        th_json_member_uint(json, "size", report->sizes.largest[i]);
        th_json_member(json, "id", name.id);
        th_json_member(json, "url", name.url);
        th_json_close_object(json);
    }
    th_json_close_array(json);
    th_buffer_done(&name.bytes);
    return status;
}

th_status th_dedup_report_json(const th_dedup_report *report, th_duplicate_finder *finder,
                               th_buffer *out, th_error *err)
{
    th_json json;
    th_json_begin(&json, out);
    th_json_open_object(&json);
    write_records(&json, report);
    write_counts(&json, report);
    const th_status status = write_largest(&json, report, finder, err);
    th_json_close_object(&json);
    if (status != TH_OK)
        th_json_fail(&json, status);
    const th_status ended = th_json_end(&json);
    return status == TH_OK && ended != TH_OK
               ? th_fail(err, TH_NOMEM, "out of memory for the report")
               : ended;
}
