/* Words of one length in a temporary file. The inputs, with their first record, are in
 * memory. */
#include "dedup/record_locations.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/scratch_file.h"
#include "dedup/record_input.h"

struct input {
    const char *path;
    uint32_t first; /* its first record */
};

struct th_record_locations {
    th_scratch_file *words; /* TH_PLACE_MAX bytes for each record */
    struct input *inputs;   /* owned */
    uint32_t input_count;
    size_t input_capacity;
    uint32_t count;
};

th_status th_record_locations_new(const char *folder, th_record_locations **out,
                                  th_error *err)
{
    th_record_locations *places = calloc(1, sizeof *places);
    if (!places)
        return th_fail(err, TH_NOMEM, "out of memory for locations of records");
    const th_status status = th_scratch_open(folder, &places->words, err);
    if (status != TH_OK)
        th_record_locations_free(places);
    else
        *out = places;
    return status;
}

void th_record_locations_free(th_record_locations *places)
{
    if (!places)
        return;
    th_scratch_free(places->words);
    free(places->inputs);
    free(places);
}

static th_status begin_input(th_record_locations *places, const char *path, th_error *err)
{
    if (!TH_HAS_CAPACITY(places->inputs, places->input_count, places->input_capacity))
        return th_fail(err, TH_NOMEM, "out of memory for %u inputs",
                       places->input_count + 1);
    places->inputs[places->input_count++] = (struct input){ path, places->count };
    return TH_OK;
}

th_status th_record_locations_add(th_record_locations *places, const char *path,
                                  const char *place, th_error *err)
{
    char words[TH_PLACE_MAX] = "";
    const bool is_new =
        !places->input_count || places->inputs[places->input_count - 1].path != path;
    th_status status = is_new ? begin_input(places, path, err) : TH_OK;
    (void)snprintf(words, sizeof words, "%s", place);
    if (status == TH_OK)
        status = th_scratch_append(places->words, words, sizeof words, err);
    places->count += status == TH_OK;
    return status;
}

/* Returns the last input that begins at or before the record. */
static const char *path_of(const th_record_locations *places, uint32_t number)
{
    const uint32_t after =
        th_first_from(places->inputs, places->input_count, sizeof *places->inputs,
                      offsetof(struct input, first), (uint64_t)number + 1);
    return places->inputs[after - 1].path;
}

th_status th_record_locations_text(th_record_locations *places, uint32_t number,
                                   char text[TH_FULL_PLACE_MAX], th_error *err)
{
    char words[TH_PLACE_MAX];
    const th_status status = th_scratch_read(
        places->words, (uint64_t)number * sizeof words, words, sizeof words, err);
    if (status == TH_OK)
        (void)snprintf(text, TH_FULL_PLACE_MAX, "%.400s: %s", path_of(places, number),
                       words);
    return status;
}
