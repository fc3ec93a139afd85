/* Writes to a raw terminal for SECONDS, and the same bytes to FILE: lines, bursts of a flood, frames of a full-screen program, or an echo of
   what is typed. Usage: teller lines|flood|frames|echo FILE SECONDS SEED */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int file;
static unsigned state;

static unsigned chance(unsigned below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}

/* To the file first: what the terminal has is in the file, whenever this program ends. */
static void tell(const char *bytes, size_t length) {
  int ways[] = {file, 1};
  for (int way = 0; way < 2; way++)
    for (size_t done = 0; done < length;) {
      ssize_t wrote = write(ways[way], bytes + done, length - done);
      if (wrote < 0) _exit(1);
      done += wrote;
    }
}

int main(int argc, char **argv) {
  static char text[65536];
  struct termios modes;
  if (argc < 5) return 2;
  file = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  state = atoi(argv[4]);
  tcgetattr(0, &modes);
  cfmakeraw(&modes);
  tcsetattr(0, TCSANOW, &modes);
  time_t end = time(NULL) + atoi(argv[3]);
  for (unsigned count = 0; time(NULL) < end; count++) {
    size_t used = 0;
    if (strcmp(argv[1], "flood") == 0) {
      for (unsigned left = 16 + chance(64); left > 0; left--) {
        for (used = 0; used + 100 < sizeof text;)
          used += sprintf(text + used, "\033[3%um%08u\033[0m the quick brown fox %u\r\n", chance(8), count++, chance(1u << 20));
        tell(text, used);
      }
      usleep(1000 * (500 + chance(3000)));
    } else if (strcmp(argv[1], "frames") == 0) {
      used += sprintf(text, "\033[?2026h\033[H");
      for (unsigned row = 1; row <= 24; row++)
        used += sprintf(text + used, "\033[%u;1H\033[38;5;%um%s %u\033[0m\033[K", row, chance(256), row % 3 ? "\xe2\x94\x82 working" : "\xe6\x97\xa5\xe6\x9c\xac", chance(1u << 30));
      used += sprintf(text + used, "\033[?2026l");
      tell(text, used);
      usleep(1000 * (20 + chance(200)));
    } else if (strcmp(argv[1], "echo") == 0) {
      struct pollfd input = {0, POLLIN, 0};
      if (poll(&input, 1, 500) <= 0) continue;
      ssize_t got = read(0, text + 16, 4096);
      if (got <= 0) return 1;
      memcpy(text, "you typed: .... ", 16);
      tell(text, 16 + got);
    } else {
      used += sprintf(text, "%08u ", count);
      for (unsigned words = chance(200); words > 0; words--) used += sprintf(text + used, "word%u ", chance(1000));
      used += sprintf(text + used, "\r\n");
      tell(text, used);
      usleep(1000 * (5 + chance(60)));
    }
  }
  return 0;
}
