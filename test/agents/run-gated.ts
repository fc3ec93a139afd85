/**
 * Installs the agents of `gated.test.ts` where they are missing, and runs it. Where npm cannot install them, such as without a network, it
 * says so in one line and is no failure: the agents are not ours.
 *
 *   node test/agents/run-gated.ts
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { gatedAgents, installedAgent } from "./installed-agents.ts";

const TEST_MS_MAX = 240_000;

const failures: string[] = [];
await Promise.all(
  gatedAgents.map((name) =>
    installedAgent(name).catch((error: Error & { readonly stderr?: string }) => {
      const [line = error.message] = /^npm error .*$/m.exec(error.stderr ?? "") ?? [];
      failures.push(`${name} (${line})`);
    }),
  ),
);
if (failures.length > 0) {
  console.log(`Not run: npm cannot install ${failures.join(", ")}. Run them later with "npm run test:gated"`);
} else {
  const words = ["--test", `--import=${join(import.meta.dirname, "../support/time-limit.ts")}`];
  const tests = [`--test-timeout=${TEST_MS_MAX}`, join(import.meta.dirname, "gated.test.ts")];
  const running = spawn(process.execPath, [...words, ...tests], { stdio: "inherit" });
  const [code] = (await once(running, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}
