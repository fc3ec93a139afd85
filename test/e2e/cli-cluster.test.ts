/** `lectern cluster` as a user runs it, against a real nats-server and a daemon that is a process of its own. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, globSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { CliHome, type Result } from "./cli-home.ts";
import { readTokenFile } from "../../src/features/cluster/daemon/member-token.ts";
import { NatsMember } from "../support/nats-member.ts";
import { OtherServer } from "../support/nats-servers.ts";
import { until } from "../support/until.ts";

const home = new CliHome();
const out = join(home.directory, "made");
let server: OtherServer;

/** Replaces the port in the files of a cluster by one that is free, as a server with port -1 reports it. */
async function startServer(): Promise<void> {
  const [own = ""] = globSync(join(out, "127.0.0.1"));
  server = await OtherServer.startIn(own);
  for (const file of [...globSync(join(out, "*.token")), join(out, "cluster.json")]) {
    const text = readFileSync(file, "utf8").replaceAll(/(?<=[: ])4222\b/g, `${server.port}`);
    writeFileSync(file, text);
  }
}

const cluster = async (...words: string[]): Promise<Result> => home.run(["cluster", ...words]);

const ok = async (...words: string[]): Promise<Result> => {
  const result = await cluster(...words);
  assert.equal(result.code, 0, result.stderr);
  return result;
};

const fails = async (code: number, message: RegExp, ...words: string[]): Promise<void> => {
  const result = await cluster(...words);
  assert.equal(result.code, code, `${result.stdout}${result.stderr}`);
  assert.match(result.stderr, message);
};

before(async () => {
  await ok("init", "--servers", "127.0.0.1", "--out", out);
  await ok("add", "box", "--role", "operator", "--out", out);
  await startServer();
});

after(async () => {
  await server[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

test("a cluster is made once, and its next steps are told", async () => {
  const other = join(home.directory, "other");
  const { stdout } = await ok("init", "--servers", "a.example,b.example,c.example", "--out", other);
  for (const word of [
    "a.example",
    "systemctl",
    "lectern cluster prepare",
    "lectern cluster add NAME",
    "lectern cluster join NAME.token",
  ]) {
    assert.equal(stdout.includes(word), true, word);
  }
  assert.deepEqual(readdirSync(other).toSorted(), [
    "a.example",
    "admin.token",
    "b.example",
    "c.example",
    "ca.crt",
    "ca.key",
    "cluster.json",
  ]);
  await fails(4, /exists already/, "init", "--servers", "a.example", "--out", other);
});

test("a token that does not fit changes nothing", async () => {
  const file = join(home.directory, "box.token");
  await fails(3, /Cannot find the token file/, "join", join(home.directory, "missing.token"));
  copyFileSync(join(out, "box.token"), file);
  await fails(2, /know the key by its name/, "join", file, "--name", "other");
  await fails(2, /key of the administrator/, "join", join(out, "admin.token"));
  await fails(1, /lectern cluster prepare/, "join", file);
  assert.equal(existsSync(home.paths.clusterFile), false);
});

test("a machine joins, is listed, and leaves", async () => {
  assert.match((await ok("status")).stderr, /joined no cluster/);
  await ok("prepare", "--out", out);
  // It starts what it needs.
  await home.run(["down"]);
  assert.match(
    (await ok("join", join(out, "box.token"), "--name", "box")).stderr,
    /Joined as "box": connected to 127\.0\.0\.1/,
  );
  assert.equal(statSync(home.paths.clusterFile).mode & 0o777, 0o600);
  const { stdout } = await ok("status");
  assert.match(stdout, /^box, operator: connected to .*nats-server/);
  assert.match(stdout, /box \(this one\)\s+connected/);
  const status = JSON.parse((await ok("status", "--json")).stdout) as { machines: { name: string }[] };
  assert.deepEqual(
    status.machines.map(({ name }) => name),
    ["box"],
  );
  await ok("add", "gone", "--out", out);
  await using gone = await NatsMember.connectSoon(readTokenFile(join(out, "gone.token")));
  gone.connection.publish("$KV.lec_machines.gone", JSON.stringify(rowOf("gone")));
  await until(async () => (await ok("status")).stdout.includes("gone"));
  await ok("remove", "gone", "--out", out);
  await until(async () => !(await ok("status")).stdout.includes("gone"));
  await ok("leave");
  assert.equal(existsSync(home.paths.clusterFile), false);
  assert.match((await ok("status")).stderr, /joined no cluster/);
  assert.match((await ok("leave")).stderr, /joined no cluster/);
});

test("a key is in files of mode 0600, and in no argument, environment or log", async () => {
  await ok("prepare", "--out", out);
  const watch = watchProcesses();
  await ok("add", "late", "--out", out);
  await ok("join", join(out, "box.token"));
  await home.run(["down"]);
  // The first answer of a daemon that was just started.
  assert.match((await ok("status")).stdout, /^box, operator: connected to /);
  watch.stop();
  const secrets = globSync(join(out, "*.token")).map(
    (file) => (JSON.parse(readFileSync(file, "utf8")) as { seed: string }).seed,
  );
  secrets.push(readFileSync(join(out, "ca.key"), "utf8").split("\n")[1] ?? "");
  assert.equal(secrets.length, 4);
  for (const secret of secrets) {
    assert.equal(secret.length > 20, true);
    assert.equal(
      watch.seen.some((text) => text.includes(secret)),
      false,
      "a process shows a secret",
    );
  }
  for (const { file, mode, text } of globSync(`${home.directory}/**/*`).flatMap(fileAt)) {
    if (!secrets.some((secret) => text.includes(secret))) continue;
    assert.equal(mode & 0o777, 0o600, file);
    assert.match(file, /\.token$|cluster\.json$|ca\.key$/);
  }
  assert.equal(
    watch.seen.some((text) => text.includes("cluster")),
    true,
    "the command itself was seen",
  );
});

test("on a machine that is in no cluster, nothing of it is loaded", async () => {
  await using other = new CliHome();
  const loaded = join(other.directory, "loaded");
  const hook = join(other.directory, "hook.mjs");
  writeFileSync(
    hook,
    `import { appendFileSync } from "node:fs"; import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(loaded)}, url + "\\n"); return next(url, context); } });`,
  );
  const { code, stderr } = await other.run(["cluster", "status"], { env: { NODE_OPTIONS: `--import=${hook}` } });
  assert.equal(code, 0, stderr);
  const urls = readFileSync(loaded, "utf8").trimEnd().split("\n").flatMap(sourcesOf);
  assert.equal(
    urls.some((url) => url.includes("/daemon/daemon.")),
    true,
    "the daemon was seen, too",
  );
  assert.deepEqual(
    urls.filter(
      (url) => url.includes("@nats-io") || (url.includes("/cluster/daemon/") && !url.endsWith("cluster-membership.ts")),
    ),
    [],
  );
});

test("words that do not belong together are refused", async () => {
  await fails(2, /give --servers/, "init");
  await fails(2, /2 servers/, "init", "--servers", "a,b");
  await fails(2, /wanted NAME/, "add");
  await fails(2, /--role is for add/, "status", "--role", "viewer");
  await fails(2, /unexpected argument/, "status", "box");
  await fails(3, /Cannot find a cluster/, "add", "box", "--out", join(home.directory, "nowhere"));
});

/** The file, and those of which it is a bundle. */
function sourcesOf(url: string): string[] {
  const map = url.startsWith("file:") ? `${fileURLToPath(url)}.map` : "";
  if (!existsSync(map)) return [url];
  return [url, ...(JSON.parse(readFileSync(map, "utf8")) as { readonly sources: string[] }).sources];
}

const rowOf = (name: string): unknown => ({
  name,
  version: "0.0.1",
  protocolVersion: 0,
  sessions: 0,
  sinceMs: 0,
  instance: "a",
  beat: 1,
  claim: 1,
  state: "running",
});

/** Nothing for a directory, a socket, or a file that the daemon has removed meanwhile. */
function fileAt(file: string): { readonly file: string; readonly mode: number; readonly text: string }[] {
  try {
    const stats = statSync(file);
    return stats.isFile() ? [{ file, mode: stats.mode, text: readFileSync(file, "latin1") }] : [];
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "ENOENT");
    return [];
  }
}

/** What all processes show of themselves, gathered while commands run. */
function watchProcesses(): { readonly seen: readonly string[]; stop(): void } {
  const seen = new Set<string>();
  const timer = setInterval(() => {
    for (const file of globSync("/proc/[0-9]*/{cmdline,environ}")) {
      try {
        seen.add(readFileSync(file, "latin1"));
      } catch {
        // It has ended, or belongs to somebody else.
      }
    }
  }, 10);
  return {
    get seen() {
      return [...seen];
    },
    stop: () => clearInterval(timer),
  };
}
