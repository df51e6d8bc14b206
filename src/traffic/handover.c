/* Receipt, flush, acknowledgement. See the header. */
#include "traffic/handover.h"

th_status th_hand_over(th_intake *intake, th_outlet *outlet, uint64_t mark, th_error *err)
{
    th_receipt receipt = { .mark = 0 };
    th_view note = { NULL, 0 };
    th_error why = { .text = "" };
    th_status status = intake->verbs->receipt(intake, mark, &receipt, &why);
    if (status == TH_OK)
        status = outlet->verbs->flush(outlet, &receipt, &note, &why);
    if (status == TH_OK) {
        status = intake->verbs->acknowledge(intake, &receipt, note, &why);
        status = outlet->verbs->conclude(outlet, status, &why);
    } else if (status == TH_ABORTED) {
        const th_status rewound = intake->verbs->rewind(intake, &why);
        status = rewound == TH_OK ? TH_ABORTED : rewound;
    }
    if (status != TH_OK && err)
        *err = why;
    return status;
}
