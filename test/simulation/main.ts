/**
 * Runs seeds, or replays one: `node test/simulation/main.ts --seed N [--bug NAME] [--trace]`, or `--from N --count N`.
 * Ends with 1 at the first seed that fails.
 */
import { parseArgs } from "node:util";
import { bugs, type Bug } from "./bugs.ts";
import { simulate } from "./scenario.ts";
import { Violation } from "./world.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    from: { type: "string", default: "1" },
    count: { type: "string", default: "1000" },
    bug: { type: "string" },
    trace: { type: "boolean", default: false },
  },
});
if (values.bug !== undefined && !(values.bug in bugs)) throw new Error(`Unknown bug "${values.bug}"`);
const bug = values.bug as Bug | undefined;
const from = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.count) : 1;
const startMs = performance.now();
let events = 0;
for (let seed = from; seed < from + count; seed++) {
  try {
    events += simulate(seed, { bug, ...(values.trace ? { trace: (line) => console.log(line) } : {}) });
  } catch (error) {
    console.error(`seed ${seed}: ${error instanceof Violation ? error.message : (error as Error).stack}`);
    console.error(`found in ${Math.round(performance.now() - startMs)} ms, after ${seed - from + 1} seeds`);
    process.exit(1);
  }
}
const seconds = (performance.now() - startMs) / 1000;
console.log(`${count} seeds, ${events} events, ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} seeds/s`);
