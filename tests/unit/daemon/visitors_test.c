/* src/daemon/visitors.c: who gives way to whom, over pairs of sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/visitors.h"

enum { PLACES = 6, KEPT = 2, MANY = 20 };

struct door {
    th_visitors *visitors;
    int ours[MANY], theirs[MANY];
    int count;
};

static void open_door(struct door *door, unsigned stay_ms)
{
    const th_visitors_options options = { .places = PLACES,
                                          .kept_places = KEPT,
                                          .stay_ms = stay_ms };
    *door = (struct door){ 0 };
    assert_int_equal(th_visitors_new(&options, &door->visitors), TH_OK);
}

static void close_door(struct door *door)
{
    for (int i = 0; i < door->count; i++) {
        th_visitors_leave(door->visitors, door->ours[i]);
        close(door->ours[i]);
        close(door->theirs[i]);
    }
    th_visitors_free(door->visitors);
}

static int enter(struct door *door, bool is_from_here)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    th_visitors_make_room(door->visitors, is_from_here);
    th_visitors_enter(door->visitors, pair[0], is_from_here);
    door->ours[door->count] = pair[0];
    door->theirs[door->count] = pair[1];
    usleep(2000); /* the clock has milliseconds */
    return door->count++;
}

static bool is_inside(const struct door *door, int who)
{
    char byte;
    return recv(door->theirs[who], &byte, 1, MSG_DONTWAIT) != 0;
}

static void strangers_leave_the_kept_places(void **state)
{
    struct door door;
    (void)state;
    open_door(&door, 60000);
    const int own = enter(&door, true);
    for (int i = 0; i < MANY - 4; i++)
        enter(&door, false);
    for (int i = 1; i < door.count; i++)
        assert_int_equal(is_inside(&door, i), i >= door.count - (PLACES - KEPT));
    assert_true(is_inside(&door, own));
    const int second = enter(&door, true);
    assert_true(is_inside(&door, own) && is_inside(&door, second));
    close_door(&door);
}

static void strangers_give_way_first(void **state)
{
    struct door door;
    (void)state;
    open_door(&door, 60000);
    for (int i = 0; i < PLACES; i++)
        enter(&door, i != 2);
    enter(&door, true);
    for (int i = 0; i < PLACES; i++)
        assert_int_equal(is_inside(&door, i), i != 2);
    enter(&door, true); /* now the first of our own */
    for (int i = 0; i < PLACES; i++)
        assert_int_equal(is_inside(&door, i), i != 2 && i != 0);
    close_door(&door);
}

static void nobody_stays_longer(void **state)
{
    struct door door;
    (void)state;
    open_door(&door, 300);
    const int first = enter(&door, true);
    usleep(200000);
    const int second = enter(&door, true);
    assert_true(is_inside(&door, first));
    usleep(200000);
    assert_false(is_inside(&door, first));
    assert_true(is_inside(&door, second));
    usleep(300000);
    assert_false(is_inside(&door, second));
    close_door(&door);
    th_visitors_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strangers_leave_the_kept_places),
        cmocka_unit_test(strangers_give_way_first),
        cmocka_unit_test(nobody_stays_longer),
    };
    return cmocka_run_group_tests_name("visitors", tests, NULL, NULL);
}
