/*
 * Runs uchardet, but only on the surroundings of bytes that are not ASCII. Markup and
 * scripts give no evidence of an encoding, and are most of a page.
 */
#include "parse/charset/charset_detect.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <uchardet/uchardet.h>

enum {
    MAX_SAMPLE = 64 * 1024,
    /* ASCII kept around other bytes. No character of any encoding spans this much ASCII,
     * so a sample never starts within a character. */
    CONTEXT = 32
};

struct th_detector {
    uchardet_t uchardet;
};

th_detector *th_detector_new(void)
{
    th_detector *const detector = calloc(1, sizeof *detector);
    if (detector)
        detector->uchardet = uchardet_new();
    return detector;
}

void th_detector_free(th_detector *detector)
{
    if (detector)
        uchardet_delete(detector->uchardet);
    free(detector);
}

/* Whether a byte is not ASCII, or is the escape that switches character sets. */
static bool is_telling(char c)
{
    return (unsigned char)c >= 0x80 || c == 0x1B;
}

/* Returns the end of the next surroundings from `at`, or 0 if there are no more. */
static size_t next_sample(th_view bytes, size_t at, size_t *start)
{
    while (at < bytes.len && !is_telling(bytes.data[at]))
        at++;
    if (at == bytes.len)
        return 0;
    *start = at > CONTEXT ? at - CONTEXT : 0;
    size_t last = at;
    while (at < bytes.len && at - last <= (size_t)2 * CONTEXT &&
           at - *start < MAX_SAMPLE) {
        if (is_telling(bytes.data[at]))
            last = at;
        at++;
    }
    return at - last > CONTEXT ? last + CONTEXT : at;
}

static th_charset_id id_of_result(const char *name)
{
    static const struct {
        const char *name;
        th_charset_id id;
    } own_names[] = {
        { "UHC", TH_CHARSET_EUC_KR },
        { "MAC-CYRILLIC", TH_CHARSET_X_MAC_CYRILLIC },
        { "ASCII", TH_CHARSET_NONE },
    };
    for (size_t i = 0; i < sizeof own_names / sizeof *own_names; i++)
        if (strcmp(name, own_names[i].name) == 0)
            return own_names[i].id;
    return th_charset_id_of_label((th_view){ name, strlen(name) });
}

th_charset_id th_detect_charset(th_detector *detector, th_view bytes)
{
    uchardet_t uchardet = detector->uchardet;
    uchardet_reset(uchardet);
    size_t shown = 0;
    size_t end = 0;
    size_t start = 0;
    while (shown < MAX_SAMPLE) {
        const size_t before = end;
        end = next_sample(bytes, end, &start);
        if (end == 0)
            break;
        if (start < before)
            start = before;
        if (end - start > MAX_SAMPLE - shown)
            end = start + MAX_SAMPLE - shown;
        if (uchardet_handle_data(uchardet, bytes.data + start, end - start) != 0)
            return TH_CHARSET_NONE;
        shown += end - start;
    }
    if (shown == 0)
        return TH_CHARSET_NONE;
    uchardet_data_end(uchardet);
    return id_of_result(uchardet_get_charset(uchardet));
}
