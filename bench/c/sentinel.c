// 500 round trips of a shell in a pty: types a command with a sentinel behind it, waits for the sentinel, next. Prints the nanoseconds of each.
#include <errno.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char buffer[1 << 16];
static int length;

static void until(int master, const char *text) {
  length = 0;
  for (;;) {
    ssize_t got = read(master, buffer + length, sizeof buffer - 1 - length);
    if (got <= 0) {
      if (got < 0 && errno == EINTR) continue;
      exit(2);
    }
    length += got;
    buffer[length] = 0;
    if (strstr(buffer, text)) return;
  }
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 500;
  int master;
  struct winsize size = {24, 80, 0, 0};
  pid_t pid = forkpty(&master, NULL, NULL, &size);
  if (pid == 0) {
    execlp("bash", "bash", "--norc", "--noprofile", (char *)NULL);
    _exit(127);
  }
  const char *start = "echo READ''Y\n";
  if (write(master, start, strlen(start)) < 0) return 2;
  until(master, "READY\r\n");
  for (int round = 0; round < rounds; round++) {
    char command[128], sentinel[64], expected[128];
    snprintf(command, sizeof command, "echo hello %d; echo \"S%d:$?\"\n", round, round);
    snprintf(sentinel, sizeof sentinel, "S%d:0\r\n", round);
    snprintf(expected, sizeof expected, "hello %d\r\n", round);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (write(master, command, strlen(command)) < 0) return 2;
    until(master, sentinel);
    clock_gettime(CLOCK_MONOTONIC, &to);
    if (!strstr(buffer, expected)) return 3;
    printf("%lld\n", (to.tv_sec - from.tv_sec) * 1000000000LL + (to.tv_nsec - from.tv_nsec));
  }
  return 0;
}
