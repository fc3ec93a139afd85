/** Detects that the reader of standard output has ended: a pipe reports it only at the next write, which may never come. */
import { loadLibc } from "../pty/libc.ts";

const STDOUT = 1;
const CHECK_EVERY_MS = 250;

/** Calls `onGone` once, when the reader has ended. Without FFI (Node 24, macOS) this is only noticed at the next write. */
export function watchReader(onGone: () => void): void {
  const { libc } = loadLibc();
  if (libc === undefined) return;
  const timer = setInterval(() => {
    if (!libc.hasHungUp(STDOUT)) return;
    clearInterval(timer);
    onGone();
  }, CHECK_EVERY_MS);
  timer.unref();
}
