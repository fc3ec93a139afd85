/* The limit: starts a program on a pty and only reads. Usage: reader default|raw PROGRAM ARGUMENTS; prints bytes, seconds, CPU seconds. */
#define _GNU_SOURCE
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

static char buffer[64 * 1024];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  int master, slave;
  struct termios modes;
  struct winsize size = {24, 80, 0, 0};
  if (argc < 3 || openpty(&master, &slave, NULL, NULL, &size) < 0) return 2;
  tcgetattr(slave, &modes);
  if (strcmp(argv[1], "raw") == 0) modes.c_oflag &= ~OPOST;
  tcsetattr(slave, TCSANOW, &modes);
  double start = now();
  pid_t pid = fork();
  if (pid == 0) {
    close(master);
    login_tty(slave);
    execv(argv[2], argv + 2);
    _exit(127);
  }
  close(slave);
  long long total = 0, chunks = 0;
  for (ssize_t length; (length = read(master, buffer, sizeof buffer)) > 0; chunks++) total += length;
  double seconds = now() - start;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double cpu = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  waitpid(pid, NULL, 0);
  printf("%lld %.6f %.6f %lld\n", total, seconds, cpu, chunks);
  return 0;
}
