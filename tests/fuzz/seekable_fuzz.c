/*
 * Any bytes as a seekable file: it is refused, or each found line is a record with the id.
 * The id is one of the file, if its first line can be read by any decompressor.
 *
 * Input: bytes of an id, u8, the id, the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dedup/record_line.h"
#include "dedup/seekable_file.h"
#include "fuzz_target.h"

static void require(bool claim)
{
    if (!claim)
        abort();
}

static th_status check_line(void *context, th_view line, th_error *err)
{
    const th_view *id = context;
    th_record_line record = { .text = { 0 } };
    th_record_fault fault = TH_RECORD_NONE;
    (void)err;
    require(th_record_line_read(&record, line, &fault) == TH_OK);
    require(fault == TH_RECORD_NONE && record.id.len == id->len &&
            memcmp(record.id.data, id->data, id->len) == 0);
    th_record_line_done(&record);
    return TH_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    th_seekable_file *file = NULL;
    th_error err = { .text = "" };
    if (size < 1 || size < 1u + data[0])
        return 0;
    th_view id = { (const char *)data + 1, data[0] };
    const uint8_t *bytes = data + 1 + data[0];
    const size_t len = size - 1 - data[0];
    (void)snprintf(path, sizeof path, "/dev/shm/thresher-seekable-%ld", (long)getpid());
    FILE *out = fopen(path, "wbe");
    require(out != NULL);
    if (len)
        require(fwrite(bytes, 1, len, out) == len);
    require(fclose(out) == 0);
    th_status status = th_seekable_open(path, &file, &err);
    if (status == TH_OK) {
        uint64_t count = 0;
        status = th_seekable_get(file, id, check_line, &id, &count, &err);
    }
    require(status == TH_OK || *err.text);
    th_seekable_free(file);
    (void)unlink(path);
    return 0;
}
