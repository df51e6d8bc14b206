/* Replaces endpoint.c if the program is built without libmicrohttpd. */
#include "daemon/endpoint.h"

th_status th_endpoint_open(const th_endpoint_options *options,
                           const th_endpoint_callbacks *callbacks, th_endpoint **out,
                           th_error *err)
{
    (void)callbacks;
    (void)out;
    return th_fail(err, TH_USAGE,
                   "cannot listen on '%.100s': this program was built without the HTTP "
                   "endpoint; set listen = none",
                   options->listen);
}

uint16_t th_endpoint_port(const th_endpoint *endpoint)
{
    (void)endpoint;
    return 0;
}

void th_endpoint_close(th_endpoint *endpoint)
{
    (void)endpoint;
}

const char *th_endpoint_library_version(void)
{
    return NULL;
}
