/* /proc/self, read; proc(5). */
#include "daemon/process_facts.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"

static uint64_t read_resident(void)
{
    uint64_t total, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%" SCNu64 " %" SCNu64, &total, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t count_fds(void)
{
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return 0;
    uint64_t count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count ? count - 1 : 0; /* without the descriptor that is reading */
}

void th_process_facts_read(th_process_stats *facts)
{
    struct rlimit limit;
    *facts = (th_process_stats){
        .cpu_seconds = th_clock_seconds(CLOCK_PROCESS_CPUTIME_ID),
        .resident_bytes = read_resident(),
        .open_fds = count_fds(),
    };
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        facts->max_fds = limit.rlim_cur;
}

double th_process_start_time(void)
{
    char row[1024];
    uint64_t ticks = 0;
    FILE *file = fopen("/proc/self/stat", "re");
    if (!file)
        return 0;
    const size_t len = fread(row, 1, sizeof row - 1, file);
    fclose(file);
    row[len] = '\0';
    /* Field 22; the second is a name in brackets that may hold anything, brackets too. */
    const char *field = strrchr(row, ')');
    for (unsigned i = 2; field && i < 22; i++)
        field = strchr(field + 1, ' ');
    if (!field || sscanf(field, "%" SCNu64, &ticks) != 1)
        return 0;
    const double age =
        th_clock_seconds(CLOCK_BOOTTIME) - (double)ticks / (double)sysconf(_SC_CLK_TCK);
    return th_clock_seconds(CLOCK_REALTIME) - age;
}
