/* A simulated disk, preloaded: it notes the size that every file had when it was last synced (DISK_NOTES), refuses to write to
   journals while a file is there (DISK_FULL_IF), and fails to sync them while another is (DISK_SYNC_FAILS_IF). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

static void find(void) {
    if (!real_write) {
        real_fsync = dlsym(RTLD_NEXT, "fsync");
        real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
        real_write = dlsym(RTLD_NEXT, "write");
    }
}

static int path_of(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

static int is_journal(int fd) {
    char path[4096];
    if (!path_of(fd, path, sizeof path)) return 0;
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".log") == 0;
}

static int there(const char *variable) {
    const char *path = getenv(variable);
    return path && access(path, F_OK) == 0;
}

static void note(int fd) {
    const char *notes = getenv("DISK_NOTES");
    char path[4096], line[4200];
    struct stat file;
    if (!notes || !path_of(fd, path, sizeof path) || fstat(fd, &file) || !S_ISREG(file.st_mode)) return;
    int out = open(notes, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (out < 0) return;
    int length = snprintf(line, sizeof line, "%lld %s\n", (long long)file.st_size, path);
    if (real_write(out, line, length) != length) abort();
    close(out);
}

static int synced(int fd, int (*real)(int)) {
    if (is_journal(fd) && there("DISK_SYNC_FAILS_IF")) {
        errno = EIO;
        return -1;
    }
    int done = real(fd);
    if (done == 0) note(fd);
    return done;
}

int fsync(int fd) {
    find();
    return synced(fd, real_fsync);
}

int fdatasync(int fd) {
    find();
    return synced(fd, real_fdatasync);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    find();
    if (is_journal(fd) && there("DISK_FULL_IF")) {
        /* Half of it is written before the disk is full. */
        static __thread int half;
        half = !half;
        if (half && count > 1) return real_write(fd, bytes, count / 2);
        errno = ENOSPC;
        return -1;
    }
    return real_write(fd, bytes, count);
}
