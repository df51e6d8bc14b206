/* Names of WACZ files and of their members. */
#include <string.h>
#include <sys/stat.h>

#include "base/file_name.h"
#include "ingest/wacz.h"

bool th_wacz_is_file(const char *name)
{
    return th_file_name_ends(name, ".wacz");
}

size_t th_wacz_file_len(const char *name)
{
    static const char mark[] = ".wacz!";
    struct stat facts;
    const char *found = strstr(name, mark);
    if (!found || found == name || stat(name, &facts) == 0)
        return 0;
    return (size_t)(found - name) + sizeof mark - 2;
}
