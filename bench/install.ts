/**
 * From the packed file to a first screen, and what a start costs. Needs `npm run build`.
 *
 *   node bench/install.ts [rounds=3] [starts=31]
 *
 * Each round installs the packed file into an empty prefix with npm, from a registry on loopback and a warm cache, starts a session with the
 * installed command and reads its screen. The last part compares `lectern --version` and `lectern ls` with `node -e 0`, interleaved.
 */
import { spawnSync } from "node:child_process";
import { globSync, lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliHome } from "../test/e2e/cli-home.ts";
import { run, startLocalRegistry } from "../test/package/local-registry.ts";
import { interleaved, median } from "./support/statistics.ts";

const rounds = Number(process.argv[2] ?? 3);
const starts = Number(process.argv[3] ?? 31);
const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;

await using registry = await startLocalRegistry();
const environment = { ...process.env, ...registry.environment };
const install = async (prefix: string): Promise<void> =>
  void (await run("npm", ["install", "--global", "--prefix", prefix, registry.tarball], { env: environment }));

async function shell(home: CliHome, prefix: string, script: string): Promise<string> {
  const { code, stdout, stderr } = await home.shell(script, {
    L: `${process.execPath} ${join(prefix, "bin/lectern")}`,
  });
  if (code !== 0) throw new Error(`${script}: ${stderr}`);
  return stdout;
}

async function round(isShown: boolean): Promise<void> {
  const prefix = mkdtempSync(join(tmpdir(), "lectern-bench-install-"));
  await using home = new CliHome();
  try {
    const beganMs = performance.now();
    await install(prefix);
    const installed = seconds(beganMs);
    await shell(home, prefix, "$L run -d --name first -- bash --norc");
    await shell(home, prefix, "$L exec first -- 'echo $((6 * 7))'");
    const screen = await shell(home, prefix, "$L screen first");
    if (!screen.includes("42")) throw new Error(`the screen has no 42: ${screen}`);
    const total = seconds(beganMs);
    const bytes = globSync("**/*", { cwd: prefix }).reduce((sum, file) => sum + lstatSync(join(prefix, file)).size, 0);
    if (isShown)
      console.log(`installed after ${installed}, first screen after ${total}, ${(bytes / 1e6).toFixed(1)} MB`);
    else await startsOf(home, prefix);
  } finally {
    rmSync(prefix, { recursive: true, force: true });
  }
}

async function startsOf(home: CliHome, prefix: string): Promise<void> {
  const script = join(prefix, "lib/node_modules/lectern/bin/lectern.mjs");
  const started = (words: readonly string[]) => (): number => {
    const beganMs = performance.now();
    const { status } = spawnSync(process.execPath, words, { env: { ...process.env, ...home.environment } });
    if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}`);
    return performance.now() - beganMs;
  };
  const results = await interleaved(starts, {
    "node -e 0": started(["-e", "0"]),
    "lectern --version": started([script, "--version"]),
    "lectern ls": started([script, "ls"]),
  });
  const base = median(results.get("node -e 0")!);
  for (const [name, list] of results)
    console.log(`${name.padEnd(18)} ${median(list).toFixed(1).padStart(6)} ms  +${(median(list) - base).toFixed(1)}`);
}

// The first one fills the cache of npm.
await round(false);
for (let count = 0; count < rounds; count += 1) await round(true);
