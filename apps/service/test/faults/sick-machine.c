/*
 * Loaded before a process (LD_PRELOAD): its syncs are slow or fail, and its wall clock is off, as the file named by
 * SICK_MACHINE says. The file is shared memory: see `struct told`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct told {
  int64_t sync_ms;
  int64_t sync_fails;
  int64_t clock_seconds;
};

static const struct told healthy = {0, 0, 0};
static const volatile struct told *told = &healthy;

__attribute__((constructor)) static void look(void) {
  const char *path = getenv("SICK_MACHINE");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *shared = mmap(NULL, sizeof(struct told), PROT_READ, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) told = shared;
  close(file);
}

static void wait_for(int64_t milliseconds) {
  struct timespec time = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
  if (milliseconds > 0) nanosleep(&time, NULL);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int file) {
  if (told->sync_fails) return errno = EIO, -1;
  wait_for(told->sync_ms);
  return REAL(fsync)(file);
}

int fdatasync(int file) {
  if (told->sync_fails) return errno = EIO, -1;
  wait_for(told->sync_ms);
  return REAL(fdatasync)(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) real = REAL(clock_gettime);
  int failed = real(clock, time);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) time->tv_sec += told->clock_seconds;
  return failed;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  static int (*real)(struct timeval *, void *);
  if (real == NULL) real = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
  int failed = real(time, zone);
  time->tv_sec += told->clock_seconds;
  return failed;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != NULL) *out = now.tv_sec;
  return now.tv_sec;
}
