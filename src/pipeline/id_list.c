/* A sorted array of the ids' hashes. See the header. */
#include "pipeline/id_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "xxhash.h"

struct th_id_list {
    XXH128_hash_t *ids; /* sorted by XXH128_cmp, owned */
    size_t count, capacity;
};

static bool add(th_id_list *list, th_view id)
{
    if (!TH_HAS_CAPACITY(list->ids, list->count, list->capacity))
        return false;
    list->ids[list->count++] = XXH3_128bits(id.data, id.len);
    return true;
}

static th_status read_lines(FILE *file, const char *path, th_id_list *list, th_error *err)
{
    char line[TH_ID_LIST_LINE];
    for (unsigned long long number = 1; fgets(line, sizeof line, file); number++) {
        const size_t len = strlen(line);
        if (len == sizeof line - 1 && line[len - 1] != '\n')
            return th_fail(err, TH_USAGE,
                           "ids '%s': line %llu is longer than %d bytes (expected one id "
                           "per line)",
                           path, number, TH_ID_LIST_LINE - 2);
        const th_view id = th_ascii_trimmed((th_view){ line, len });
        if (id.len && !add(list, id))
            return th_fail(err, TH_NOMEM, "out of memory for ids '%s'", path);
    }
    return ferror(file)
               ? th_fail(err, TH_IO, "cannot read ids '%s': %s", path, strerror(errno))
               : TH_OK;
}

th_status th_id_list_read(const char *path, th_id_list **out, th_error *err)
{
    *out = NULL;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return th_fail(err, TH_IO, "cannot read ids '%s': %s", path, strerror(errno));
    th_id_list *list = calloc(1, sizeof *list);
    if (!list) {
        (void)fclose(file);
        return th_fail(err, TH_NOMEM, "out of memory for ids '%s'", path);
    }
    const th_status status = read_lines(file, path, list, err);
    (void)fclose(file);
    if (status != TH_OK) {
        th_id_list_free(list);
        return status;
    }
    if (list->count)
        qsort(list->ids, list->count, sizeof *list->ids, XXH128_cmp);
    *out = list;
    return TH_OK;
}

void th_id_list_free(th_id_list *list)
{
    if (!list)
        return;
    free(list->ids);
    free(list);
}

bool th_id_list_has(const th_id_list *list, const th_record *record)
{
    XXH128_hash_t id;
    if (!list->count)
        return false;
    if (record->id.data) {
        id = XXH3_128bits(record->id.data, record->id.len);
    } else {
        th_buffer made = { 0 };
        th_record_id_write(record, &made);
        id = XXH3_128bits(made.data, made.len);
        th_buffer_done(&made);
    }
    return bsearch(&id, list->ids, list->count, sizeof id, XXH128_cmp) != NULL;
}

uint64_t th_id_list_checksum(const th_id_list *list)
{
    return XXH3_64bits(list->ids, list->count * sizeof *list->ids);
}
