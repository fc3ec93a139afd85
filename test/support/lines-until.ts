/** A script of sh that prints lines all the time, and ends a while after a file is there: what a test does meanwhile is done in the middle. */
export const linesUntil = (file: string): string =>
  `n=0; lines() { n=$((n + 1)); seq $((n * 1000)) $((n * 1000 + 999)); sleep 0.05; }; until [ -e '${file}' ]; do lines; done; for more in $(seq 1 20); do lines; done`;
