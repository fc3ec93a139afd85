/**
 * The daemon as a service of a real systemd of a user, in a mount and cgroup namespace of its own: `kill -9` again and again. Measures the time until
 * the next daemon of the service answers, and counts sessions that are not as before. Needs root and cgroup v2.
 *
 *   node bench/service.ts [kills=8]
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { LecternClient } from "../src/client/client.ts";
import { unixTransport } from "../src/client/unix-transport.ts";
import { lecternPaths } from "../src/daemon/paths.ts";

const kills = Number(process.argv[2] ?? 8);
const WAIT_MS_MAX = 30_000;
const launcher = join(import.meta.dirname, "../bin/lectern.mjs");
const directory = mkdtempSync(join(tmpdir(), "lectern-service-"));
const [runtime, home] = [join(directory, "run"), join(directory, "home")];
for (const path of [runtime, home]) mkdirSync(path, { mode: 0o700 });
const environment = {
  PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  HOME: directory,
  XDG_RUNTIME_DIR: runtime,
  LECTERN_HOME: home,
};
const paths = lecternPaths(environment);
writeFileSync(paths.configFile, "listen: {port: 0}\n");

// A systemd moves all processes of its root group, so it gets one of its own.
const root = existsSync("/sys/fs/cgroup/cgroup.controllers") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/unified";
const group = join(root, `lectern-service-${process.pid}`);
mkdirSync(group);
const inside = `mount -t tmpfs none /run/systemd && mkdir -p /run/systemd/system && mount -t cgroup2 none /sys/fs/cgroup &&
  exec /usr/lib/systemd/systemd --user --log-target=null`;
const outside = `echo $$ > "$0/cgroup.procs" && exec unshare --mount --cgroup --propagation private bash -c "$1"`;
const systemd = spawn("bash", ["-c", outside, group, inside], {
  env: environment,
  stdio: ["ignore", "ignore", "inherit"],
});

const run = promisify(execFile);
const lectern = async (...words: string[]): Promise<string> =>
  (await run(process.execPath, [launcher, ...words], { env: environment })).stdout;
const client = new LecternClient(unixTransport(paths.daemonSocket));
const pidOf = async (): Promise<number | undefined> =>
  (await client.call("daemon.info", {}).catch(() => undefined))?.pid;

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + WAIT_MS_MAX; !(await condition()); await sleep(20))
    if (performance.now() > deadline) throw new Error(`It did not happen: ${condition.toString()}`);
}

try {
  await until(() => existsSync(join(runtime, "systemd/private")));
  console.log(await lectern("service", "install"));
  await lectern("run", "-d", "--name", "kept", "--", "cat");
  const before = await client.call("sessions.get", { session: "kept" });
  const times: number[] = [];
  let lost = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const pid = (await pidOf()) ?? 0;
    const start = performance.now();
    process.kill(pid, "SIGKILL");
    await until(async () => ((await pidOf()) ?? pid) !== pid);
    times.push(performance.now() - start);
    const { pid: program, state } = await client.call("sessions.get", { session: "kept" });
    if (state !== "running" || program !== before.pid) lost += 1;
  }
  const sorted = times.toSorted((a, b) => a - b).map(Math.round);
  console.log(`${kills} kills: back after ${sorted[sorted.length >> 1]} ms (median), ${sorted.at(-1)} ms (slowest)`);
  console.log(`sessions lost: ${lost}`);
  console.log(await lectern("service", "status"));
  await lectern("service", "uninstall");
  if (lost > 0) process.exitCode = 1;
} finally {
  await lectern("down", "--programs").catch(console.error);
  systemd.kill("SIGTERM");
  if (systemd.exitCode === null) await once(systemd, "exit");
  const groups = globSync("**/", { cwd: group }).filter((path) => path !== "" && path !== "." && path !== "./");
  for (const path of [...groups.toSorted().toReversed(), ""]) rmdirSync(join(group, path));
  rmSync(directory, { recursive: true, force: true });
}
