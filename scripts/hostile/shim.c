/* Numbers the operations of a program on files under SHIM_ROOT, and causes at number SHIM_AT what SHIM_HOW says:
   before, after   the program is killed
   torn            half of a write is done, and the program killed
   short, eintr    half of a write is done, or it is interrupted once: neither is an error
   enospc, eio     the operation fails, once; enospc-ever, eio-ever: this and all later ones fail
   Every step is a line of SHIM_LOG. Preloaded: cc -shared -fPIC -o shim.so shim.c */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *root, *how;
static long at;
static int records = -1, root_is_here;
static atomic_long steps;

__attribute__((constructor)) static void begin(void) {
    char here[4096];
    root = getenv("SHIM_ROOT");
    if (!root || !getcwd(here, sizeof here)) return;
    root_is_here = !strncmp(here, root, strlen(root));
    how = getenv("SHIM_HOW") ? getenv("SHIM_HOW") : "";
    at = getenv("SHIM_AT") ? atol(getenv("SHIM_AT")) : 0;
    records = syscall(SYS_openat, AT_FDCWD, getenv("SHIM_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is(const char *wanted) { return !strncmp(how, wanted, strlen(wanted)); }
static void die(void) { raise(SIGKILL); }

/* Whether a path, below an open folder or the current one, is watched. */
static int watched(int folder, const char *path) {
    char name[64], found[4096];
    if (!root) return 0;
    if (path && path[0] == '/') return !strncmp(path, root, strlen(root));
    if (folder == AT_FDCWD) return root_is_here;
    snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(name, found, sizeof found - 1);
    return length > 0 && (found[length] = 0, !strncmp(found, root, strlen(root)));
}

/* Counts a step, and returns its number; or -1 if it is to fail: errno then says why. */
static long step(const char *what, const char *path) {
    char line[4200];
    long now = atomic_fetch_add(&steps, 1) + 1;
    syscall(SYS_write, records, line, snprintf(line, sizeof line, "%s %s\n", what, path ? path : ""));
    if (now == at && is("before")) die();
    errno = is("enospc") ? ENOSPC : EIO;
    int fails = is("eio") || (is("enospc") && !strchr("uft", what[0])); /* a full disk still removes, syncs and truncates */
    return fails && (now == at || (now > at && strstr(how, "-ever"))) ? -1 : now;
}

#define DONE(what, seen, path, call)                        \
    if (!(seen)) return call;                               \
    long now = step(what, path);                            \
    if (now < 0) return -1;                                 \
    __auto_type result = call;                              \
    if (now == at && is("after")) die();                    \
    return result

/* A write of this many bytes; `call` writes `length` of them. */
#define WRITTEN(fd, bytes, call)                                               \
    size_t length = bytes;                                                     \
    if (!watched(fd, 0)) return call;                                          \
    long now = step("write", 0);                                               \
    if (now < 0) return -1;                                                    \
    if (now == at && is("eintr")) return errno = EINTR, -1;                    \
    if (now == at && (is("torn") || is("short")) && length > 1) length /= 2;   \
    ssize_t result = call;                                                     \
    if (now == at && (is("after") || is("torn"))) die();                       \
    return result

static int opened(int folder, const char *path, int flags, int mode) {
    int makes = flags & (O_CREAT | O_TRUNC);
    DONE("open", makes && watched(folder, path), path, syscall(SYS_openat, folder, path, flags, mode));
}
#define OPEN(name)                                                             \
    int name(const char *path, int flags, ...) {                               \
        va_list rest;                                                          \
        va_start(rest, flags);                                                 \
        return opened(AT_FDCWD, path, flags, va_arg(rest, int));               \
    }
#define OPENAT(name)                                                           \
    int name(int folder, const char *path, int flags, ...) {                   \
        va_list rest;                                                          \
        va_start(rest, flags);                                                 \
        return opened(folder, path, flags, va_arg(rest, int));                 \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

ssize_t write(int fd, const void *from, size_t bytes) { WRITTEN(fd, bytes, syscall(SYS_write, fd, from, length)); }
ssize_t pwrite64(int fd, const void *from, size_t bytes, off64_t place) {
    WRITTEN(fd, bytes, syscall(SYS_pwrite64, fd, from, length, place));
}
ssize_t pwrite(int fd, const void *from, size_t bytes, off_t place) { return pwrite64(fd, from, bytes, place); }
/* Of several pieces, a torn write writes half of the first. */
ssize_t writev(int fd, const struct iovec *pieces, int count) {
    WRITTEN(fd, pieces[0].iov_len, length < pieces[0].iov_len ? syscall(SYS_write, fd, pieces[0].iov_base, length)
                                                              : syscall(SYS_writev, fd, pieces, count));
}
ssize_t copy_file_range(int from, off64_t *of, int fd, off64_t *to, size_t bytes, unsigned flags) {
    WRITTEN(fd, bytes, syscall(SYS_copy_file_range, from, of, fd, to, length, flags));
}
ssize_t sendfile64(int fd, int from, off64_t *place, size_t bytes) {
    WRITTEN(fd, bytes, syscall(SYS_sendfile, fd, from, place, length));
}
ssize_t sendfile(int fd, int from, off_t *place, size_t bytes) { return sendfile64(fd, from, place, bytes); }

int fsync(int fd) { DONE("fsync", watched(fd, 0), 0, syscall(SYS_fsync, fd)); }
int fdatasync(int fd) { DONE("fsync", watched(fd, 0), 0, syscall(SYS_fdatasync, fd)); }
int ftruncate64(int fd, off64_t size) { DONE("truncate", watched(fd, 0), 0, syscall(SYS_ftruncate, fd, size)); }
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    DONE("rename", watched(b, to), to, syscall(SYS_renameat2, a, from, b, to, flags));
}
int renameat(int a, const char *from, int b, const char *to) { return renameat2(a, from, b, to, 0); }
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
    DONE("link", watched(b, to), to, syscall(SYS_linkat, a, from, b, to, flags));
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }
int unlinkat(int folder, const char *path, int flags) {
    DONE("unlink", watched(folder, path), path, syscall(SYS_unlinkat, folder, path, flags));
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int mkdirat(int folder, const char *path, mode_t mode) {
    DONE("mkdir", watched(folder, path), path, syscall(SYS_mkdirat, folder, path, mode));
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
