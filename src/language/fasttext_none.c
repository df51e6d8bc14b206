/* A build without fastText. */
#include "language/fasttext.h"

const bool th_fasttext_is_built = false;

th_status th_fasttext_load(const char *path, th_fasttext **out, th_error *err)
{
    (void)path;
    (void)out;
    return th_fail(err, TH_USAGE, "this program was built without fastText");
}

void th_fasttext_free(th_fasttext *model)
{
    (void)model;
}

uint64_t th_fasttext_checksum(const th_fasttext *model)
{
    (void)model;
    return 0;
}

th_status th_fasttext_detect(const th_fasttext *model, th_view text,
                             th_second_language *out)
{
    (void)model;
    (void)text;
    *out = (th_second_language){ .name = NULL };
    return TH_NOT_WANTED;
}
