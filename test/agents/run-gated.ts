/**
 * Installs the agents of `gated.test.ts`, `ask-once.test.ts`, `coding-policy.test.ts`, `notify.test.ts` and `resume.test.ts` where they are missing, and runs all five. Where npm cannot install them, such as without a network, it
 * says so in one line and is no failure: the agents are not ours.
 *
 *   node test/agents/run-gated.ts
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { gatedAgents, installedAgent } from "./installed-agents.ts";

const TEST_MS_MAX = 240_000;
/** A network so slow is as good as none: the rest of the tests waits. */
const INSTALL_MS_MAX = 120_000;

type InstallError = Error & { readonly stderr?: string; readonly killed?: boolean };

const failures: string[] = [];
await Promise.all(
  gatedAgents.map((name) =>
    installedAgent(name, { installMsMax: INSTALL_MS_MAX }).catch((error: InstallError) => {
      const [line = error.message.split("\n")[0]] = /^npm error .*$/m.exec(error.stderr ?? "") ?? [];
      const why = error.killed === true ? `not within ${INSTALL_MS_MAX / 1000} s` : line;
      failures.push(`${name} (${why})`);
    }),
  ),
);
if (failures.length > 0) {
  console.log(`Not run: npm cannot install ${failures.join(", ")}. Run them later with "npm run test:gated"`);
} else {
  const words = ["--test", `--import=${join(import.meta.dirname, "../support/preload.ts")}`];
  const files = ["gated.test.ts", "ask-once.test.ts", "coding-policy.test.ts", "notify.test.ts", "resume.test.ts"].map(
    (name) => join(import.meta.dirname, name),
  );
  // One agent at a time.
  const tests = ["--test-concurrency=1", `--test-timeout=${TEST_MS_MAX}`, ...files];
  const running = spawn(process.execPath, [...words, ...tests], { stdio: "inherit" });
  const [code] = (await once(running, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}
