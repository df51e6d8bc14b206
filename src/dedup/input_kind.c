/* See the header. */
#include "dedup/input_kind.h"

#include <stdbool.h>
#include <string.h>

#define RECORDS "not records of thresher (JSON lines, WARC, WET, Parquet or minhash-sig)"

/* clang-format off */
static const struct { th_view start; const char *name; } kinds[] = {
    { TH_VIEW_INIT("PK\x03\x04"), "a ZIP file, such as WACZ" },
    { TH_VIEW_INIT("%PDF-"), "PDF" },
    { TH_VIEW_INIT("\x1F\x8B"), "gzip in gzip" },
    { TH_VIEW_INIT("\x28\xB5\x2F\xFD"), "zstd in zstd" },
    { TH_VIEW_INIT("BZh"), "bzip2" },
    { TH_VIEW_INIT("\xFD" "7zXZ"), "xz" },
    { TH_VIEW_INIT("ARROW1"), "Arrow" },
    { TH_VIEW_INIT("ORC"), "ORC" },
    { TH_VIEW_INIT("Obj\x01"), "Avro" },
    { TH_VIEW_INIT("SQLite format 3"), "SQLite" },
    { TH_VIEW_INIT("!meta "), "an index of captures (CDXJ)" },
    { TH_VIEW_INIT("!OpenWayback-CDXJ"), "an index of captures (CDXJ)" },
    { TH_VIEW_INIT(" CDX "), "an index of captures (CDX)" },
    { TH_VIEW_INIT("<"), "HTML or XML" },
    { TH_VIEW_INIT("["), "a JSON array" },
    { TH_VIEW_INIT("{\"representative\":"), "clusters of `thresher dedup`" },
    { TH_VIEW_INIT("{\"id_a\":"), "pairs of `thresher dedup`" },
    { TH_VIEW_INIT("{\"reason\":"), "rejected records of `thresher run --rejects`" },
};
/* clang-format on */

static bool starts_with(th_view bytes, th_view start)
{
    return bytes.len >= start.len && memcmp(bytes.data, start.data, start.len) == 0;
}

/* Whether one line in eight begins with an object. The others may be damaged. */
static bool has_objects(th_view start)
{
    enum { LINES = 8 };
    size_t lines = 0, objects = 0;
    bool is_at_start = true;
    for (size_t i = 0; i < start.len; i++) {
        const char byte = start.data[i];
        if (byte == '\n') {
            is_at_start = true;
        } else if (is_at_start && byte != ' ' && byte != '\t' && byte != '\r') {
            is_at_start = false;
            lines++;
            objects += byte == '{';
        }
    }
    return objects > 0 && objects * LINES >= lines;
}

static bool is_blank(th_view start)
{
    for (size_t i = 0; i < start.len; i++)
        if (!start.data[i] || !strchr(" \t\r\n", start.data[i]))
            return false;
    return true;
}

th_status th_input_kind_check(th_view start, th_error *err)
{
    char shown[24];
    size_t len = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (starts_with(start, kinds[i].start))
            return th_fail(err, TH_ABSENT, "this is %s, " RECORDS, kinds[i].name);
    if (is_blank(start) || has_objects(start))
        return TH_OK;
    for (; len < start.len && len < sizeof shown - 1; len++) {
        const unsigned char byte = (unsigned char)start.data[len];
        if (byte == '\n' || byte == '\r')
            break;
        if (byte < ' ' || byte > '~')
            return th_fail(err, TH_ABSENT, "this is binary data, " RECORDS);
        shown[len] = start.data[len];
    }
    shown[len] = '\0';
    return th_fail(err, TH_ABSENT, "this is %s: it begins with '%s'", RECORDS, shown);
}
