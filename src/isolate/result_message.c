/* A head of fixed size, then the bytes of the room's buffers one after the other. */
#include "isolate/result_message.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "traffic/near_duplicate.h"

/* Buffers that cross, in their order. */
enum { PAGES, REJECTS, ASIDE, PIECES, BANDS, LOW_BITS, DETAILS, ENTRIES, HOLES, BUFFERS };

#define MAGIC 0x74687265736c7431u

struct head {
    uint64_t magic;
    uint32_t status;
    uint32_t done;
    uint8_t is_part, is_within;
    uint8_t zeros[6];
    th_counts counts;
    uint64_t lens[BUFFERS];
};

/* Memory grows with the received bytes, not with the announced ones. */
enum { STEP = 1 << 20 };

/* No sum of these overflows, however many batches there are. */
#define MOST_BYTES ((uint64_t)1 << 40)

static th_buffer *buffer_of(th_work_buffers *buffers, int i)
{
    th_buffer *const all[BUFFERS] = {
        [PAGES] = &buffers->pages,     [REJECTS] = &buffers->rejects,
        [ASIDE] = &buffers->aside,     [PIECES] = &buffers->pieces,
        [BANDS] = &buffers->bands,     [LOW_BITS] = &buffers->low_bits,
        [DETAILS] = &buffers->details, [ENTRIES] = &buffers->entries,
        [HOLES] = &buffers->holes,
    };
    return all[i];
}

/* ---- the worker's side ---- */

static th_status write_all(int socket, struct iovec *parts, int count)
{
    while (count) {
        ssize_t sent = writev(socket, parts, count);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return TH_IO;
        for (; count && (size_t)sent >= parts->iov_len; parts++, count--)
            sent -= (ssize_t)parts->iov_len;
        if (count) {
            parts->iov_base = (char *)parts->iov_base + sent;
            parts->iov_len -= (size_t)sent;
        }
    }
    return TH_OK;
}

th_status th_result_send(int socket, const th_work_result *result, th_status status)
{
    struct head head = { .magic = MAGIC, .status = (uint32_t)status };
    struct iovec parts[1 + BUFFERS] = { { &head, sizeof head } };
    int count = 1;
    if (status != TH_OK)
        return write_all(socket, parts, count);
    head.done = result->done;
    head.is_part = result->is_part;
    head.is_within = result->is_within;
    head.counts = result->counts;
    for (int i = 0; i < BUFFERS; i++) {
        const th_buffer *buffer = buffer_of(result->buffers, i);
        const th_view bytes = i == PAGES ? result->pages : th_buffer_view(buffer);
        head.lens[i] = bytes.len;
        if (bytes.len)
            parts[count++] = (struct iovec){ (void *)bytes.data, bytes.len };
    }
    return write_all(socket, parts, count);
}

/* ---- the reader's side ---- */

static bool is_wanted(const th_work_options *options, int buffer)
{
    switch (buffer) {
    case PAGES:
        return true;
    case REJECTS:
        return options->wants_rejects;
    case ASIDE:
        return options->aside.file != NULL;
    case PIECES:
    case DETAILS:
        return options->wants_pieces;
    case BANDS:
        return options->wants_pieces && options->wants_bands;
    case LOW_BITS:
        return options->wants_pieces && options->wants_bands &&
               (options->low_bits || options->wants_signed);
    case ENTRIES:
    case HOLES:
    default:
        return options->index != NULL;
    }
}

static bool is_head_good(const struct head *head, const th_work_result *result,
                         uint32_t first, uint64_t max)
{
    const uint32_t records = result->batch->record_count;
    uint64_t sum = 0;
    if (head->is_part > 1 || head->is_within > head->is_part || head->done < first ||
        head->done > records || (!head->is_part && head->done != records))
        return false;
    for (int i = 0; i < BUFFERS; i++) {
        if (head->lens[i] > max || (head->lens[i] && !is_wanted(result->options, i)))
            return false;
        sum += head->lens[i];
    }
    /* Each part completes more records, or ends within a record. */
    return sum <= max && (!head->is_part || head->is_within || head->done > first);
}

/* Checks each number separately. A number cannot exceed the number of records. */
static bool are_counts_good(const th_counts *counts, uint32_t records)
{
    uint64_t languages = 0;
    if (counts->read > records || counts->emitted > records || counts->duplicates ||
        counts->html_bytes > MOST_BYTES || counts->tokens > MOST_BYTES)
        return false;
    for (int i = 0; i < TH_STATUS_COUNT; i++)
        if (counts->refused[i] > (th_status_is_refusal((th_status)i) ? records : 0))
            return false;
    for (int i = 0; i < TH_FLAG_COUNT; i++)
        if (counts->flagged[i] > counts->emitted)
            return false;
    for (int i = 0; i <= TH_OTHER_LANGUAGE; i++) {
        if (counts->crawl_languages[i] > records)
            return false;
        languages += counts->crawl_languages[i];
    }
    return languages <= counts->emitted;
}

static bool is_inside(size_t start, size_t len, size_t capacity)
{
    return start <= capacity && len <= capacity - start;
}

static bool is_piece_good(const th_piece *piece, uint32_t record,
                          const th_work_buffers *buffers)
{
    const bool is_page = piece->status == TH_OK;
    const th_buffer *bytes = is_page ? &buffers->pages : &buffers->rejects;
    return piece->record == record && (is_page || th_status_is_refusal(piece->status)) &&
           is_inside(piece->start, piece->len, bytes->len) &&
           is_inside(piece->bands_start, piece->bands_count,
                     buffers->bands.len / TH_BAND_KEY_LEN) &&
           is_inside(piece->low_start, piece->low_len, buffers->low_bits.len) &&
           is_inside(piece->detail_start, piece->detail_len, buffers->details.len) &&
           piece->http_status <= INT_MAX;
}

/*
 * Checks that there is a piece for each record, and that the pieces agree with the
 * counts.
 */
static bool are_pieces_good(const th_work_result *result)
{
    const th_piece *pieces = (const th_piece *)(const void *)result->buffers->pieces.data;
    const uint32_t records = result->batch->record_count;
    uint64_t emitted = 0, refused[TH_STATUS_COUNT] = { 0 };
    if (result->is_part || result->buffers->pieces.len != records * sizeof *pieces)
        return false;
    for (uint32_t i = 0; i < records; i++) {
        if (!is_piece_good(&pieces[i], i, result->buffers))
            return false;
        emitted += pieces[i].status == TH_OK;
        refused[pieces[i].status]++;
    }
    refused[TH_OK] = 0;
    return emitted == result->counts.emitted &&
           memcmp(refused, result->counts.refused, sizeof refused) == 0;
}

/* If no record is in progress, each record is counted exactly once. */
static bool is_sum_good(const th_counts *sum, const th_work_result *result)
{
    return result->is_within || (sum->read == result->done &&
                                 sum->emitted + th_counts_refused(sum) == sum->read);
}

static th_status receive_bytes(th_result_read read, void *context, uint64_t len,
                               th_buffer *out)
{
    th_status status = TH_OK;
    while (len && status == TH_OK) {
        const size_t step = len < STEP ? (size_t)len : STEP;
        if (!th_buffer_reserve(out, step))
            return TH_NOMEM;
        status = read(context, out->data + out->len, step);
        out->len += step;
        len -= step;
    }
    return status;
}

th_status th_result_receive(th_result_read read, void *context, uint32_t first,
                            uint64_t max, th_counts *sum, th_work_result *result)
{
    const th_work_options *options = result->options;
    const uint32_t records = result->batch->record_count;
    struct head head;
    th_status status = read(context, &head, sizeof head);
    if (status != TH_OK)
        return status;
    if (head.magic != MAGIC)
        return TH_DAMAGED;
    if (head.status != TH_OK)
        return head.status == TH_NOMEM ? TH_NOMEM : TH_DAMAGED;
    if (!is_head_good(&head, result, first, max) ||
        !are_counts_good(&head.counts, records))
        return TH_DAMAGED;
    for (int i = 0; i < BUFFERS && status == TH_OK; i++)
        status =
            receive_bytes(read, context, head.lens[i], buffer_of(result->buffers, i));
    if (status != TH_OK)
        return status;
    result->is_part = head.is_part;
    result->is_within = head.is_within;
    result->done = head.done;
    result->counts = head.counts;
    th_counts_add(sum, &head.counts);
    if (!is_sum_good(sum, result) ||
        (options->wants_pieces && !are_pieces_good(result)) ||
        (options->index && !th_near_duplicate_fits(options, result->buffers, records)))
        return TH_DAMAGED;
    th_work_result_point(result);
    return TH_OK;
}
