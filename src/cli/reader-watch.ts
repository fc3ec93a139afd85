/** Whether somebody still reads standard output: a pipe tells its writer only at the next write, which may never come. */
import { waits } from "../core/waits.ts";
import { loadLibc } from "../pty/libc.ts";

const STDOUT = 1;

/** Calls `onGone` once, when the reader has gone. Where the C library cannot be called (Node 24, macOS) only a write tells. */
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
