/* A user's program: lists an archive, with libwarc only. */
#include <stdio.h>

#include <warc/warc.h>

int main(int argc, char **argv)
{
    warc_error error = { .text = "no archive named" };
    warc_reader *reader = NULL;
    warc_record *record = NULL;
    if (argc != 2 || warc_reader_open_path(argv[1], NULL, &reader, &error) != WARC_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    while (warc_reader_next(reader, &record, &error) == WARC_OK) {
        const warc_view uri = warc_record_target_uri(record);
        printf("%s %.*s\n", warc_type_name(warc_record_type(record)), (int)uri.len,
               uri.data ? uri.data : "");
    }
    warc_reader_free(reader);
    return 0;
}
