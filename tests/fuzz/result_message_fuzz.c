/*
 * Any message of a worker process, after a page has taken it over. The first byte selects
 * the meaning of the rest: 0 for the message itself, else changes to a valid message, with
 * three bytes of location and one of value each.
 */
#include "fuzz_target.h"

#include <stdlib.h>
#include <string.h>

#include "isolate/lying_process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lying_process *process;
    if (!process)
        process = lying_process_new();
    if (!size)
        return 0;
    const size_t len = data[0] ? process->honest.len : size - 1;
    char *message = malloc(len ? len : 1); /* exact, so that a sanitizer sees its end */
    if (!message)
        abort();
    if (!data[0])
        memcpy(message, data + 1, len);
    else
        memcpy(message, process->honest.data, len);
    for (size_t at = 1; data[0] && at + 4 <= size; at += 4) {
        const size_t place =
            (size_t)data[at] | (size_t)data[at + 1] << 8 | (size_t)data[at + 2] << 16;
        message[place % len] = (char)data[at + 3];
    }
    (void)lying_process_hear(process, (th_view){ message, len });
    free(message);
    return 0;
}
