#include "index_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLOTS = 128, ROWS = 8 };

char *index_scene_folder(void)
{
    char *dir = strdup("/tmp/thresher-index-XXXXXX");
    assert_non_null(dir);
    assert_non_null(mkdtemp(dir));
    return dir;
}

void index_scene_remove(char *dir)
{
    char command[256];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    free(dir);
}

th_index_options index_scene_options(const char *dir)
{
    th_index_options options = {
        .dir = dir, .threshold = .8, .segment_pages = 1000, .keep_epochs = 3
    };
    assert_int_equal(th_index_scheme_init(&options.scheme, th_minhash_find("modern"),
                                          TH_SIGN_MAIN, TH_SIGN_COUNT, 8, NULL),
                     TH_OK);
    return options;
}

/* A number that depends on all of its parts. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a + 1) * 0x9E3779B97F4A7C15u ^ (b + 1) * 0xD1B54A32D192ED03u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

void index_scene_append(const th_index_scheme *scheme, const index_scene_page *page,
                        th_buffer *out)
{
    uint64_t slots[SLOTS];
    const uint64_t digest[2] = { mix(page->family, 1), mix(page->family, 2) };
    for (uint32_t i = 0; i < SLOTS; i++)
        slots[i] = mix(page->family, i) & 0xFFFFFFFF;
    /* Row by row through the bands, so that few changes already break many bands; the
     * low byte is another one for certain. */
    for (uint32_t i = 0; i < page->changed; i++) {
        uint64_t *slot = &slots[i % 16 * ROWS + i / 16];
        *slot = (*slot ^ (1 + mix(i, page->changed) % 255)) & 0xFFFFFFFF;
    }
    char url[64];
    (void)snprintf(url, sizeof url, "http://a.example/%s", page->id);
    const th_signature signature = { .slots = slots,
                                     .slot_count = SLOTS,
                                     .shingle_count = page->is_short ? 1 : 500,
                                     .is_short = page->is_short };
    const th_index_page made = { .id = { page->id, strlen(page->id) },
                                 .url = { url, strlen(url) },
                                 .date = page->date,
                                 .signatures = { &signature },
                                 .digest = digest };
    assert_int_equal(th_index_entry_append(scheme, &made, out), TH_OK);
}

char *index_scene_ask(th_index *index, const th_index_scheme *scheme,
                      const index_scene_page *page, th_index_answer *answer)
{
    th_buffer entry = { 0 }, names = { 0 };
    th_error err = { .text = "" };
    th_index_answer unwanted;
    answer = answer ? answer : &unwanted;
    index_scene_append(scheme, page, &entry);
    if (th_index_look_up(index, th_buffer_view(&entry), 1, answer, &names, &err) != TH_OK)
        fail_msg("%s", err.text);
    char *of = strndup(th_buffer_view(&names).data + answer->of, answer->of_len);
    th_buffer_done(&entry);
    th_buffer_done(&names);
    return of;
}

th_index *index_scene_open(const th_index_options *options)
{
    th_index *index = NULL;
    th_error err = { .text = "" };
    if (th_index_open(options, &index, &err) != TH_OK)
        fail_msg("%s", err.text);
    return index;
}
