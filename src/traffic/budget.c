/* A number, a lock and the waiting threads. See the header. */
#include "traffic/budget.h"

#include <pthread.h>
#include <stdlib.h>

struct th_budget {
    uint64_t bytes;
    pthread_mutex_t lock; /* all below */
    pthread_cond_t changed;
    uint64_t taken, oldest;
};

th_budget *th_budget_new(uint64_t bytes)
{
    th_budget *budget = calloc(1, sizeof *budget);
    if (!budget)
        return NULL;
    budget->bytes = bytes;
    pthread_mutex_init(&budget->lock, NULL);
    pthread_cond_init(&budget->changed, NULL);
    return budget;
}

void th_budget_free(th_budget *budget)
{
    if (!budget)
        return;
    pthread_cond_destroy(&budget->changed);
    pthread_mutex_destroy(&budget->lock);
    free(budget);
}

void th_budget_acquire(th_budget *budget, uint64_t number, size_t bytes)
{
    pthread_mutex_lock(&budget->lock);
    while (number > budget->oldest && budget->taken + bytes > budget->bytes)
        pthread_cond_wait(&budget->changed, &budget->lock);
    budget->taken += bytes;
    pthread_mutex_unlock(&budget->lock);
}

void th_budget_give(th_budget *budget, size_t bytes)
{
    pthread_mutex_lock(&budget->lock);
    budget->taken -= bytes;
    pthread_cond_broadcast(&budget->changed);
    pthread_mutex_unlock(&budget->lock);
}

void th_budget_advance(th_budget *budget, uint64_t oldest)
{
    pthread_mutex_lock(&budget->lock);
    budget->oldest = oldest;
    pthread_cond_broadcast(&budget->changed);
    pthread_mutex_unlock(&budget->lock);
}
