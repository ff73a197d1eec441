/*
 * Faults below a process: preloaded into a venue, it makes single calls to the system fail, as a bad disk and a bad clock
 * would. `shim.ts` compiles it and arms the faults.
 *
 * - BOURSE_SHIM_CONTROL names a file of one slot a fault, mapped into memory by both sides, so that a fault is armed and
 *   its hits are counted while the venue runs.
 * - BOURSE_SHIM_FOLDER names the data folder: only calls on files in it fail. Everything else passes.
 * - A fault that is not armed costs one comparison.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* In the order of `FAULT_KINDS` in shim.ts. */
enum { SHORT_WRITE, WRITE_FAILS, NO_SPACE, SYNC_FAILS, SLOW_SYNC, NO_DESCRIPTOR, RENAME_FAILS, CLOCK_STEP, KINDS };

/* Where a call goes, as bits. In the order of `PLACES` in shim.ts. */
enum { LOG = 1, ARCHIVE = 2, SNAPSHOT = 4, OTHER_FILE = 8, FOLDER = 16 };

struct slot {
  _Atomic int64_t skip; /* calls that pass first */
  _Atomic int64_t left; /* calls that are hit then */
  int64_t where;        /* places, as bits */
  int64_t argument;     /* SLOW_SYNC: milliseconds; CLOCK_STEP: nanoseconds */
  _Atomic int64_t hits;
  int64_t unused[3];
};

static struct slot *slots;
static const char *folder = "";
static size_t folder_length;

/* The next definition of a function: the C library's. */
#define REAL(name) \
  static __typeof__(name) *real; \
  if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *control = getenv("BOURSE_SHIM_CONTROL");
  const char *data = getenv("BOURSE_SHIM_FOLDER");
  if (control == NULL || data == NULL) return;
  int fd = open(control, O_RDWR | O_CLOEXEC);
  if (fd < 0) abort();
  void *mapped = mmap(NULL, KINDS * sizeof(struct slot), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) abort();
  folder = data;
  folder_length = strlen(data);
  slots = mapped;
}

static int place_of(const char *path) {
  if (strncmp(path, folder, folder_length) != 0) return 0;
  if (path[folder_length] == '\0') return FOLDER;
  if (path[folder_length] != '/') return 0;
  const char *name = path + folder_length + 1;
  if (strncmp(name, "archive.db", 10) == 0) return ARCHIVE;
  if (strstr(name, ".snapshot") != NULL) return SNAPSHOT;
  if (strstr(name, ".log") != NULL) return LOG;
  return OTHER_FILE;
}

static int place_of_fd(int fd) {
  char link[32] = "/proc/self/fd/";
  char digits[12];
  char path[4096];
  int count = 0;
  if (fd < 0) return 0;
  do digits[count++] = (char)('0' + fd % 10);
  while ((fd /= 10) > 0);
  char *end = link + strlen(link);
  while (count > 0) *end++ = digits[--count];
  *end = '\0';
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return place_of(path);
}

static int armed(int kind) { return slots != NULL && slots[kind].left > 0; }

/* Whether a fault hits this call; counts it. */
static int hits(int kind, int place) {
  struct slot *slot = &slots[kind];
  if (!armed(kind) || (slot->where & place) == 0) return 0;
  if (slot->skip > 0 && slot->skip-- > 0) return 0;
  if (slot->left-- <= 0) return 0;
  slot->hits++;
  return 1;
}

/*
 * How much of a write is done, and what then fails: 0, EIO or ENOSPC. A write that fails leaves half of its bytes, as a
 * disk may.
 */
static size_t bounded(int fd, size_t count, int *failure) {
  *failure = 0;
  if (!armed(SHORT_WRITE) && !armed(WRITE_FAILS) && !armed(NO_SPACE)) return count;
  int saved = errno;
  int place = place_of_fd(fd);
  errno = saved;
  if (place == 0) return count;
  if (hits(WRITE_FAILS, place)) *failure = EIO;
  else if (hits(NO_SPACE, place)) *failure = ENOSPC;
  else if (count < 2 || !hits(SHORT_WRITE, place)) return count;
  return count / 2;
}

static ssize_t outcome(ssize_t written, int failure) {
  if (failure == 0) return written;
  errno = failure;
  return -1;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  REAL(write);
  int failure;
  size_t most = bounded(fd, count, &failure);
  return outcome(real(fd, bytes, most), failure);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  REAL(pwrite64);
  int failure;
  size_t most = bounded(fd, count, &failure);
  return outcome(real(fd, bytes, most, offset), failure);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) { return pwrite64(fd, bytes, count, offset); }

/* Several parts at once: where a fault hits, the first part is written, and no more. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  int failure;
  size_t most = bounded(fd, (size_t)count + 1, &failure);
  return outcome(real(fd, parts, most > (size_t)count ? count : 1), failure);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  REAL(pwritev64);
  int failure;
  size_t most = bounded(fd, (size_t)count + 1, &failure);
  return outcome(real(fd, parts, most > (size_t)count ? count : 1, offset), failure);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(fd, parts, count, offset);
}

/* A sync that fails has synced nothing: the bytes stay in the kernel's cache. */
static int sync_fails(int fd) {
  if (!armed(SYNC_FAILS) && !armed(SLOW_SYNC)) return 0;
  int place = place_of_fd(fd);
  if (hits(SLOW_SYNC, place)) usleep((useconds_t)(slots[SLOW_SYNC].argument * 1000));
  if (!hits(SYNC_FAILS, place)) return 0;
  errno = EIO;
  return 1;
}

int fsync(int fd) {
  REAL(fsync);
  return sync_fails(fd) ? -1 : real(fd);
}

int fdatasync(int fd) {
  REAL(fdatasync);
  return sync_fails(fd) ? -1 : real(fd);
}

int rename(const char *from, const char *to) {
  REAL(rename);
  if (armed(RENAME_FAILS) && hits(RENAME_FAILS, place_of(to))) {
    errno = EIO;
    return -1;
  }
  return real(from, to);
}

static int no_descriptor(const char *path) {
  if (!armed(NO_DESCRIPTOR) || !hits(NO_DESCRIPTOR, place_of(path))) return 0;
  errno = EMFILE;
  return 1;
}

static mode_t mode_of(int flags, va_list rest) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? (mode_t)va_arg(rest, int) : 0;
}

int open64(const char *path, int flags, ...) {
  REAL(open64);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return no_descriptor(path) ? -1 : real(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  REAL(open);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return no_descriptor(path) ? -1 : real(path, flags, mode);
}

int openat(int at, const char *path, int flags, ...) {
  REAL(openat);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return no_descriptor(path) ? -1 : real(at, path, flags, mode);
}

/* Nanoseconds that the wall clock is off. */
static int64_t step(void) {
  if (!armed(CLOCK_STEP)) return 0;
  slots[CLOCK_STEP].hits++;
  return slots[CLOCK_STEP].argument;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  REAL(clock_gettime);
  int result = real(clock, now);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  int64_t ns = now->tv_sec * INT64_C(1000000000) + now->tv_nsec + step();
  now->tv_sec = ns / 1000000000;
  now->tv_nsec = ns % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  REAL(gettimeofday);
  int result = real(now, zone);
  if (result != 0) return result;
  int64_t us = now->tv_sec * INT64_C(1000000) + now->tv_usec + step() / 1000;
  now->tv_sec = us / 1000000;
  now->tv_usec = us % 1000000;
  return 0;
}

time_t time(time_t *into) {
  REAL(time);
  time_t now = real(NULL) + (time_t)(step() / 1000000000);
  if (into != NULL) *into = now;
  return now;
}
