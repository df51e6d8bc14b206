/* Checks the first bytes of a file that is not an archive. See the header. */
#include "ingest/page_file.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool th_is_page_file(const char *path)
{
    static const char mark[] = "\xEF\xBB\xBF";
    char start[512];
    struct stat facts;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    const bool is_file = fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
    const ssize_t got = is_file ? read(fd, start, sizeof start) : -1;
    (void)close(fd);
    const size_t len = got > 0 ? (size_t)got : 0;
    size_t at = len >= 3 && memcmp(start, mark, 3) == 0 ? 3 : 0;
    while (at < len && isspace((unsigned char)start[at]))
        at++;
    if (len - at < 2 || start[at] != '<')
        return false;
    const char next = start[at + 1];
    return next == '!' || next == '?' || isalpha((unsigned char)next);
}
