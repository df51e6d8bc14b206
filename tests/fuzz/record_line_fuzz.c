/*
 * Any bytes as a line of records: reading ends, and usable values are valid. If an
 * independent parser accepts the line as JSON, our reader does as well.
 */
#include <stdlib.h>
#include <string.h>

#include "dedup/signature_params.h"
#include "fuzz_target.h"
#include "json_tree.h"

static void require(bool claim)
{
    if (!claim)
        abort();
}

static bool is_json(const uint8_t *data, size_t size)
{
    json *tree = json_read((const char *)data, size);
    json_free(tree);
    return tree != NULL;
}

/* Whether it may be deeper than our reader allows. */
static bool is_deep(const uint8_t *data, size_t size)
{
    size_t opens = 0;
    for (size_t i = 0; i < size; i++)
        opens += data[i] == '[' || data[i] == '{';
    return opens > 64;
}

static void pack(const th_record_line *record)
{
    th_signature_params params;
    th_signature_init(&params, TH_COMPARE_EITHER, 0);
    if (th_signature_agree(&params, record, "fuzz", NULL) != TH_OK)
        return;
    unsigned char *row = malloc(th_signature_row_len(&params));
    uint64_t *slots = malloc(((size_t)2 * params.slots + 1) * sizeof *slots);
    uint64_t *keys = malloc(th_signature_key_count(&params) * sizeof *keys);
    if (th_signature_pack(&params, record, slots, row) == TH_RECORD_NONE) {
        th_signed_row signed_row = { .slots = slots };
        th_signature_unpack(&params, row, &signed_row);
        require(th_signature_keys(&params, &signed_row, keys) <=
                th_signature_key_count(&params));
        const th_likeness same = th_signature_compare(&params, &signed_row, &signed_row);
        require(!signed_row.head.has_digest || same.is_duplicate);
    }
    free(row);
    free(slots);
    free(keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    th_record_line record = { .text = { 0 } };
    th_record_fault fault = TH_RECORD_FAULT_COUNT;
    const th_view line = { (const char *)data, size };
    require(th_record_line_read(&record, line, &fault) == TH_OK);
    require(fault < TH_RECORD_FAULT_COUNT);
    if (fault == TH_RECORD_NONE) {
        require(record.id.len > 0 && record.id.len <= size);
        require(!memchr(record.id.data, '\n', record.id.len));
        pack(&record);
    }
    /* Spaces before the object are not skipped, because lines start with '{'. */
    if (fault == TH_RECORD_BAD_JSON && size && data[0] == '{' && !is_deep(data, size))
        require(!is_json(data, size));
    th_record_line_done(&record);
    return 0;
}
