/** No way leads out of a sandbox. Those that a program of the same user has without one are tried there first, so that each is a real way. */
import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { sandboxWithLectern } from "../support/launcher.ts";
import { credentialFiles, sandboxWays, waysScript, type SandboxWay } from "../support/sandbox-ways.ts";
import { hasAllVariants } from "../support/variants.ts";
import { CliHome } from "./cli-home.ts";

const names = Object.keys(sandboxWays);

/** What a program could reach outside. A sandbox has a `/tmp` of its own, so its settings show this place, as they show the checkout. */
class Outside implements AsyncDisposable {
  readonly place: string;
  readonly project: string;
  readonly temporary: string;
  readonly shared = join("/dev/shm", `lectern-way-${randomBytes(8).toString("hex")}`);
  readonly abstract = `lectern-way-${randomBytes(8).toString("hex")}`;
  readonly #servers: Server[] = [];
  readonly #datagrams: Socket = createSocket("udp4");
  #victim: ChildProcess | undefined;

  private constructor() {
    this.place = mkdtempSync(join(tmpdir(), "lectern-ways-"));
    this.project = join(this.place, "project");
    this.temporary = join("/tmp", `lectern-way-${randomBytes(8).toString("hex")}`);
  }

  static async start(): Promise<Outside> {
    const outside = new Outside();
    const { place, project, temporary } = outside;
    for (const name of [
      "project",
      "made",
      "kept/directory",
      "home/.ssh",
      "home/.aws",
      "home/.docker/run",
      "home/.claude",
    ]) {
      mkdirSync(join(place, name), { recursive: true });
    }
    for (const name of ["append", "link", "cut", "remove", "mode", "time", "replace", "over", "owner", "open"])
      writeFileSync(join(place, "kept", name), "kept\n");
    for (const name of [".ssh/id", ".aws/credentials", ...credentialFiles]) {
      mkdirSync(dirname(join(place, "home", name)), { recursive: true });
      writeFileSync(join(place, "home", name), "SECRET\n");
    }
    writeFileSync(outside.shared, "SECRET\n");
    writeFileSync(join(place, "home/.bashrc"), "");
    writeFileSync(temporary, "SECRET\n");
    const git = spawnSync("git", ["init", "-q", project], { encoding: "utf8" });
    assert.equal(git.status, 0, git.stderr);
    for (const path of ["home/.docker/run/docker.sock", "control.sock", "project/control.sock"]) {
      await outside.#listen({ path: join(place, path) });
    }
    await outside.#listen({ path: `${temporary}.sock` });
    await outside.#listen({ path: `\0${outside.abstract}` });
    await outside.#listen({ port: 0, host: "127.0.0.1" });
    outside.#datagrams.on("message", (_, { port, address }) => outside.#datagrams.send("pong", port, address));
    await new Promise<void>((done) => outside.#datagrams.bind(0, "127.0.0.1", done));
    spawnSync("tmux", ["-S", join(place, "tmux.sock"), "-f", "/dev/null", "new-session", "-d", "cat"]);
    outside.#victim = spawn("cat", {
      stdio: ["pipe", "ignore", "ignore"],
      env: { ...process.env, SECRET: "VICTIM-SECRET" },
    });
    return outside;
  }

  get variables(): Readonly<Record<string, string>> {
    const tcp = this.#servers
      .map((server) => server.address())
      .find((address): address is AddressInfo => typeof address === "object");
    return {
      HOME: join(this.place, "home"),
      PLACE: this.place,
      PROJECT: this.project,
      TEMPORARY: this.temporary,
      SHARED: this.shared,
      ABSTRACT: this.abstract,
      VICTIM: String(this.#victim?.pid),
      TCP: String(tcp?.port),
      UDP: String(this.#datagrams.address().port),
      P: "/usr/bin/python3",
    };
  }

  /** The names of the ways that have worked, of those that were tried. */
  leaks(tried: readonly (readonly [string, SandboxWay])[]): string[] {
    return tried.flatMap(([name, { makes }], index) => {
      const output = readFileSync(join(this.project, "results", String(index)), "utf8");
      const worked = output.includes("LEAK") || (makes !== undefined && existsSync(join(this.place, makes)));
      return worked ? [name] : [];
    });
  }

  async #listen(where: { readonly path: string } | { readonly port: number; readonly host: string }): Promise<void> {
    const server = createServer((socket) => socket.end());
    this.#servers.push(server);
    await new Promise<void>((done) => server.listen(where, done));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    spawnSync("tmux", ["-S", join(this.place, "tmux.sock"), "kill-server"]);
    this.#victim?.kill("SIGKILL");
    await Promise.all(this.#servers.map((server) => new Promise((done) => server.close(done))));
    await new Promise<void>((done) => this.#datagrams.close(done));
    for (const path of [this.temporary, this.shared]) rmSync(path, { force: true });
    rmSync(this.place, { recursive: true, force: true });
  }
}

test("bubblewrap is installed, as scripts/system-packages does", () => {
  const { error, stderr } = spawnSync("bwrap", ["--version"], { encoding: "utf8" });
  assert.equal(
    error,
    undefined,
    `bubblewrap is needed for the tests of sandboxes: run scripts/system-packages ${stderr ?? ""}`,
  );
});

async function tryWithoutSandbox(): Promise<void> {
  await using outside = await Outside.start();
  const tried = Object.entries(sandboxWays).filter(([, { worksOutside = true }]) => worksOutside);
  const data = join(outside.place, "data");
  mkdirSync(join(data, "sessions/other/files"), { recursive: true });
  writeFileSync(join(data, "sessions/other/meta.json"), "{}");
  writeFileSync(join(data, "secret"), "SECRET\n");
  writeFileSync(join(outside.project, "ways.sh"), waysScript(tried.map(([, way]) => way)));
  // Not at once: this process answers at the sockets.
  const script = spawn("bash", ["ways.sh"], {
    cwd: outside.project,
    env: { ...process.env, ...outside.variables, DATA: data, OTHER: "other" },
    stdio: "ignore",
    timeout: 150_000,
  });
  const status = await new Promise((done) => script.once("exit", done));
  assert.equal(status, 0);
  assert.deepEqual(new Set(outside.leaks(tried)), new Set(tried.map(([name]) => name)));
}

if (hasAllVariants) test("without a sandbox a program of the same user has these ways", tryWithoutSandbox);

test(`none of ${names.length} ways leads out of a sandbox`, async () => {
  assert.ok(names.length >= 120);
  await using outside = await Outside.start();
  await using home = new CliHome(() => ({ LECTERN_HOME: join(outside.place, "data") }));
  const { dataDirectory, runtimeDirectory } = home.paths;
  await home.ok("run", "-d", "--name", "other", "--", "cat");
  const other = await home.client.call("sessions.get", { session: "other" });
  const host = (await home.info())?.hosts[0]?.pid;
  writeFileSync(join(dataDirectory, "secret"), "SECRET\n");
  writeFileSync(join(outside.project, "ways.sh"), waysScript(Object.values(sandboxWays)));
  const before = readdirSync(outside.project);
  const variables = {
    ...home.launcherEnvironment,
    ...outside.variables,
    DATA: dataDirectory,
    RUN: runtimeDirectory,
    HOST: String(host),
    OTHER: other.id,
    VICTIM_TERMINAL: terminalOf(other.pid),
  };
  const settings = join(outside.place, "sandbox.yaml");
  writeFileSync(settings, sandboxWithLectern(`${outside.place}/`));
  const command = [
    "run",
    "-d",
    "--name",
    "walled",
    `--sandbox=${settings}`,
    "-C",
    outside.project,
    "--",
    "bash",
    "ways.sh",
  ];
  const started = await home.run(command, { env: variables });
  assert.equal(started.code, 0, started.stderr);
  const finished = await home.client.call("sessions.wait", {
    session: "walled",
    for: { type: "exit" },
    timeoutMs: 150_000,
  });
  assert.equal(finished.reason, "exit");
  assert.match(await home.ok("logs", "walled"), /finished/);

  assert.deepEqual(outside.leaks(Object.entries(sandboxWays)), []);
  assert.deepEqual(readdirSync(join(outside.place, "made")), []);
  for (const name of readdirSync(join(outside.place, "kept"))) {
    if (name !== "directory") assert.equal(readFileSync(join(outside.place, "kept", name), "utf8"), "kept\n", name);
  }
  // Nothing that the sandbox itself had to make is left: what is new was made by the ways.
  const left = readdirSync(outside.project).filter((name) => !before.includes(name) && name.startsWith("."));
  assert.deepEqual(left, [], "stand-ins that were left behind");
  assert.equal((await home.client.call("sessions.get", { session: "other" })).state, "running");
  assert.doesNotMatch(await home.ok("events", "other"), /STOLEN/);
});

/** The terminal of a process, to see whether it can be written. */
function terminalOf(pid: number | null): string {
  const { stdout } = spawnSync("readlink", [`/proc/${pid}/fd/0`], { encoding: "utf8" });
  return stdout.trim();
}
