/* The file of token tables: two lines and numbers, its length known from them. */
#include "lab/features/token_tables.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    LINE_MAX_LEN = 256,
    TABLE_BYTES = 4 + 2 * TH_TOKEN_BUCKETS,
};

static uint32_t number_at(const unsigned char *bytes, unsigned size)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < size; i++)
        number |= (uint32_t)bytes[i] << 8 * i;
    return number;
}

static th_status read_table(FILE *file, const char *path, unsigned number,
                            th_token_table *out, th_error *err)
{
    unsigned char bytes[TABLE_BYTES];
    if (fread(bytes, 1, sizeof bytes, file) != sizeof bytes)
        return th_fail(err, TH_USAGE, "'%s' ends inside table %u", path, number);
    out->bias = (int32_t)number_at(bytes, 4);
    for (unsigned i = 0; i < TH_TOKEN_BUCKETS; i++)
        out->weight[i] = (int16_t)(uint16_t)number_at(bytes + 4 + (size_t)2 * i, 2);
    if (out->bias > TH_TOKEN_BIAS || out->bias < -TH_TOKEN_BIAS)
        return th_fail(err, TH_USAGE, "'%s': table %u has an invalid bias: %d", path,
                       number, (int)out->bias);
    return TH_OK;
}

static th_status read_tables(FILE *file, const char *path, th_arena *arena,
                             th_token_tables *out, th_error *err)
{
    char name[LINE_MAX_LEN], about[LINE_MAX_LEN];
    unsigned buckets = 0, count = 0;
    if (!fgets(name, sizeof name, file) ||
        strcmp(name, "thresher token tables 1\n") != 0 ||
        !fgets(about, sizeof about, file))
        return th_fail(err, TH_USAGE, "'%s' is not a file of token tables", path);
    if (sscanf(about, " { \"buckets\" : %u , \"tables\" : %u }", &buckets, &count) != 2 ||
        buckets != TH_TOKEN_BUCKETS || !count || count > TH_TOKEN_TABLES_MAX)
        return th_fail(
            err, TH_USAGE,
            "'%s' has an invalid header (expected %u buckets and 1 to %u tables): %.100s",
            path, (unsigned)TH_TOKEN_BUCKETS, (unsigned)TH_TOKEN_TABLES_MAX, about);
    out->count = count;
    out->tables = th_arena_calloc(arena, count, sizeof *out->tables);
    if (!out->tables)
        return TH_NOMEM;
    th_status status = TH_OK;
    for (unsigned i = 0; i < count && status == TH_OK; i++)
        status = read_table(file, path, i, &out->tables[i], err);
    if (status == TH_OK && fgetc(file) != EOF)
        status = th_fail(err, TH_USAGE, "'%s' has unexpected bytes after its last table",
                         path);
    return status;
}

th_status th_token_tables_read(const char *path, th_arena *arena, th_token_tables *out,
                               th_error *err)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return th_fail(err, TH_USAGE, "cannot open '%s': %s", path, strerror(errno));
    const th_status status = read_tables(file, path, arena, out, err);
    (void)fclose(file);
    return status;
}
