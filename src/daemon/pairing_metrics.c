/* See the header. */
#include "daemon/pairing_metrics.h"

#include <stddef.h>

#include "daemon/metric_text.h"
#include "thresher/version.h"

#define PREFIX "thresher_pairs_"

static const struct scalar {
    const char *name, *type, *help;
    size_t at; /* of a uint64_t in the facts */
} scalars[] = {
#define AT(member) offsetof(th_kafka_pairing_stats, member)
    { PREFIX "messages_total", "counter", "Messages taken.", AT(messages) },
    { PREFIX "messages_again_total", "counter",
      "Of them, those read again to make the table of a partition.", AT(again) },
    { PREFIX "compared_total", "counter", "Records compared with one another.",
      AT(compared) },
    { PREFIX "edges_total", "counter", "Pairs written, in committed transactions.",
      AT(edges) },
    { PREFIX "edges_left_out_total", "counter",
      "Pairs whose edge is longer than a message may be.", AT(left_out) },
    { PREFIX "late_total", "counter", "Messages of an epoch that is kept no more.",
      AT(late) },
    { PREFIX "full_total", "counter", "Records not kept: their key had fan-out records.",
      AT(full) },
    { PREFIX "epochs_shed_total", "counter", "Epochs forgotten for want of memory.",
      AT(shed) },
    { PREFIX "records", "gauge", "Records held, in each partition and epoch once.",
      AT(records) },
    { PREFIX "bytes", "gauge", "Memory of the tables.", AT(bytes) },
    { PREFIX "partitions_remade_total", "counter",
      "Partitions read from their beginning because offsets went back: their topic was "
      "deleted and created again.",
      AT(remade) },
    { PREFIX "commits_total", "counter", "Transactions committed.", AT(commits) },
    { PREFIX "aborts_total", "counter", "Transactions aborted.", AT(aborts) },
    { PREFIX "rebalances_total", "counter", "Changes of the partitions that are ours.",
      AT(rebalances) },
#undef AT
};

static void row(th_buffer *out, const char *name, const char *type, const char *help,
                uint64_t value)
{
    th_metric_head(out, name, type, help);
    th_metric_count(out, name, NULL, NULL, value);
}

void th_pairing_metrics_render(const th_kafka_pairing_stats *facts,
                               const th_process_stats *process, double started,
                               th_buffer *out)
{
    static const char faults[] = PREFIX "faulty_messages_total";
    th_metric_head(out, "thresher_build_info", "gauge",
                   "Always 1; the versions that run.");
    th_buffer_append_text(out, "thresher_build_info{version=\"" TH_VERSION "\"} 1\n");
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        row(out, scalars[i].name, scalars[i].type, scalars[i].help,
            *(const uint64_t *)(const void *)((const char *)facts + scalars[i].at));
    row(out, PREFIX "partitions", "gauge", "Partitions that are ours.",
        facts->partitions);
    row(out, PREFIX "partitions_rebuilding", "gauge",
        "Of them, those that are still read again.", facts->rebuilding);
    th_metric_head(out, faults, "counter", "Messages that gave nothing, by reason.");
    for (int i = TH_PAIRING_NONE + 1; i < TH_PAIRING_FAULT_COUNT; i++)
        th_metric_count(out, faults, "reason", th_pairing_fault_name((th_pairing_fault)i),
                        facts->faults[i]);
    if (process)
        th_metric_process(process, started, out);
}
