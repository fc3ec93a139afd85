/**
 * What `npm test` starts. Plain JavaScript for any Node: it finds a Node that can run the tests, and installs the packages that only tests need.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The first that runs TypeScript as it is and has the test runner's options. */
const NODE_MIN = 24;
/** As in `main.ts`. */
const NOT_RUN = 3;

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const bin = join(root, "node_modules/.bin");
const own = join(bin, "node");
const node = existsSync(own) ? own : process.execPath;
const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout?.trim() ?? "";
if (!(Number(/^v(\d+)/.exec(version)?.[1]) >= NODE_MIN)) {
  console.error(
    `Not run: every stage needs Node ${NODE_MIN} or later, and this is ${version || "no working Node"}. ` +
      `"npm ci" installs Node 26 for this project, if it may run the install script of the package "node"`,
  );
  process.exit(process.env.CI === "true" ? 1 : NOT_RUN);
}
const packages = spawnSync(process.execPath, [join(root, "scripts/development-packages.mjs")], { stdio: "inherit" });
if (packages.status !== 0) process.exit(process.env.CI === "true" ? 1 : NOT_RUN);
const running = spawn(node, [join(root, "test/runner/main.ts"), ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, PATH: `${bin}:${process.env.PATH ?? ""}` },
});
// A terminal sends Ctrl-C to both; the runner ends what it started, and then this process.
process.on("SIGINT", () => {});
for (const name of ["SIGTERM", "SIGHUP"]) process.on(name, () => running.kill(name));
// npm that gets SIGTERM ends without telling anybody.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) running.kill("SIGTERM");
}, 1000).unref();
running.on("exit", (code) => process.exit(code ?? 1));
