/* Statements about rights in the head of an HTTP response. [th_right] */
#ifndef TH_HTTP_RIGHTS_H
#define TH_HTTP_RIGHTS_H

#include "page/rights.h"

/**
 * Takes X-Robots-Tag, TDM-Reservation, TDM-Policy, Content-Usage, Content-Signal, and the
 * licenses of Link.
 * @param head  bytes of a head that th_http_head_parse accepted
 * @param url   of the record, to resolve URLs against; may be absent
 */
void th_http_rights(th_view head, th_view url, th_rights *rights);

#endif
