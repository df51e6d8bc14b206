/* Threads that do the same work until none is left. */
#include "eval/parallel.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct member {
    pthread_t thread;
    bool is_running;
    th_parallel_work work;
    void *context;
    uint64_t place;
    th_status status;
    th_error err;
};

static void *run_member(void *argument)
{
    struct member *member = argument;
    member->status = member->work(member->context, &member->place, &member->err);
    return NULL;
}

th_status th_parallel_run(unsigned workers, th_parallel_work work, void *context,
                          th_error *err)
{
    struct member *members = calloc(workers, sizeof *members);
    if (!members)
        return th_fail(err, TH_NOMEM, "cannot allocate %u workers", workers);
    for (unsigned i = 0; i < workers; i++) {
        members[i].work = work;
        members[i].context = context;
        if (i > 0) /* the first is the caller's thread */
            members[i].is_running =
                pthread_create(&members[i].thread, NULL, run_member, &members[i]) == 0;
    }
    run_member(&members[0]);
    const struct member *first = NULL;
    for (unsigned i = 0; i < workers; i++) {
        if (members[i].is_running)
            pthread_join(members[i].thread, NULL);
        if (members[i].status != TH_OK && (!first || members[i].place < first->place))
            first = &members[i];
    }
    const th_status status = first ? first->status : TH_OK;
    if (first && err)
        *err = first->err;
    free(members);
    return status;
}
