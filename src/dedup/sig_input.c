/* All buckets in memory, each with the order of its pages. */
#include "dedup/sig_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/json.h"
#include "base/whole_file.h"
#include "thresher/minhash.h"

static const char suffix[] = ".minhash.sig";
static const char folder_start[] = "bucket_";
enum { BUCKET_DIGITS = 3, NUMBER = 4, NAME_MAX_LEN = 64 };

struct bucket {
    th_buffer bytes;
    const unsigned char **rows; /* owned; by page */
};

struct th_sig_input {
    th_minhash_preset preset;
    struct bucket *buckets;  /* owned; preset.bands of them */
    char name[NAME_MAX_LEN]; /* of the shard, RRRRR */
    size_t row_len, count, at;
    uint64_t bytes;
    uint64_t *slots; /* of a record; owned */
    th_buffer json;
};

/* Returns the digits of the bucket in a name, or NULL. */
static const char *bucket_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t len = sizeof folder_start - 1 + BUCKET_DIGITS;
    if (!slash || (size_t)(slash - path) < len || !th_file_name_ends(path, suffix))
        return NULL;
    const char *folder = slash - len;
    if (strncmp(folder, folder_start, sizeof folder_start - 1) != 0 ||
        (folder > path && folder[-1] != '/'))
        return NULL;
    const char *digits = slash - BUCKET_DIGITS;
    for (int i = 0; i < BUCKET_DIGITS; i++)
        if (!th_is_digit(digits[i]))
            return NULL;
    return digits;
}

bool th_sig_input_is_name(const char *path, bool *is_first)
{
    const char *digits = bucket_of(path);
    if (digits && is_first)
        *is_first = strncmp(digits, "000", BUCKET_DIGITS) == 0;
    return digits != NULL;
}

static uint32_t page_of(const th_sig_input *input, const unsigned char *row)
{
    const unsigned char *at = row + input->row_len - NUMBER;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static int by_page(const void *a, const void *b, void *context)
{
    const uint32_t x = page_of(context, *(const unsigned char *const *)a);
    const uint32_t y = page_of(context, *(const unsigned char *const *)b);
    return (x > y) - (x < y);
}

static th_status slurp(th_sig_input *input, const char *path, th_remote *remote,
                       th_buffer *out, th_error *err)
{
    const size_t max = (size_t)(TH_SIG_INPUT_MAX - input->bytes);
    th_error why = { .text = "" };
    const th_status status =
        remote && th_remote_is_name(path)
            ? th_remote_fetch(remote, path, max, out, &why)
            : th_whole_file_read(path, "", max + 1, TH_DAMAGED, out, &why);
    if (status == TH_ABSENT)
        return th_fail(err, status,
                       "this is a shard of minhash-sig without the file '%s'", path);
    if (status == TH_DAMAGED)
        return th_fail(err, TH_TOO_LARGE,
                       "this is a shard of minhash-sig of more than %d bytes",
                       TH_SIG_INPUT_MAX);
    if (status != TH_OK)
        return th_fail(err, status == TH_NOT_YET ? TH_IO : status, "%s", why.text);
    input->bytes += out->len;
    return TH_OK;
}

static th_status order(th_sig_input *input, struct bucket *bucket, const char *path,
                       th_error *err)
{
    const size_t count = bucket->bytes.len / input->row_len;
    const bool is_first = bucket == input->buckets;
    if (is_first)
        input->count = count;
    if (bucket->bytes.len % input->row_len || count != input->count)
        return th_fail(err, TH_BAD_CODING,
                       "'%s' has %zu bytes, expected %zu rows of %zu bytes", path,
                       bucket->bytes.len, input->count, input->row_len);
    bucket->rows = malloc((count + 1) * sizeof *bucket->rows);
    if (!bucket->rows)
        return th_fail(err, TH_NOMEM, "out of memory for signatures");
    for (size_t i = 0; i < count; i++)
        bucket->rows[i] = (const unsigned char *)bucket->bytes.data + i * input->row_len;
    qsort_r(bucket->rows, count, sizeof *bucket->rows, by_page, input);
    for (size_t i = 0; i < count; i++) {
        const uint32_t page = page_of(input, bucket->rows[i]);
        if ((i && page == page_of(input, bucket->rows[i - 1])) ||
            page != page_of(input, input->buckets->rows[i]))
            return th_fail(err, TH_BAD_CODING,
                           "'%s' has other pages than bucket 000, or one twice", path);
    }
    return TH_OK;
}

static th_status read_buckets(th_sig_input *input, const char *path, th_remote *remote,
                              th_error *err)
{
    char *name = strdup(path);
    if (!name)
        return th_fail(err, TH_NOMEM, "out of memory");
    th_status status = TH_OK;
    char *digits = name + (bucket_of(path) - path);
    for (uint32_t i = 0; i < input->preset.bands && status == TH_OK; i++) {
        char number[BUCKET_DIGITS + 1];
        (void)snprintf(number, sizeof number, "%03u", i % 1000);
        memcpy(digits, number, BUCKET_DIGITS);
        status = slurp(input, name, remote, &input->buckets[i].bytes, err);
        if (status == TH_OK)
            status = order(input, &input->buckets[i], name, err);
    }
    free(name);
    return status;
}

static void name_shard(th_sig_input *input, const char *path)
{
    const char *start = strrchr(path, '/') + 1;
    const size_t len = strlen(start) - (sizeof suffix - 1);
    (void)snprintf(input->name, sizeof input->name, "%.*s", (int)(len < 48 ? len : 48),
                   start);
}

th_status th_sig_input_open(const char *path, th_remote *remote, th_sig_input **out,
                            th_error *err)
{
    bool is_first = false;
    if (!th_sig_input_is_name(path, &is_first) || !is_first)
        return th_fail(err, TH_ABSENT,
                       "this is one bucket of a minhash-sig shard; give its folder, or "
                       "the file in bucket_000");
    th_sig_input *input = calloc(1, sizeof *input);
    if (!input)
        return th_fail(err, TH_NOMEM, "out of memory to read '%s'", path);
    th_status status = th_minhash_parse("datatrove", &input->preset, err);
    const th_minhash_preset *preset = &input->preset;
    input->row_len = (size_t)preset->rows * (preset->slot_bits / 8) + NUMBER;
    input->buckets = calloc(preset->bands, sizeof *input->buckets);
    input->slots = calloc(preset->slots, sizeof *input->slots);
    name_shard(input, path);
    if (!input->buckets || !input->slots) {
        th_sig_input_free(input);
        return th_fail(err, TH_NOMEM, "out of memory to read '%s'", path);
    }
    if (status == TH_OK)
        status = read_buckets(input, path, remote, err);
    if (status == TH_OK)
        *out = input;
    else
        th_sig_input_free(input);
    return status;
}

void th_sig_input_free(th_sig_input *input)
{
    if (!input)
        return;
    for (uint32_t i = 0; input->buckets && i < input->preset.bands; i++) {
        th_buffer_done(&input->buckets[i].bytes);
        free(input->buckets[i].rows);
    }
    free(input->buckets);
    free(input->slots);
    th_buffer_done(&input->json);
    free(input);
}

static void gather_slots(const th_sig_input *input)
{
    const th_minhash_preset *preset = &input->preset;
    const uint32_t width = preset->slot_bits / 8;
    for (uint32_t i = 0; i < preset->slots; i++) {
        const unsigned char *at = input->buckets[i / preset->rows].rows[input->at] +
                                  (size_t)(i % preset->rows) * width;
        input->slots[i] = 0;
        for (uint32_t j = 0; j < width; j++)
            input->slots[i] |= (uint64_t)at[j] << 8 * j;
    }
}

th_status th_sig_input_next(th_sig_input *input, th_view *json, th_error *err)
{
    char id[NAME_MAX_LEN + 16];
    th_json record;
    if (input->at == input->count)
        return TH_END;
    gather_slots(input);
    (void)snprintf(id, sizeof id, "%s/%u", input->name,
                   page_of(input, input->buckets->rows[input->at]));
    input->at++;
    th_buffer_reset(&input->json);
    th_json_begin(&record, &input->json);
    th_json_open_object(&record);
    th_json_member_text(&record, "id", id);
    th_json_key(&record, "minhash");
    th_json_open_object(&record);
    th_json_member_text(&record, "preset", input->preset.name);
    th_json_key(&record, "main");
    th_json_hex_words(&record, input->slots, input->preset.slots,
                      input->preset.slot_bits / 8);
    th_json_close_object(&record);
    th_json_close_object(&record);
    if (th_json_end(&record) != TH_OK)
        return th_fail(err, TH_NOMEM, "out of memory for a signature");
    *json = th_buffer_view(&input->json);
    return TH_OK;
}

uint32_t th_sig_input_page(const th_sig_input *input)
{
    return input->at ? page_of(input, input->buckets->rows[input->at - 1]) : 0;
}

uint64_t th_sig_input_report(const th_sig_input *input)
{
    return input->bytes;
}
