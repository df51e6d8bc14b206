/* The pages of a corpus, taken in turn by the workers of workers. See the header. */
#include "eval/corpus_feed.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_PAGES = 256 };

/* Room for one more page. Under the lock. */
static th_status add_page(th_corpus_feed *feed, size_t *number)
{
    if (feed->page_count == feed->page_capacity) {
        const size_t capacity =
            feed->page_capacity ? 2 * feed->page_capacity : FIRST_PAGES;
        void *pages = realloc(feed->pages, capacity * feed->page_size);
        if (!pages)
            return TH_NOMEM;
        feed->pages = pages;
        feed->page_capacity = capacity;
    }
    memset((char *)feed->pages + feed->page_count * feed->page_size, 0, feed->page_size);
    *number = feed->page_count++;
    return TH_OK;
}

th_status th_corpus_feed_next(th_corpus_feed *feed, th_corpus_line *line, th_error *err)
{
    const th_eval_request *request = feed->request;
    th_status status = TH_END;
    pthread_mutex_lock(&feed->lock);
    if (!feed->is_over && request->stop && *request->stop)
        status = th_fail(err, TH_INTERRUPTED, "interrupted");
    else if (!feed->is_over)
        status = th_corpus_lines_next(feed->reader, &line->text, err);
    if (status == TH_OK)
        status = add_page(feed, &line->page);
    line->number = th_corpus_lines_number(feed->reader);
    feed->is_over = feed->is_over || status != TH_OK;
    if (request->report)
        request->report(request->context,
                        feed->done_before + th_corpus_lines_offset(feed->reader),
                        feed->total_bytes, feed->page_count);
    pthread_mutex_unlock(&feed->lock);
    return status;
}

void th_corpus_feed_stop(th_corpus_feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->is_over = true;
    pthread_mutex_unlock(&feed->lock);
}

th_status th_corpus_feed_run(th_corpus_feed *feed, const char *path,
                             th_parallel_work work, void *context, th_error *err)
{
    const size_t before = feed->page_count;
    th_status status =
        th_corpus_lines_open(path, feed->request->stop, &feed->reader, err);
    if (status != TH_OK)
        return status;
    feed->is_over = false;
    pthread_mutex_init(&feed->lock, NULL);
    status = th_parallel_run(feed->request->workers, work, context, err);
    if (status == TH_OK && feed->page_count == before)
        status = th_fail(err, TH_USAGE, "'%s' contains no page", path);
    pthread_mutex_destroy(&feed->lock);
    th_corpus_lines_free(feed->reader);
    feed->reader = NULL;
    return status;
}
