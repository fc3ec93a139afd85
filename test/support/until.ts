/** Waiting for what is only seen from outside, such as a file, a process or the state of a session. */
import { setTimeout as delay } from "node:timers/promises";

/** Less than a test may take, so that a wait in vain ends before its test is given up; one that is not in vain ends long before. */
const WAIT_MS_MAX = 90_000;
/** Each probe takes processor time from what is waited for. */
const PROBE_EVERY_MS = 20;

/** Resolves when the condition holds. Rejects if that takes longer than 90 s, so that the test ends and cleans up. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string = condition.toString(),
): Promise<void> {
  for (const deadline = performance.now() + WAIT_MS_MAX; !(await condition()); await delay(PROBE_EVERY_MS)) {
    if (performance.now() > deadline) throw new Error(`It did not happen in ${WAIT_MS_MAX} ms: ${what}`);
  }
}
