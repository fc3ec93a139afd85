/* Writes MEGABYTES of a pattern to standard output, in writes of 64 KB: "text" is plain lines, "escapes" is coloured words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char block[64 * 1024];

int main(int argc, char **argv) {
  int escapes = argc > 1 && strcmp(argv[1], "escapes") == 0;
  long long left = (argc > 2 ? atoll(argv[2]) : 1) * 1000000;
  size_t used = 0;
  for (unsigned line = 0; used + 200 < sizeof block; line++) {
    if (!escapes)
      used += sprintf(block + used, "%08u the quick brown fox jumps over the lazy dog and runs away from it\n", line);
    else
      used += sprintf(block + used, "\033[38;5;%um%04u\033[0m \033[1mbold\033[22m \033[%uC\033[3%um*\033[39m\033[K\r\n", line % 256,
                      line % 10000, line % 9 + 1, line % 8);
  }
  while (left > 0) {
    size_t want = left < (long long)used ? (size_t)left : used;
    ssize_t wrote = write(1, block, want);
    if (wrote < 0) return 1;
    left -= wrote;
  }
  return 0;
}
