/*
 * libwarc: reading and writing WARC archives. This header includes all others; each can
 * also be used alone.
 */
#ifndef WARC_H
#define WARC_H

#include "warc/warc_diag.h"
#include "warc/warc_digest.h"
#include "warc/warc_input.h"
#include "warc/warc_reader.h"
#include "warc/warc_record.h"
#include "warc/warc_status.h"
#include "warc/warc_writer.h"

#endif
