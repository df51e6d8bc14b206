/* src/isolate/result_message.c: each value of a message is verified before its use. */
#include "isolate/result_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolate/lying_process.h"

static int set_up(void **state)
{
    *state = lying_process_new();
    return 0;
}

static int tear_down(void **state)
{
    lying_process_free(*state);
    return 0;
}

/* Receives the message with some of its bytes changed. It has exact size, so that a sanitizer
 * detects an overrun. */
static th_status hear_with(lying_process *process, size_t at, const void *bytes,
                           size_t len)
{
    char *copy = malloc(process->honest.len);
    assert_non_null(copy);
    memcpy(copy, process->honest.data, process->honest.len);
    memcpy(copy + at, bytes, len);
    const th_status status =
        lying_process_hear(process, (th_view){ copy, process->honest.len });
    free(copy);
    return status;
}

static void the_truth_is_taken(void **state)
{
    lying_process *process = *state;
    assert_int_equal(lying_process_hear(process, th_buffer_view(&process->honest)),
                     TH_OK);
}

static void a_message_that_ends_early_is_none(void **state)
{
    lying_process *process = *state;
    for (size_t len = 0; len < process->honest.len; len += len < 2048 ? 1 : 61)
        assert_int_equal(
            lying_process_hear(process, (th_view){ process->honest.data, len }), TH_IO);
}

/* Changes every byte to values that overflow, underflow, or are off by one. A message that is
 * still accepted must be usable. The text of pages, for example, cannot be verified. */
static void any_byte_may_be_a_lie(void **state)
{
    static const unsigned char lies[] = { 0x00, 0x80, 0xFF };
    lying_process *process = *state;
    size_t taken = 0, refused = 0;
    for (size_t at = 0; at < process->honest.len; at++)
        for (size_t i = 0; i < sizeof lies + 2; i++) {
            const unsigned char truth = (unsigned char)process->honest.data[at];
            const unsigned char lie = i < sizeof lies    ? lies[i]
                                      : i == sizeof lies ? (unsigned char)(truth + 1)
                                                         : (unsigned char)(truth - 1);
            const th_status status = hear_with(process, at, &lie, 1);
            taken += status == TH_OK && lie != truth;
            refused += status != TH_OK;
        }
    assert_true(taken > 0 && refused > 0);
}

/* Places in the head, whose layout is result_message.c's own: the first word is its
 * mark, the second one the status, then how far it is. */
enum { AT_STATUS = 8, AT_DONE = 12, AT_PART = 16, AT_WITHIN = 17, AT_COUNTS = 24 };
enum { LENGTHS = 9 }; /* of the buffers of a message */

static void what_cannot_be_is_refused(void **state)
{
    lying_process *process = *state;
    const uint32_t huge = UINT32_MAX, damaged = TH_DAMAGED, nomem = TH_NOMEM, less = 5;
    const uint64_t many = 1000, minus = UINT64_MAX;
    const uint8_t yes = 1;
    assert_int_equal(hear_with(process, 0, &huge, sizeof huge), TH_DAMAGED);
    assert_int_equal(hear_with(process, AT_STATUS, &damaged, sizeof damaged), TH_DAMAGED);
    assert_int_equal(hear_with(process, AT_STATUS, &huge, sizeof huge), TH_DAMAGED);
    assert_int_equal(hear_with(process, AT_STATUS, &nomem, sizeof nomem), TH_NOMEM);
    assert_int_equal(hear_with(process, AT_DONE, &huge, sizeof huge), TH_DAMAGED);
    assert_int_equal(hear_with(process, AT_DONE, &less, sizeof less), TH_DAMAGED);
    assert_int_equal(hear_with(process, AT_WITHIN, &yes, sizeof yes), TH_DAMAGED);
    assert_int_equal(hear_with(process, AT_PART, &yes, sizeof yes), TH_DAMAGED);
    for (size_t at = AT_COUNTS; at < AT_COUNTS + sizeof(th_counts); at += 8) {
        const bool is_sum = at >= AT_COUNTS + offsetof(th_counts, html_bytes) &&
                            at < AT_COUNTS + offsetof(th_counts, duplicates);
        assert_int_equal(hear_with(process, at, &minus, sizeof minus), TH_DAMAGED);
        if (!is_sum) /* bytes and tokens may be many */
            assert_int_equal(hear_with(process, at, &many, sizeof many), TH_DAMAGED);
    }
    for (size_t at = AT_COUNTS + sizeof(th_counts), i = 0; i < 8; i++, at += 8)
        assert_int_equal(hear_with(process, at, &minus, sizeof minus), TH_DAMAGED);
}

/* Parts that were not requested are rejected. */
static void what_nobody_wants_is_refused(void **state)
{
    lying_process *process = *state;
    const th_work_options all = process->options;
    const th_view message = th_buffer_view(&process->honest);
    process->options.wants_rejects = false;
    assert_int_equal(lying_process_hear(process, message), TH_DAMAGED);
    process->options = all;
    process->options.wants_bands = false;
    assert_int_equal(lying_process_hear(process, message), TH_DAMAGED);
    process->options = all;
    process->options.low_bits = 0;
    assert_int_equal(lying_process_hear(process, message), TH_DAMAGED);
    process->options = all;
    process->options.index = NULL;
    assert_int_equal(lying_process_hear(process, message), TH_DAMAGED);
    process->options = all;
}

/* Returns where the pieces of the message begin. They follow the pages, rejects
 * and records that are set aside, whose lengths are the first after the counts. */
static size_t start_of_pieces(const lying_process *process)
{
    uint64_t lens[LENGTHS];
    const size_t at = AT_COUNTS + sizeof(th_counts);
    memcpy(lens, process->honest.data + at, sizeof lens);
    return at + sizeof lens + lens[0] + lens[1] + lens[2];
}

/* A piece of another record, with an unknown status, or outside of its bytes. */
static void a_piece_elsewhere_is_refused(void **state)
{
    static const struct {
        size_t at, len;
    } members[] = {
#define MEMBER(name) { offsetof(th_piece, name), sizeof((th_piece *)NULL)->name }
        MEMBER(record),      MEMBER(status),      MEMBER(start),        MEMBER(len),
        MEMBER(bands_start), MEMBER(low_start),   MEMBER(bands_count),  MEMBER(low_len),
        MEMBER(detail_len),  MEMBER(http_status), MEMBER(detail_start),
#undef MEMBER
    };
    static const uint64_t beyond = (uint64_t)1 << 40 | (uint64_t)1 << 31;
    lying_process *process = *state;
    const size_t start = start_of_pieces(process);
    for (uint32_t i = 0; i < process->batch.record_count; i++)
        for (size_t k = 0; k < sizeof members / sizeof *members; k++)
            assert_int_equal(hear_with(process,
                                       start + i * sizeof(th_piece) + members[k].at,
                                       &beyond, members[k].len),
                             TH_DAMAGED);
}

static void do_nothing(int signal)
{
    (void)signal;
}

/* A signal ends a write within the bytes: the rest follows. */
static void an_interrupted_message_is_complete(void **state)
{
    enum { LEN = 4 << 20, SLICE = 64 << 10 };
    (void)state;
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct sigaction action = { .sa_handler = do_nothing }; /* no SA_RESTART */
        const struct itimerval often = { { 0, 500 }, { 0, 500 } };
        th_work_buffers buffers = { .pages = { 0 } };
        char *bytes = malloc(LEN);
        if (!bytes || sigaction(SIGALRM, &action, NULL) != 0 ||
            setitimer(ITIMER_REAL, &often, NULL) != 0)
            _exit(1);
        for (size_t i = 0; i < LEN; i++)
            bytes[i] = (char)(i * 7 + i / 251);
        const th_work_result result = { .buffers = &buffers, .pages = { bytes, LEN } };
        _exit(th_result_send(ends[1], &result, TH_OK) == TH_OK ? 0 : 2);
    }
    (void)close(ends[1]);
    const size_t head = AT_COUNTS + sizeof(th_counts) + LENGTHS * sizeof(uint64_t);
    char *slice = malloc(SLICE);
    assert_non_null(slice);
    size_t got = 0;
    for (ssize_t len; (len = read(ends[0], slice, SLICE)) > 0; got += (size_t)len) {
        for (size_t i = 0; i < (size_t)len; i++)
            if (got + i >= head)
                assert_int_equal(
                    (unsigned char)slice[i],
                    (unsigned char)((got + i - head) * 7 + (got + i - head) / 251));
        (void)usleep(1000); /* the writer waits, and a signal arrives */
    }
    assert_int_equal(got, head + LEN);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    free(slice);
    (void)close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_truth_is_taken),
        cmocka_unit_test(a_message_that_ends_early_is_none),
        cmocka_unit_test(any_byte_may_be_a_lie),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(what_nobody_wants_is_refused),
        cmocka_unit_test(a_piece_elsewhere_is_refused),
        cmocka_unit_test(an_interrupted_message_is_complete),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
