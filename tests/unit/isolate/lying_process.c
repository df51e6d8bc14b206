#include "isolate/lying_process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "index/index_scene.h"
#include "isolate/result_message.h"
#include "traffic/near_duplicate.h"

enum { RECORDS = 6, MOST = 64 << 20 };

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* Two similar pages, a non-page, a page without words, and two other pages. */
static void fill_batch(th_batch *batch)
{
    static const char alike[] =
        "<p>one page with many a word in it, as many as are needed to be signed";
    static const char other[] =
        "<p>another page that says what no other page says, in so many words";
    static const char last[] =
        "<p>and a last page, of which nobody knows what it is about until it was read";
    const char *const pages[RECORDS] = { alike, alike, NULL, "<p>", other, last };
    static const char *const ids[RECORDS] = { "<0>", "<1>", "<2>", "<3>", "<4>", "<5>" };
    batch->record_count = RECORDS;
    for (uint32_t i = 0; i < RECORDS; i++)
        batch->records[i] = (th_record){
            .kind = pages[i] ? TH_RECORD_RESPONSE : TH_RECORD_OTHER,
            .url = TH_VIEW("http://a.example/"),
            .id = (th_view){ ids[i], strlen(ids[i]) },
            .content_type = TH_VIEW("text/html"),
            .block = (th_view){ pages[i], pages[i] ? strlen(pages[i]) : 0 },
        };
}

static void read_message(int fd, th_buffer *out)
{
    const off_t len = lseek(fd, 0, SEEK_END);
    expect(len > 0 && th_buffer_reserve(out, (size_t)len));
    expect(pread(fd, out->data, (size_t)len, 0) == len);
    out->len = (size_t)len;
}

lying_process *lying_process_new(void)
{
    lying_process *process = calloc(1, sizeof *process);
    expect(process != NULL);
    process->folder = index_scene_folder();
    const th_index_options index_options = index_scene_options(process->folder);
    process->index = index_scene_open(&index_options);
    th_options_init(&process->page);
    process->page.classifier = "num-words";
    process->options = (th_work_options){ .page = &process->page,
                                          .format = th_format_find("jsonl"),
                                          .format_options = { .page = &process->page },
                                          .index = process->index,
                                          .wants_bands = true,
                                          .low_bits = 8,
                                          .wants_pieces = true,
                                          .wants_rejects = true };
    process->batch.arena = th_arena_new(0);
    fill_batch(&process->batch);
    th_work_buffers buffers = { .pages = { 0 } };
    th_work_result result;
    th_worker *worker = th_worker_new(&process->options);
    expect(worker != NULL);
    expect(th_work(worker, &process->batch, NULL, &buffers, &result, NULL) == TH_OK);
    const int fd = memfd_create("message", 0);
    expect(fd >= 0 && th_result_send(fd, &result, TH_OK) == TH_OK);
    read_message(fd, &process->honest);
    (void)close(fd);
    th_worker_free(worker);
    th_work_buffers_done(&buffers);
    return process;
}

void lying_process_free(lying_process *process)
{
    th_index_close(process->index);
    index_scene_remove(process->folder);
    th_arena_free(process->batch.arena);
    th_buffer_done(&process->honest);
    free(process);
}

static th_status read_view(void *context, void *bytes, size_t len)
{
    th_view *rest = context;
    if (rest->len < len)
        return TH_IO;
    if (len)
        memcpy(bytes, rest->data, len);
    *rest = (th_view){ rest->data + len, rest->len - len };
    return TH_OK;
}

static uint64_t sum_of(const char *bytes, size_t len)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < len; i++)
        sum += (unsigned char)bytes[i];
    return sum;
}

/* As a sink of single records does. */
static uint64_t use_pieces(const th_work_result *result)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < result->batch->record_count; i++) {
        const th_piece *piece = &result->pieces[i];
        const th_view bytes = piece->status == TH_OK ? result->pages : result->rejects;
        sum += sum_of(bytes.data + piece->start, piece->len);
        sum += sum_of(result->details.data + piece->detail_start, piece->detail_len);
        sum += sum_of((const char *)result->bands + piece->bands_start * TH_BAND_KEY_LEN,
                      piece->bands_count * TH_BAND_KEY_LEN);
        sum += sum_of((const char *)result->low_bits + piece->low_start, piece->low_len);
        sum += strlen(th_status_name(piece->status));
    }
    return sum;
}

th_status lying_process_hear(lying_process *process, th_view bytes)
{
    th_work_buffers buffers = { .pages = { 0 } };
    th_work_result result = { .options = &process->options,
                              .buffers = &buffers,
                              .batch = &process->batch };
    th_counts sum = { 0 };
    const th_status status = th_result_receive(read_view, &bytes, 0, MOST, &sum, &result);
    if (status == TH_OK) {
        expect(sum.read == RECORDS && sum.emitted + th_counts_refused(&sum) == RECORDS);
        expect(th_near_duplicate_settle(&result, NULL) == TH_OK);
        expect(use_pieces(&result) > 0);
    }
    th_work_buffers_done(&buffers);
    return status;
}
