/* Requests and answers are of one fixed size over a socket of packets. See the header. */
#include "isolate/fork_server.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL /* Linux 6.3, where machines may forbid to go without */
#define MFD_NOEXEC_SEAL 0x0008U
#endif

struct th_fork_server {
    pid_t pid;
    int control;
    pthread_mutex_t lock; /* of the control socket: a request and its answer */
};

enum action { START, END };

struct request {
    enum action action;
    pid_t pid; /* of END */
};

struct answer {
    int failed; /* errno; 0 on success */
    pid_t pid;  /* of START */
    int status; /* of END */
};

/* ---- the fork_server's side ---- */

/*
 * Closes all descriptors except `kept` and the standard ones, which become /dev/null.
 * Standard error stays open, for messages of libraries and sanitizers.
 */
static void shut_descriptors(int kept)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct rlimit max = { .rlim_cur = 1024 };
    if (null >= 0) {
        (void)dup2(null, STDIN_FILENO);
        (void)dup2(null, STDOUT_FILENO);
    }
#if defined __linux__ && defined SYS_close_range
    if (syscall(SYS_close_range, 3u, (unsigned)kept - 1, 0u) == 0 &&
        syscall(SYS_close_range, (unsigned)kept + 1, ~0u, 0u) == 0)
        return;
#endif
    (void)getrlimit(RLIMIT_NOFILE, &max);
    for (int fd = 3; (rlim_t)fd < max.rlim_cur; fd++)
        if (fd != kept)
            (void)close(fd);
}

/*
 * Ignores signals that end thresher, because they are sent to its whole group or unit.
 * Thresher drains the work in flight, and needs its processes for that.
 */
static void ignore_signals(void)
{
    static const int ignored[] = { SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                                   SIGUSR1, SIGUSR2, SIGPIPE };
    sigset_t none;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL);
    (void)signal(SIGALRM, SIG_DFL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Ends with its parent, also where that has ended already. */
static void end_with(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(0);
}

/* Creates a memory file, which is never executable if the kernel supports that flag. */
static int make_memory(void)
{
    static const char name[] = "thresher-pages";
    const int memory = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);
    return memory >= 0 || errno != EINVAL ? memory : memfd_create(name, MFD_CLOEXEC);
}

static struct answer start(th_fork_server_main main, void *context, int control,
                           int fds[2])
{
    int ends[2] = { -1, -1 };
    const int memory = make_memory();
    const pid_t self = getpid();
    pid_t pid = -1;
    if (memory >= 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0)
        pid = fork();
    if (pid == 0) {
        end_with(self);
        (void)close(control);
        (void)close(ends[0]);
        (void)prctl(PR_SET_NAME, "thresher-page");
        _exit(main(context, ends[1], memory));
    }
    const int failed = pid < 0 ? errno : 0;
    if (ends[1] >= 0)
        (void)close(ends[1]);
    fds[0] = ends[0];
    fds[1] = memory;
    return (struct answer){ .failed = failed, .pid = pid };
}

static struct answer end(pid_t pid)
{
    struct answer answer = { .pid = pid };
    if (pid <= 0 || kill(pid, SIGKILL) != 0)
        answer.failed = ESRCH;
    while (!answer.failed && waitpid(pid, &answer.status, 0) < 0)
        if (errno != EINTR)
            answer.failed = errno;
    return answer;
}

/* Sends the descriptors, if any, with the answer. */
static bool send_answer(int control, const struct answer *answer, const int fds[2])
{
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } ancillary = { .bytes = "" };
    struct iovec bytes = { (void *)answer, sizeof *answer };
    struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
    if (fds[0] >= 0 && fds[1] >= 0 && !answer->failed) {
        message.msg_control = ancillary.bytes;
        message.msg_controllen = sizeof ancillary.bytes;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(2 * sizeof(int));
        memcpy(CMSG_DATA(head), fds, 2 * sizeof(int));
    }
    return sendmsg(control, &message, MSG_NOSIGNAL) == sizeof *answer;
}

static void begin(int control)
{
    shut_descriptors(control);
    ignore_signals();
    (void)prctl(PR_SET_NAME, "thresher-fork");
}

static _Noreturn void serve(th_fork_server_main main, void *context, int control)
{
    struct request request;
    for (;;) {
        const ssize_t got = recv(control, &request, sizeof request, 0);
        int fds[2] = { -1, -1 };
        if (got < 0 && errno == EINTR)
            continue;
        if (got != sizeof request)
            _exit(0); /* thresher has ended */
        const struct answer answer = request.action == START
                                         ? start(main, context, control, fds)
                                         : end(request.pid);
        const bool is_sent = send_answer(control, &answer, fds);
        for (int i = 0; i < 2; i++)
            if (fds[i] >= 0)
                (void)close(fds[i]);
        if (!is_sent)
            _exit(0);
    }
}

/* ---- thresher's side ---- */

th_status th_fork_server_open(th_fork_server_prepare prepare, th_fork_server_main main,
                              void *context, th_fork_server **out, th_error *err)
{
    int ends[2];
    th_fork_server *fork_server = calloc(1, sizeof *fork_server);
    if (!fork_server)
        return th_fail(err, TH_NOMEM, "cannot allocate a fork server");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        free(fork_server);
        return th_fail(err, TH_IO, "cannot create a socket: %s", strerror(errno));
    }
    const pid_t self = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        end_with(self);
        (void)close(ends[0]);
        begin(ends[1]);
        if (!prepare(context))
            _exit(1);
        serve(main, context, ends[1]);
    }
    const int failed = errno;
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        free(fork_server);
        return th_fail(err, TH_IO, "cannot fork: %s", strerror(failed));
    }
    fork_server->pid = pid;
    fork_server->control = ends[0];
    pthread_mutex_init(&fork_server->lock, NULL);
    *out = fork_server;
    return TH_OK;
}

static void take_descriptors(struct msghdr *message, int fds[2])
{
    const struct cmsghdr *head = CMSG_FIRSTHDR(message);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(2 * sizeof(int)))
        memcpy(fds, CMSG_DATA(head), 2 * sizeof(int));
}

/* Sends a request and receives its answer. False if no answer arrives. */
static bool query(th_fork_server *fork_server, const struct request *request,
                  struct answer *answer, int fds[2])
{
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } ancillary = { .bytes = "" };
    struct iovec bytes = { answer, sizeof *answer };
    struct msghdr message = { .msg_iov = &bytes,
                              .msg_iovlen = 1,
                              .msg_control = ancillary.bytes,
                              .msg_controllen = sizeof ancillary.bytes };
    ssize_t got = -1;
    pthread_mutex_lock(&fork_server->lock);
    if (send(fork_server->control, request, sizeof *request, MSG_NOSIGNAL) ==
        sizeof *request)
        do
            got = recvmsg(fork_server->control, &message, MSG_CMSG_CLOEXEC);
        while (got < 0 && errno == EINTR);
    pthread_mutex_unlock(&fork_server->lock);
    if (got != sizeof *answer)
        return false;
    if (fds)
        take_descriptors(&message, fds);
    return true;
}

static th_status is_gone(th_error *err)
{
    return th_fail(err, TH_IO, "the fork server of isolation = process has exited");
}

th_status th_fork_server_start(th_fork_server *fork_server, th_fork_server_child *out,
                               th_error *err)
{
    const struct request request = { .action = START };
    struct answer answer;
    int fds[2] = { -1, -1 };
    if (!query(fork_server, &request, &answer, fds))
        return is_gone(err);
    if (answer.failed || fds[0] < 0)
        return th_fail(err, TH_IO, "cannot start a page process: %s",
                       strerror(answer.failed ? answer.failed : EMFILE));
    *out = (th_fork_server_child){ answer.pid, fds[0], fds[1] };
    return TH_OK;
}

th_status th_fork_server_end(th_fork_server *fork_server, pid_t pid, int *status,
                             th_error *err)
{
    const struct request request = { .action = END, .pid = pid };
    struct answer answer;
    if (!query(fork_server, &request, &answer, NULL) || answer.failed)
        return is_gone(err);
    *status = answer.status;
    return TH_OK;
}

void th_fork_server_close(th_fork_server *fork_server)
{
    if (!fork_server)
        return;
    (void)close(fork_server->control);
    while (waitpid(fork_server->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    pthread_mutex_destroy(&fork_server->lock);
    free(fork_server);
}
