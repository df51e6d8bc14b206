/* A descriptor with pread, or an object with a request for each part. */
#include "dedup/table_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stoppable_read.h"

struct th_table_input {
    const char *path;
    th_remote *remote; /* NULL: the descriptor is read */
    const atomic_int *stop;
    uint64_t version; /* of the object; 0 if unknown */
    int fd;
    th_parquet_reader *reader;
};

static th_status read_file(void *context, uint64_t offset, char *bytes, size_t len,
                           th_error *err)
{
    const th_table_input *input = context;
    size_t done = 0;
    while (done < len && !th_is_stopped(input->stop)) {
        const ssize_t got =
            pread(input->fd, bytes + done, len - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return th_fail(err, TH_IO, "cannot read '%s' at byte %" PRIu64 ": %s",
                           input->path, offset + done,
                           got < 0 ? strerror(errno) : "it was truncated meanwhile");
        done += (size_t)got;
    }
    return done == len ? TH_OK : th_fail(err, TH_INTERRUPTED, "interrupted");
}

static th_status failure(const th_remote_object *object, const warc_status read,
                         th_error *err)
{
    if (read == WARC_PAUSED)
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    const th_status status = th_remote_object_failure(object, err);
    return status == TH_NOMEM ? status : TH_IO;
}

static th_status read_object(void *context, uint64_t offset, char *bytes, size_t len,
                             th_error *err)
{
    th_table_input *input = context;
    warc_input part = { 0 };
    th_remote_object *object = NULL;
    size_t done = 0, got = 1;
    th_status status = th_remote_open(input->remote, input->path, &part, &object, err);
    if (status != TH_OK)
        return status;
    if (!len)
        goto done;
    th_remote_object_expect(object, input->version);
    th_remote_object_slice(object, offset, offset + len);
    while (status == TH_OK && done < len && got) {
        const warc_status read = part.read(part.context, bytes + done, len - done, &got);
        if (read != WARC_OK)
            status = failure(object, read, err);
        else
            done += got;
    }
    if (status == TH_OK && done < len)
        status =
            th_fail(err, TH_IO, "'%s' ends at byte %" PRIu64, input->path, offset + done);
    input->version = th_remote_object_version(object);
done:
    part.close(part.context);
    return status;
}

static th_status open_file(th_table_input *input, uint64_t *size, th_error *err)
{
    struct stat facts;
    input->fd = open(input->path, O_RDONLY | O_CLOEXEC);
    if (input->fd < 0 || fstat(input->fd, &facts) != 0)
        return th_fail(err, TH_IO, "cannot open '%s': %s", input->path, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        return th_fail(err, TH_ABSENT,
                       "this is Parquet, which is read from a file, not from a pipe");
    *size = (uint64_t)facts.st_size;
    return TH_OK;
}

static th_status size_object(th_table_input *input, uint64_t *size, th_error *err)
{
    warc_input bytes = { 0 };
    th_remote_object *object = NULL;
    th_status status = th_remote_open(input->remote, input->path, &bytes, &object, err);
    if (status != TH_OK)
        return status;
    status = th_remote_object_size(object, size, err);
    input->version = th_remote_object_version(object);
    bytes.close(bytes.context);
    return status == TH_NOT_YET ? TH_IO : status;
}

static th_status check_schema(const th_table_input *input, th_error *err)
{
    static const char wanted[] = "thresher/";
    const th_view schema = th_parquet_reader_pair(input->reader, "thresher.schema");
    if (schema.len >= sizeof wanted - 1 &&
        memcmp(schema.data, wanted, sizeof wanted - 1) == 0)
        return TH_OK;
    if (schema.data)
        return th_fail(err, TH_ABSENT, "this is a Parquet file of '%.*s', not of records",
                       (int)(schema.len < 40 ? schema.len : 40), schema.data);
    return th_fail(err, TH_ABSENT,
                   "this is Parquet, but not records of `thresher run -f parquet`");
}

th_status th_table_input_open(const char *path, th_remote *remote, const atomic_int *stop,
                              const char *const *wanted, th_table_input **out,
                              th_error *err)
{
    th_table_input *input = calloc(1, sizeof *input);
    if (!input)
        return th_fail(err, TH_NOMEM, "out of memory to read '%s'", path);
    *input = (th_table_input){ .path = path, .stop = stop, .fd = -1 };
    if (remote && th_remote_is_name(path))
        input->remote = remote;
    th_error why = { .text = "" };
    th_parquet_source source = { input, 0, input->remote ? read_object : read_file };
    th_status status = input->remote ? size_object(input, &source.size, err)
                                     : open_file(input, &source.size, err);
    if (status == TH_OK) {
        status = th_parquet_reader_open(&source, wanted, &input->reader, &why);
        if (status == TH_DAMAGED)
            status = th_fail(err, TH_BAD_CODING, "%s", why.text);
        else if (status == TH_ABSENT)
            (void)th_fail(err, status, "this is Parquet that thresher did not write: %s",
                          why.text);
        else if (status != TH_OK)
            (void)th_fail(err, status, "%s", why.text);
    }
    if (status == TH_OK)
        status = check_schema(input, err);
    if (status == TH_OK)
        *out = input;
    else
        th_table_input_free(input);
    return status;
}

void th_table_input_free(th_table_input *input)
{
    if (!input)
        return;
    th_parquet_reader_free(input->reader);
    if (input->fd >= 0)
        (void)close(input->fd);
    free(input);
}

th_status th_table_input_next(th_table_input *input, th_view *json, th_error *err)
{
    if (th_is_stopped(input->stop))
        return th_fail(err, TH_INTERRUPTED, "interrupted");
    const th_status status = th_parquet_reader_next(input->reader, json, err);
    return status == TH_DAMAGED ? TH_BAD_CODING : status;
}

uint64_t th_table_input_row(const th_table_input *input)
{
    return th_parquet_reader_row(input->reader);
}

uint64_t th_table_input_report(const th_table_input *input)
{
    return th_parquet_reader_report(input->reader);
}
