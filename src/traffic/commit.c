/* Receipt, flush, acknowledgement. See the header. */
#include "traffic/commit.h"

th_status th_commit(th_stream_source *source, th_stream_sink *sink, uint64_t mark,
                    th_error *err)
{
    th_commit_token token = { .mark = 0 };
    th_view note = { NULL, 0 };
    th_error why = { .text = "" };
    th_status status = source->verbs->token(source, mark, &token, &why);
    if (status == TH_OK)
        status = sink->verbs->flush(sink, &token, &note, &why);
    if (status == TH_OK) {
        status = source->verbs->acknowledge(source, &token, note, &why);
        status = sink->verbs->conclude(sink, status, &why);
    } else if (status == TH_ABORTED) {
        const th_status rewound = source->verbs->rewind(source, &why);
        status = rewound == TH_OK ? TH_ABORTED : rewound;
    }
    if (status != TH_OK && err)
        *err = why;
    return status;
}
