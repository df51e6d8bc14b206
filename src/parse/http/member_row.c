/* Consecutive compressed members: collects the mark of each, then reads the member. */
#include "parse/http/member_row.h"

/*
 * Takes bytes of the next mark from the span.
 * @return TH_DECODE_END if the mark is complete, TH_DECODE_MORE if the input ended in it,
 *         TH_DECODE_DAMAGED if the next byte cannot belong to one; it stays in the span
 */
static th_decode_result take_mark(th_member_row *row, const th_member_coding *coding,
                                  th_decode_span *span)
{
    while (row->mark_len < TH_MEMBER_MARK_LEN && span->in_len) {
        row->mark[row->mark_len] = *span->in;
        if (!coding->may_start(row->mark, row->mark_len + 1))
            return TH_DECODE_DAMAGED;
        row->mark_len++;
        span->in++;
        span->in_len--;
    }
    return row->mark_len == TH_MEMBER_MARK_LEN ? TH_DECODE_END : TH_DECODE_MORE;
}

/* Opens the next member and passes it its mark. */
static th_decode_result open_member(th_member_row *row, const th_member_coding *coding,
                                    void *state, th_decode_span *span)
{
    const th_decode_result marked = take_mark(row, coding, span);
    if (marked == TH_DECODE_DAMAGED) /* after a member, junk is not damage */
        return row->ended ? TH_DECODE_END : TH_DECODE_DAMAGED;
    if (marked == TH_DECODE_MORE)
        return TH_DECODE_MORE;
    if (!coding->open(state))
        return TH_DECODE_NOMEM;
    th_decode_span mark = { row->mark, row->mark_len, span->out, span->out_len };
    row->is_in_member = true;
    return coding->run(state, &mark);
}

th_decode_result th_member_row_step(const th_member_coding *coding, void *state,
                                    th_decode_span *span)
{
    th_member_row *const row = state;
    for (;;) {
        if (!row->is_in_member) {
            if (span->in_len == 0)
                return TH_DECODE_MORE;
            const th_decode_result opened = open_member(row, coding, state, span);
            if (opened != TH_DECODE_MORE || !row->is_in_member)
                return opened;
        }
        const th_decode_result result = coding->run(state, span);
        if (result != TH_DECODE_END)
            return result;
        row->is_in_member = false;
        row->mark_len = 0;
        row->ended++;
    }
}

bool th_member_row_is_proven(const void *state)
{
    const th_member_row *const row = state;
    return row->is_in_member || row->ended;
}

bool th_member_row_is_complete(const void *state)
{
    const th_member_row *const row = state;
    return row->ended && !row->is_in_member;
}
