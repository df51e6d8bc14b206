/* src/daemon/connections.c: which connection is closed for another, over pairs of
 * sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "daemon/connections.h"

enum { PLACES = 6, KEPT = 2, MANY = 20 };

struct scene {
    th_connections *connections;
    int ours[MANY], theirs[MANY];
    int count;
};

static void open_scene(struct scene *scene, unsigned timeout_ms)
{
    const th_connections_options options = { .places = PLACES,
                                             .kept_places = KEPT,
                                             .timeout_ms = timeout_ms };
    *scene = (struct scene){ 0 };
    assert_int_equal(th_connections_new(&options, &scene->connections), TH_OK);
}

static void close_scene(struct scene *scene)
{
    for (int i = 0; i < scene->count; i++) {
        th_connections_remove(scene->connections, scene->ours[i]);
        close(scene->ours[i]);
        close(scene->theirs[i]);
    }
    th_connections_free(scene->connections);
}

static int enter(struct scene *scene, bool is_local)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    th_connections_reserve(scene->connections, is_local);
    th_connections_add(scene->connections, pair[0], is_local);
    scene->ours[scene->count] = pair[0];
    scene->theirs[scene->count] = pair[1];
    usleep(2000); /* the clock has milliseconds */
    return scene->count++;
}

static bool is_inside(const struct scene *scene, int who)
{
    char byte;
    return recv(scene->theirs[who], &byte, 1, MSG_DONTWAIT) != 0;
}

static void remote_connections_get_no_kept_place(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 60000);
    const int own = enter(&scene, true);
    for (int i = 0; i < MANY - 4; i++)
        enter(&scene, false);
    for (int i = 1; i < scene.count; i++)
        assert_int_equal(is_inside(&scene, i), i >= scene.count - (PLACES - KEPT));
    assert_true(is_inside(&scene, own));
    const int second = enter(&scene, true);
    assert_true(is_inside(&scene, own) && is_inside(&scene, second));
    close_scene(&scene);
}

static void remote_connections_give_way_first(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 60000);
    for (int i = 0; i < PLACES; i++)
        enter(&scene, i != 2);
    enter(&scene, true);
    for (int i = 0; i < PLACES; i++)
        assert_int_equal(is_inside(&scene, i), i != 2);
    enter(&scene, true); /* now the first of our own */
    for (int i = 0; i < PLACES; i++)
        assert_int_equal(is_inside(&scene, i), i != 2 && i != 0);
    close_scene(&scene);
}

/* Waits until a connection is ended. Returns the time, ms. */
static int64_t wait_for_end(struct scene *scene, int number)
{
    while (is_inside(scene, number))
        usleep(5000);
    return th_now_ms();
}

/* Each is ended when its own time is over, and not before. */
static void nobody_stays_longer(void **state)
{
    enum { LIMIT_MS = 300 };
    struct scene scene;
    (void)state;
    open_scene(&scene, LIMIT_MS);
    const int64_t before_first = th_now_ms();
    const int first = enter(&scene, true);
    usleep(200000);
    const int64_t before_second = th_now_ms();
    const int second = enter(&scene, true);
    assert_true(wait_for_end(&scene, first) - before_first >= LIMIT_MS);
    assert_true(wait_for_end(&scene, second) - before_second >= LIMIT_MS);
    close_scene(&scene);
    th_connections_free(NULL);
}

static void held_connections_stay(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 60000);
    for (int i = 0; i < PLACES; i++)
        enter(&scene, i >= 2); /* two remote ones first */
    th_connections_hold(scene.connections, scene.ours[0], true);
    th_connections_hold(scene.connections, scene.ours[2], true);
    enter(&scene, true); /* for the other remote one */
    enter(&scene, true); /* for the oldest local connection that is not held */
    for (int i = 0; i < scene.count; i++)
        assert_int_equal(is_inside(&scene, i), i != 1 && i != 3);
    th_connections_hold(scene.connections, scene.ours[0], false);
    enter(&scene, true);
    assert_false(is_inside(&scene, 0));
    close_scene(&scene);
}

static void held_connections_have_no_time(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 50);
    const int held = enter(&scene, true), other = enter(&scene, true);
    th_connections_hold(scene.connections, scene.ours[held], true);
    while (is_inside(&scene, other)) /* until its time is over */
        usleep(1000);
    assert_true(is_inside(&scene, held));
    th_connections_hold(scene.connections, scene.ours[held], false);
    while (is_inside(&scene, held)) /* its time has started again, and ends */
        usleep(1000);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remote_connections_get_no_kept_place),
        cmocka_unit_test(remote_connections_give_way_first),
        cmocka_unit_test(held_connections_stay),
        cmocka_unit_test(held_connections_have_no_time),
        cmocka_unit_test(nobody_stays_longer),
    };
    return cmocka_run_group_tests_name("connections", tests, NULL, NULL);
}
