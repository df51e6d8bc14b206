#include "content/content_model_file.h"

#include <xxhash.h>

#include "lab/segment/split_mix.h"

static const char *const columns[] = {
    "tokens", "links", "depth", "tag", "before", "p0", "p1", "p2", "p3", "p4", "p5", "p6",
};
static const char *const page_columns[] = { "blocks", "forms", "prices" };

static const char *column_name(unsigned column)
{
    return columns[column];
}

static const char *page_column_name(unsigned column)
{
    return page_columns[column];
}

const th_content_schema small_schema = { column_name, 12, page_column_name, 3 };

enum { TYPE_TREES = 5, TYPE_DEPTH = 3 };

void seal_content_model(th_view header, th_view bytes, th_buffer *out)
{
    th_buffer_append_text(out, "thresher content model 1\n");
    th_buffer_append_view(out, header);
    th_buffer_append_char(out, '\n');
    th_buffer_append_view(out, bytes);
    uint64_t checksum = XXH3_64bits(out->data, out->len);
    for (int i = 0; i < 8; i++, checksum >>= 8)
        th_buffer_append_char(out, (char)(checksum & 0xFF));
}

static void append_random(uint64_t *state, size_t count, th_buffer *out)
{
    for (size_t i = 0; i < count; i++)
        th_buffer_append_char(out, (char)(th_split_mix_next(state) & 0xFF));
}

static void append_levels(uint64_t *state, size_t count, uint32_t column_count,
                          th_buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        th_buffer_append_char(out, (char)th_split_mix_below(state, column_count));
        append_random(state, 1, out);
    }
}

void write_content_model(uint64_t seed, uint32_t trees, th_buffer *out)
{
    th_buffer header = { 0 }, bytes = { 0 };
    uint64_t state = seed;
    th_buffer_printf(
        &header,
        "{\"columns\":[\"tokens\",\"links\",\"depth\",\"tag\",\"before\",\"p0\",\"p1\","
        "\"p2\",\"p3\",\"p4\",\"p5\",\"p6\"],\"page_columns\":[\"blocks\",\"forms\","
        "\"prices\"],\"page_types\":[\"article\",\"collection\",\"documentation\","
        "\"forum\",\"listing\",\"product\",\"service\"],");
    th_buffer_printf(
        &header,
        "\"tokens\":{\"buckets\":4096,\"bias\":-120},\"type\":{\"trees\":%d,\"depth\":%d,"
        "\"shift\":12,\"bias\":[1,2,3,4,5,6,-7]},\"paragraph\":{\"trees\":%u,\"depth\":6,"
        "\"shift\":14,\"bias\":[-4000]},\"calibration\":[[65536,0],[60000,-9000],[1,2],"
        "[3,4],[5,6],[7,8],[9,10]],\"cut\":30000,\"without_fold\":null,"
        "\"sources\":[{\"name\":\"made up\",\"pages\":3}]}",
        TYPE_TREES, TYPE_DEPTH, trees);
    append_random(&state, 2 * TH_TOKEN_BUCKETS, &bytes);
    append_levels(&state, TYPE_TREES * TYPE_DEPTH, 3, &bytes);
    append_random(&state, (size_t)2 * TYPE_TREES * TH_PAGE_TYPE_COUNT << TYPE_DEPTH,
                  &bytes);
    append_levels(&state, (size_t)trees * 6, 12, &bytes);
    append_random(&state, (size_t)2 * trees << 6, &bytes);
    seal_content_model(th_buffer_view(&header), th_buffer_view(&bytes), out);
    th_buffer_done(&header);
    th_buffer_done(&bytes);
}
