/** The state machines of `src/features/cluster/core` in simulated clusters with faults; docs/decisions/cluster-simulation.md has what is modelled. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulateSeeds } from "./all-seeds.ts";
import { bugNames, bugs } from "./bugs.ts";
import { simulate } from "./scenario.ts";
import { Violation } from "./world.ts";

/** 100,000 in `npm run test:long`. */
const SEEDS = Number(process.env["LECTERN_SIMULATION_SEEDS"] ?? 10_000);
/** About 8 s of one processor. */
const SEEDS_PER_BUG = 8000;

test(`${SEEDS} seeds violate no oracle`, async (context) => {
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  const { seeds, events, failure } = await simulateSeeds(1, SEEDS);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const { user, system } = process.cpuUsage(startCpu);
  const cpuSeconds = ((user + system) / 1e6).toFixed(1);
  context.diagnostic(`${seeds} seeds with ${events} events in ${seconds} s, ${cpuSeconds} s of processor time`);
  if (failure !== undefined) {
    const replay = `node test/simulation/main.ts --trace --seed ${failure.seed}`;
    assert.fail(`Seed ${failure.seed}: ${failure.message}. Replay it with: ${replay}`);
  }
  assert.equal(seeds, SEEDS);
});

for (const bug of bugNames) {
  test(`a planted error is found: ${bugs[bug]}`, (context) => {
    const startMs = performance.now();
    for (let seed = 1; seed <= SEEDS_PER_BUG; seed++) {
      try {
        simulate(seed, { bug });
      } catch (error) {
        if (!(error instanceof Violation)) throw error;
        context.diagnostic(`seed ${seed}, ${Math.round(performance.now() - startMs)} ms: ${error.message}`);
        return;
      }
    }
    assert.fail(`${SEEDS_PER_BUG} seeds did not find "${bug}"`);
  });
}

test("a seed gives the same events each time", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const [first, second] = [0, 1].map(() => {
      const lines: string[] = [];
      return { events: simulate(seed, { trace: (line) => lines.push(line) }), lines };
    });
    assert.deepEqual(first, second);
  }
});
