/*
 * Any bytes as a fastText model: a file that is accepted gives, for a text, one of its
 * labels with a probability, the same twice.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz_target.h"
#include "language/fasttext.h"
#include "language/language_codes.h"

static void hold(int claim)
{
    if (!claim)
        abort();
}

static void ask(const th_fasttext *model)
{
    static const char text[] = "one two a\nb \xC3\xA4\xE2\x82\xAC __label__x </s> three";
    th_second_language once, twice;
    hold(th_fasttext_detect(model, (th_view){ text, sizeof text }, &once) == TH_OK);
    hold(th_fasttext_detect(model, (th_view){ text, sizeof text }, &twice) == TH_OK);
    hold(once.name == twice.name);
    if (!once.name)
        return;
    hold(once.score >= 0 && once.score <= 1.001 && once.score == twice.score);
    hold(strlen(once.iso) == 0 || strlen(once.iso) == 3);
    hold(strlen(once.script) == 0 || strlen(once.script) == 4);
    hold(!*once.tag == !*once.iso && strlen(once.tag) < TH_LANGUAGE_TAG_SIZE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    th_fasttext *model = NULL;
    const int fd = memfd_create("model", MFD_CLOEXEC);
    if (fd < 0)
        return 0;
    hold(!size || write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (th_fasttext_load(path, &model, NULL) == TH_OK)
        ask(model);
    th_fasttext_free(model);
    (void)close(fd);
    return 0;
}
