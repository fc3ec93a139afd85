/** A view worker whose emulator has a fault: output that contains `HANG` keeps it busy for ever, and a slice with `SLOW` for a while. */
import { Screen } from "../../src/core/screen/screen.ts";

const feed: (this: Screen, chunk: Uint8Array) => Uint8Array = Reflect.get(Screen.prototype, "feed");
Screen.prototype.feed = function feedOrHang(this: Screen, chunk: Uint8Array): Uint8Array {
  const text = new TextDecoder("latin1").decode(chunk);
  while (text.includes("HANG"));
  if (text.includes("SLOW")) work();
  return feed.call(this, chunk);
};

const SLICE_US = 50_000;

/** Takes processor time, which is what counts as silence. */
function work(): void {
  const start = process.threadCpuUsage();
  let sum = 0;
  do for (let count = 0; count < 100_000; count += 1) sum += count;
  while (process.threadCpuUsage(start).user < SLICE_US && sum > 0);
}

await import("../../src/live/view-worker.ts");
