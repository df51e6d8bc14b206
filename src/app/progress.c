/* Progress and summary. Writes to a stream, decides nothing. */
#include "app/progress.h"

#include <inttypes.h>

#include "base/clock.h"

void th_progress_start(th_progress *progress, FILE *out, bool is_quiet,
                       uint64_t total_bytes, uint64_t start_bytes)
{
    *progress = (th_progress){ .total_bytes = total_bytes };
    th_progress_bar_start(&progress->bar, out, is_quiet, start_bytes);
    progress->started = progress->bar.started;
}

static double rate(uint64_t amount, double seconds)
{
    return seconds > 0 ? (double)amount / seconds : 0;
}

void th_progress_update(th_progress *progress, const th_source_counts *source,
                        const th_counts *counts)
{
    char words[96];
    if (!th_progress_bar_is_due(&progress->bar))
        return;
    const double seconds = th_clock_seconds(CLOCK_MONOTONIC) - progress->started;
    (void)snprintf(
        words, sizeof words, "%" PRIu64 " pages  %.0f pages/s  %" PRIu64 " refused",
        counts->emitted, rate(counts->emitted, seconds), th_counts_refused(counts));
    const th_progress_view view = { .done = source->bytes_read,
                                    .total = progress->total_bytes,
                                    .is_bytes = true,
                                    .words = words };
    th_progress_bar_show(&progress->bar, &view);
}

void th_progress_clear(th_progress *progress)
{
    th_progress_bar_clear(&progress->bar);
}

static void print_reasons(FILE *out, const th_counts *counts)
{
    const char *comma = " (";
    for (unsigned i = 0; i < TH_STATUS_COUNT; i++) {
        if (!counts->refused[i])
            continue;
        fprintf(out, "%s%s %" PRIu64, comma, th_status_name((th_status)i),
                counts->refused[i]);
        comma = ", ";
    }
    fputs(th_counts_refused(counts) ? ")\n" : "\n", out);
}

static void print_flags(FILE *out, const th_counts *counts)
{
    const char *comma = "flags    ";
    for (unsigned i = 0; i < TH_FLAG_COUNT; i++) {
        if (!counts->flagged[i])
            continue;
        fprintf(out, "%s%s %" PRIu64, comma, th_flag_name(i), counts->flagged[i]);
        comma = ", ";
    }
    if (comma[0] == ',')
        fputc('\n', out);
}

/* Prints the crawler's languages, compared with the detected ones. */
static void print_crawl(FILE *out, const uint64_t counts[TH_OTHER_LANGUAGE + 1])
{
    if (counts[TH_NOT_COMPARED] + counts[TH_SAME_LANGUAGE] + counts[TH_OTHER_LANGUAGE])
        fprintf(out,
                "crawl    names %" PRIu64
                " languages that match the detected language, %" PRIu64
                " that differ, %" PRIu64 " undecided\n",
                counts[TH_SAME_LANGUAGE], counts[TH_OTHER_LANGUAGE],
                counts[TH_NOT_COMPARED]);
}

/* Prints the counts of this run, and the current size of the index. */
static void print_index(FILE *out, const th_counts *counts, const th_index *index)
{
    th_index_stats facts;
    th_index_facts_get(index, &facts);
    fprintf(out,
            "index    %" PRIu64
            " near-duplicates (%.1f%% of pages); %u segments, %.1f MB "
            "on disk, table of %.1f MB in memory\n",
            counts->duplicates, 100 * rate(counts->duplicates, (double)counts->emitted),
            facts.segments, (double)(facts.journal_bytes + facts.table_bytes) / 1e6,
            (double)facts.memory_bytes / 1e6);
    if (facts.counts.damaged || facts.counts.rebuilt || facts.counts.capped)
        fprintf(out,
                "         since its creation: %" PRIu64 " places damaged, %" PRIu64
                " tables rebuilt, %" PRIu64 " keys omitted from full buckets\n",
                facts.counts.damaged, facts.counts.rebuilt, facts.counts.capped);
}

void th_progress_counts(FILE *out, const th_source_counts *source,
                        const th_counts *counts, const th_index *index)
{
    fprintf(out, "records  %" PRIu64 " read, %" PRIu64 " emitted, %" PRIu64 " refused",
            counts->read, counts->emitted, th_counts_refused(counts));
    print_reasons(out, counts);
    print_flags(out, counts);
    print_crawl(out, counts->crawl_languages);
    if (index)
        print_index(out, counts, index);
    if (source->damaged || source->unreadable)
        fprintf(out,
                "damage   %" PRIu64 " places, %" PRIu64 " inputs not read completely\n",
                source->damaged, source->unreadable);
}

void th_progress_summary(const th_progress *progress, const th_source_counts *source,
                         const th_counts *counts, const th_index *index)
{
    FILE *out = progress->bar.out;
    const double seconds = th_clock_seconds(CLOCK_MONOTONIC) - progress->started;
    th_progress_counts(out, source, counts, index);
    fprintf(out,
            "bytes    %.1f MB read, %.1f MB of HTML, %" PRIu64 " tokens in %.2f s: "
            "%.1f MB of HTML a second\n",
            (double)source->bytes_read / 1e6, (double)counts->html_bytes / 1e6,
            counts->tokens, seconds, rate(counts->html_bytes, seconds) / 1e6);
}
