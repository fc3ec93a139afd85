/** A view worker whose emulator has a fault: output that contains `HANG` keeps it busy for ever. */
import { Screen } from "../../src/core/screen/screen.ts";

const feed: (this: Screen, chunk: Uint8Array) => Uint8Array = Reflect.get(Screen.prototype, "feed");
Screen.prototype.feed = function feedOrHang(this: Screen, chunk: Uint8Array): Uint8Array {
  while (new TextDecoder("latin1").decode(chunk).includes("HANG"));
  return feed.call(this, chunk);
};

await import("../../src/live/view-worker.ts");
