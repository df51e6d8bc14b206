/* See the header. Nothing is freed, because the process ends. */
#include "isolate/page_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "isolate/batch_region.h"
#include "isolate/result_message.h"
#include "isolate/sandbox.h"

/* ---- in the fork_server ---- */

#define HEAD(type) "HTTP/1.1 200 OK\r\nContent-Type: text/html" type "\r\n\r\n"

/* Pages that lead through all that is loaded late: decoders of characters, of JSON, of
 * dates; guesses of charset and language. */
static const char english[] =
    HEAD("; charset=gb18030") "<!DOCTYPE html><html lang=\"en\"><head><title>A page that "
                              "is read first</title>"
                              "<meta name=\"date\" content=\"2024-05-06T07:08:09+02:00\">"
                              "<script "
                              "type=\"application/"
                              "ld+json\">{\"@type\":\"Article\",\"headline\":"
                              "\"A "
                              "page\",\"datePublished\":\"2024-05-06\",\"author\":{"
                              "\"name\":\"A. "
                              "Writer\"}}</script></head><body><h1>A page that is read "
                              "first</h1>"
                              "<p>This paragraph is long enough to be looked at by all "
                              "that looks at words, "
                              "sentences and the language that they are written in, and "
                              "it says nothing else.</p>"
                              "<p>The second one is here so that there are two of them, "
                              "for what compares one "
                              "paragraph with the next one needs a next one.</p><a "
                              "href=\"/next\">next</a>"
                              "<table><tr><th>a<td>b</table></body></html>";
static const char unlabelled[] =
    HEAD("") "<p>Gr\xf6\337e und Gewicht der \xc4pfel werden jeden Morgen gemessen, und "
             "am Abend "
             "noch einmal, weil sich beides \374ber den Tag ver\xe4ndert.</p>";
static const char japanese[] =
    HEAD("; charset=shift_jis") "<p>\x93\xfa\x96\x7b\x8c\xea</p>";
static const char *const samples[] = { english, unlabelled, japanese };
enum { SAMPLES = sizeof samples / sizeof *samples };

static th_view text_view(const char *text)
{
    return (th_view){ text, strlen(text) };
}

bool th_page_process_prepare(void *context)
{
    th_page_process *process = context;
    th_work_buffers buffers = { 0 };
    th_work_result result;
    tzset();
    process->batch = calloc(1, sizeof *process->batch);
    process->worker = th_worker_new(process->work);
    if (!process->batch || !process->worker)
        return false;
    for (int i = 0; i < SAMPLES; i++)
        process->batch->records[i] = (th_record){
            .kind = TH_RECORD_RESPONSE,
            .type = text_view("response"),
            .url = text_view("http://page.example/"),
            .id = text_view("<urn:uuid:0>"),
            .date = text_view("2024-05-06T07:08:09Z"),
            .content_type = text_view("application/http"),
            .block = text_view(samples[i]),
            .block_len = strlen(samples[i]),
            .is_http = true,
            .position.file = text_view("sample"),
        };
    process->batch->record_count = SAMPLES;
    const th_status status =
        th_work(process->worker, process->batch, NULL, &buffers, &result, NULL);
    th_work_buffers_done(&buffers);
    return status == TH_OK;
}

/* ---- in a process ---- */

static th_status hand_in(void *context, th_work_result *part, th_error *err)
{
    const int *socket = context;
    (void)err;
    return th_result_send(*socket, part, TH_OK);
}

/* Waits for the byte to continue. False if the other side is gone. */
static bool is_told_to_go(int socket)
{
    char word = 0;
    ssize_t got;
    do
        got = read(socket, &word, 1);
    while (got < 0 && errno == EINTR);
    return got == 1 && word == TH_PAGE_PROCESS_GO;
}

static int work(int socket, th_worker *worker, th_batch_region *region, th_batch *batch)
{
    th_work_buffers buffers = { 0 };
    th_work_result result;
    bool wants_parts = false;
    while (is_told_to_go(socket)) {
        const th_work_flow flow = { .first =
                                        th_batch_region_get(region, batch, &wants_parts),
                                    .under_way = th_batch_region_under_way(region),
                                    .hand_in = wants_parts ? hand_in : NULL,
                                    .context = &socket };
        const th_status status = th_work(worker, batch, &flow, &buffers, &result, NULL);
        if (th_result_send(socket, &result, status) != TH_OK || status != TH_OK)
            return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

/* If the machine runs out of memory, the kernel must kill such a process first. */
static void offer_to_kernel(void)
{
    const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!write(fd, "1000", 4);
    (void)close(fd);
}

int th_page_process_main(void *context, int socket, int memory)
{
    const th_page_process *process = context;
    const char ready = TH_PAGE_PROCESS_READY;
    th_error err = { .text = "" };
    th_batch_region region;
    offer_to_kernel();
    th_status status = th_batch_region_open(memory, true, &region, &err);
    if (status == TH_OK)
        status = th_sandbox_enter(socket, process->memory, &err);
    if (status != TH_OK) {
        (void)!write(socket, err.text, strlen(err.text));
        return EXIT_FAILURE;
    }
    return write(socket, &ready, 1) == 1
               ? work(socket, process->worker, &region, process->batch)
               : EXIT_FAILURE;
}
