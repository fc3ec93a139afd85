/**
 * Gives memory that is free back to the system. V8 collects garbage when a thread needs memory, which an idle one does not, and the allocator
 * keeps what was freed: a daemon would stay as large as it ever was. Takes 20 to 100 ms of the calling thread.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { loadLibc } from "../pty/libc.ts";

let collect: (() => void) | undefined;

export function giveMemoryBack(): void {
  collect ??= exposedCollector();
  collect();
  loadLibc().libc?.trimMemory();
}

/** Node shows its collector to contexts that are made while the flag is set; no other code gets it. */
function exposedCollector(): () => void {
  setFlagsFromString("--expose-gc");
  try {
    return runInNewContext("gc") as () => void;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}
