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
    { PREFIX "messages_total", "counter", "Messages received.", AT(messages) },
    { PREFIX "messages_again_total", "counter",
      "Messages read again to rebuild the table of a partition.", AT(again) },
    { PREFIX "compared_total", "counter", "Comparisons of two records.", AT(compared) },
    { PREFIX "edges_total", "counter", "Pairs written, in committed transactions.",
      AT(edges) },
    { PREFIX "edges_left_out_total", "counter",
      "Pairs omitted because their edge exceeds the maximum message size.",
      AT(left_out) },
    { PREFIX "late_total", "counter", "Messages of an epoch that is no longer kept.",
      AT(late) },
    { PREFIX "full_total", "counter",
      "Records not kept because their key already had fan-out records.", AT(full) },
    { PREFIX "epochs_shed_total", "counter",
      "Epochs evicted because of the memory limit.", AT(shed) },
    { PREFIX "records", "gauge",
      "Records in memory, counted once per partition and epoch.", AT(records) },
    { PREFIX "bytes", "gauge", "Memory of the tables.", AT(bytes) },
    { PREFIX "partitions_remade_total", "counter",
      "Partitions read from their beginning because their topic was deleted and created "
      "again.",
      AT(remade) },
    { PREFIX "commits_total", "counter", "Transactions committed.", AT(commits) },
    { PREFIX "aborts_total", "counter", "Transactions aborted.", AT(aborts) },
    { PREFIX "rebalances_total", "counter", "Changes of the assigned partitions.",
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
                   "Always 1. Labels have the version of the program.");
    th_buffer_append_text(out, "thresher_build_info{version=\"" TH_VERSION "\"} 1\n");
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        row(out, scalars[i].name, scalars[i].type, scalars[i].help,
            *(const uint64_t *)(const void *)((const char *)facts + scalars[i].at));
    row(out, PREFIX "partitions", "gauge", "Assigned partitions.", facts->partitions);
    row(out, PREFIX "partitions_rebuilding", "gauge",
        "Assigned partitions whose table is still being rebuilt.", facts->rebuilding);
    th_metric_head(out, faults, "counter", "Messages without an effect, by reason.");
    for (int i = TH_PAIRING_NONE + 1; i < TH_PAIRING_FAULT_COUNT; i++)
        th_metric_count(out, faults, "reason", th_pairing_fault_name((th_pairing_fault)i),
                        facts->faults[i]);
    if (process)
        th_metric_process(process, started, out);
}
