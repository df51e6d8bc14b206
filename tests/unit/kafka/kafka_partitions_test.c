/* src/kafka/kafka_partitions.c: offsets to commit, for any sequence of offsets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kafka/kafka_partitions.h"

#define TOPIC TH_VIEW("pages")

static th_kafka_partition *own(th_kafka_partitions *all, int64_t committed)
{
    assert_true(th_kafka_partitions_own(all, "pages", 0, committed));
    th_kafka_partition *partition = th_kafka_partitions_find(all, TOPIC, 0);
    assert_non_null(partition);
    return partition;
}

/* Hands out messages from `offset` on, a record each. */
static th_kafka_step dispatch(th_kafka_partition *partition, int64_t offset, int count)
{
    const th_kafka_step step = th_kafka_partition_dispatch(partition, offset, -1, 1);
    for (int i = 1; i < count; i++)
        (void)th_kafka_partition_dispatch(partition, offset + i, -1, 1);
    return step;
}

static void do_all(th_kafka_partition *partition, int64_t offset, int count)
{
    for (int i = 0; i < count; i++)
        th_kafka_partition_done(partition, offset + i);
}

/* The offset that would be committed; -1: none. */
static int64_t to_commit(const th_kafka_partitions *all)
{
    rd_kafka_topic_partition_list_t *list = th_kafka_partitions_to_commit(all, 0);
    assert_non_null(list);
    const int64_t offset = list->cnt ? list->elems[0].offset : -1;
    rd_kafka_topic_partition_list_destroy(list);
    return offset;
}

static void what_is_done_is_committed_once(void **state)
{
    (void)state;
    th_kafka_partitions all = { .rows = NULL };
    th_kafka_partition *partition = own(&all, -1);
    assert_false(dispatch(partition, 7, 10).is_anew);
    assert_int_equal(to_commit(&all), -1);
    do_all(partition, 7, 4);
    assert_int_equal(to_commit(&all), 11);
    th_kafka_partitions_acknowledge(&all);
    assert_int_equal(to_commit(&all), -1);
    do_all(partition, 11, 6);
    assert_int_equal(to_commit(&all), 17);
    th_kafka_partitions_free(&all);
}

/* The topic is recreated while records of the old one are in progress. They are written,
 * but their offsets are not committed, even if both topics have the same offset. */
static void a_remade_topic_begins_anew(void **state)
{
    (void)state;
    for (int64_t under_way = 0; under_way <= 20; under_way++) {
        th_kafka_partitions all = { .rows = NULL };
        th_kafka_partition *partition = own(&all, -1);
        (void)dispatch(partition, 0, 20);
        do_all(partition, 0, (int)(20 - under_way));
        th_kafka_partitions_acknowledge(&all);
        const th_kafka_step step = dispatch(partition, 0, 15);
        assert_true(step.is_anew);
        assert_int_equal(step.expected, 20);
        for (int64_t i = 20 - under_way; i < 20; i++) {
            th_kafka_partition_done(partition, i);
            assert_int_equal(to_commit(&all), 0); /* over what was committed before */
        }
        for (int64_t i = 0; i < 15; i++) {
            th_kafka_partition_done(partition, i);
            assert_int_equal(to_commit(&all), i + 1);
        }
        th_kafka_partitions_acknowledge(&all);
        assert_int_equal(to_commit(&all), -1);
        /* And a second time. */
        assert_true(dispatch(partition, 3, 1).is_anew);
        th_kafka_partition_done(partition, 3);
        assert_int_equal(to_commit(&all), 4);
        th_kafka_partitions_free(&all);
    }
}

/* A rewind that repeats offsets is not a recreated topic. */
static void a_rewind_is_no_new_topic(void **state)
{
    (void)state;
    th_kafka_partitions all = { .rows = NULL };
    th_kafka_partition *partition = own(&all, 5);
    assert_false(dispatch(partition, 5, 20).is_anew);
    do_all(partition, 5, 5);
    th_kafka_partitions_acknowledge(&all);
    th_kafka_partitions_make_void(&all);
    th_kafka_partition_go_to(partition, 10);
    assert_false(dispatch(partition, 10, 20).is_anew);
    do_all(partition, 10, 20);
    assert_int_equal(to_commit(&all), 30);
    /* After a recreated topic: back to its first offset, until that is committed. */
    assert_true(dispatch(partition, 2, 5).is_anew);
    assert_int_equal(partition->anew, 2);
    th_kafka_partitions_make_void(&all);
    assert_int_equal(partition->anew, 2);
    th_kafka_partition_go_to(partition, 2);
    assert_false(dispatch(partition, 2, 5).is_anew);
    do_all(partition, 2, 5);
    assert_int_equal(to_commit(&all), 7);
    th_kafka_partitions_acknowledge(&all);
    assert_int_equal(partition->anew, -1);
    th_kafka_partitions_free(&all);
}

/* Resumed at the committed offset of the group. The group's offsets are deleted with the
 * topic. */
static void an_assignment_takes_up(void **state)
{
    (void)state;
    static const struct {
        int64_t committed, offset;
        bool is_anew;
    } rows[] = {
        { 12, 12, false }, { 12, 40, false },  { 12, 0, true },
        { -1, 0, true },   { -1001, 0, true }, { -1, 12, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_kafka_partitions all = { .rows = NULL };
        th_kafka_partition *partition = own(&all, -1);
        assert_false(dispatch(partition, 0, 12).is_anew);
        do_all(partition, 0, 12);
        th_kafka_partitions_acknowledge(&all);
        th_kafka_partitions_make_void(&all);
        th_kafka_partitions_disown(&all, NULL);
        partition = own(&all, rows[i].committed);
        assert_int_equal(dispatch(partition, rows[i].offset, 1).is_anew, rows[i].is_anew);
        th_kafka_partitions_free(&all);
    }
}

static void a_gap_is_retention_or_nothing(void **state)
{
    (void)state;
    static const struct {
        int64_t offset, low, expired;
    } rows[] = {
        { 10, -1, 0 },  { 11, -1, 0 },  { 11, 0, 0 },  { 30, 10, 0 },
        { 30, 30, 20 }, { 30, 25, 15 }, { 10, 10, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        th_kafka_partitions all = { .rows = NULL };
        th_kafka_partition *partition = own(&all, 10);
        const th_kafka_step step =
            th_kafka_partition_dispatch(partition, rows[i].offset, rows[i].low, 1);
        assert_int_equal(step.expired, rows[i].expired);
        assert_false(step.is_anew);
        th_kafka_partitions_free(&all);
    }
}

/* A message of several records is one offset. */
static void records_of_a_message_are_counted(void **state)
{
    (void)state;
    th_kafka_partitions all = { .rows = NULL };
    th_kafka_partition *partition = own(&all, -1);
    (void)th_kafka_partition_dispatch(partition, 8, -1, 3);
    (void)th_kafka_partition_dispatch(partition, 0, -1, 2); /* recreated */
    for (int i = 0; i < 3; i++) {
        th_kafka_partition_done(partition, 8);
        assert_int_equal(to_commit(&all), 0);
    }
    for (int i = 0; i < 2; i++) {
        th_kafka_partition_done(partition, 0);
        assert_int_equal(to_commit(&all), 1);
    }
    assert_int_equal(partition->handed, 0);
    th_kafka_partitions_free(&all);
}

/* group.protocol=consumer takes them one by one: what stays is committed as before. */
static void only_what_is_taken_is_not_ours(void **state)
{
    (void)state;
    th_kafka_partitions all = { .rows = NULL };
    th_kafka_partition *partition = own(&all, -1);
    (void)dispatch(partition, 7, 10);
    do_all(partition, 7, 4);
    assert_true(th_kafka_partitions_own(&all, "pages", 1, -1));
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    (void)rd_kafka_topic_partition_list_add(list, "pages", 1);
    th_kafka_partitions_disown(&all, list);
    rd_kafka_topic_partition_list_t *owned = th_kafka_partitions_owned(&all);
    assert_int_equal(owned->cnt, 1);
    assert_int_equal(owned->elems[0].partition, 0);
    assert_int_equal(to_commit(&all), 11);
    rd_kafka_topic_partition_list_destroy(owned);
    owned = NULL;
    th_kafka_partitions_disown(&all, NULL);
    assert_int_equal(to_commit(&all), -1);
    rd_kafka_topic_partition_list_destroy(list);
    th_kafka_partitions_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_done_is_committed_once),
        cmocka_unit_test(a_remade_topic_begins_anew),
        cmocka_unit_test(a_rewind_is_no_new_topic),
        cmocka_unit_test(an_assignment_takes_up),
        cmocka_unit_test(a_gap_is_retention_or_nothing),
        cmocka_unit_test(records_of_a_message_are_counted),
        cmocka_unit_test(only_what_is_taken_is_not_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
