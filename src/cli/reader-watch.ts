/** Detects that the reader of standard output has ended: a pipe reports it only at the next write, which may never come. */
import { waits } from "../core/waits.ts";
import { loadLibc } from "../pty/libc.ts";

const STDOUT = 1;
/** Calls `onGone` once, when the reader has ended. Without FFI (Node 24, macOS) this is only noticed at the next write. */
export function watchReader(onGone: () => void): void {
  const { libc } = loadLibc();
  if (libc === undefined) return;
  const timer = setInterval(() => {
    if (!libc.hasHungUp(STDOUT)) return;
    clearInterval(timer);
    onGone();
  }, waits.checkMs);
  timer.unref();
}
