/** Sessions of other machines of a cluster: three daemons with homes of their own, real servers, and what happens when these are killed. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, test } from "node:test";
import type { Attachment, AttachmentOptions } from "../../src/client/attachment.ts";
import { unixTransport } from "../../src/client/unix-transport.ts";
import { ClusterHomes } from "../support/cluster-homes.ts";
import { attachToBox, bytesOf, outputOf } from "../support/machine-attachment.ts";
import { until } from "../support/until.ts";
import { firstOf } from "../support/variants.ts";

const members = { box: "machine", build: "machine", laptop: "operator", eye: "viewer" } as const;
const cluster = await ClusterHomes.start(members, 3);
after(() => cluster[Symbol.asyncDispose]());
const box = cluster.home("box");
const laptop = cluster.home("laptop");
const transport = unixTransport(laptop.paths.daemonSocket);

const LINES = 60_000;

const attach = (session: string, query: string, options: AttachmentOptions = {}): Attachment =>
  attachToBox(transport, session, query, options);

const outputThere = async (session: string): Promise<Buffer> => await bytesOf(box.client, session);

test("sessions of a machine are created, listed, read and ended from another one", async () => {
  const there = laptop.client.on("box");
  const made = await there.call("sessions.create", { command: ["sh", "-c", "echo made; exec cat"], name: "work" });
  assert.deepEqual(
    (await there.call("sessions.list", {})).sessions.map(({ id }) => id),
    [made.id],
  );
  assert.deepEqual(
    (await box.client.call("sessions.list", {})).sessions.map(({ id }) => id),
    [made.id],
  );
  assert.deepEqual((await laptop.client.call("sessions.list", {})).sessions, []);
  const session = "box/work";
  await laptop.client.call("sessions.wait", { session, for: { type: "output", pattern: "made" }, from: 0 });
  await laptop.client.call("sessions.input", { session, text: "pomegranate\n" });
  await laptop.client.call("sessions.wait", { session, for: { type: "output", pattern: "pomegranate" } });
  const bytes = Buffer.concat(await Array.fromAsync(laptop.client.bytes("sessions.output", { session })));
  assert.match(bytes.toString(), /^made/);
  await laptop.client.call("sessions.remove", { session, force: true });
  assert.deepEqual((await there.call("sessions.list", {})).sessions, []);
});

test("the command line names them as MACHINE/SESSION", async () => {
  await laptop.ok(
    "run",
    "--host",
    "box",
    "--detach",
    "--name",
    "named",
    "--",
    "sh",
    "-c",
    "echo from the box; exec cat",
  );
  await box.client.call("sessions.wait", {
    session: "named",
    for: { type: "output", pattern: "from the box" },
    from: 0,
  });
  assert.match(await laptop.ok("logs", "box/named"), /from the box/);
  assert.match(await laptop.ok("ls", "--all"), /box\/named/);
});

test("a command is executed there, a prompt is typed there, and its updates come here", async () => {
  await box.client.call("sessions.create", { command: ["bash", "--norc"], name: "shell" });
  const { exitCode, output } = await laptop.client.call("sessions.exec", {
    session: "box/shell",
    command: "echo $((40+2))",
  });
  assert.deepEqual([exitCode, output.trim()], [0, "42"]);
  const abort = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    const updates = laptop.client.daemonUpdates({ machines: true, list: true, signal: abort.signal });
    for await (const update of updates) seen.push(JSON.stringify(update));
  })().catch(() => undefined);
  await until(() => seen.some((text) => text.includes('"box"')));
  await laptop.client.call("sessions.prompt", { shell: true, session: "box/shell", text: "exit" });
  await until(() => seen.some((text) => text.includes("exited")));
  abort.abort();
  await following;
});

test("errors of a machine are those of its daemon", async () => {
  await assert.rejects(laptop.client.call("sessions.get", { session: "box/missing" }), { code: "SESSION_NOT_FOUND" });
  await assert.rejects(laptop.client.on("nowhere").call("sessions.list", {}), { code: "MACHINE_NOT_FOUND" });
});

test("a recording is uploaded to another machine, and one is read from there", async () => {
  const cast = `{"version":2,"width":80,"height":24}\n[0.1,"o","pomegranate"]\n`;
  const file = `${laptop.directory}/cast`;
  writeFileSync(file, cast);
  await laptop.ok("import", "--host", "box", "--name", "imported", file);
  assert.match(await laptop.ok("export", "box/imported"), /pomegranate/);
});

const faults = [
  ["SIGKILL", "box"],
  ["SIGSTOP", "laptop"],
  ["SIGKILL", "laptop"],
  ["SIGSTOP", "box"],
] as const;

for (const [fault, of] of firstOf(faults, 1)) {
  test(`${fault} of the server of the ${of} under a flood costs a pause: the attachment resumes, and no line is lost`, async (t) => {
    const name = `${fault}-${of}`;
    const script = `for n in $(seq 0 ${LINES / 1000 - 1}); do seq $((n * 1000)) $((n * 1000 + 999)); sleep 0.1; done`;
    await box.client.call("sessions.create", { command: ["sh", "-c", script], name });
    await using attachment = attach(name, "lossless=true", { from: 0 });
    const seen: string[] = [];
    const chunks: Uint8Array[] = [];
    let index: number | undefined;
    let [lastMs, pauseMs] = [performance.now(), 0];
    for await (const item of attachment) {
      if (item.type === "output") {
        pauseMs = Math.max(pauseMs, performance.now() - lastMs);
        lastMs = performance.now();
        chunks.push(item.bytes);
        if (index === undefined) {
          index = await cluster.serverOf(of);
          cluster.servers.signal(fault, index);
        }
      } else if (item.type !== "mark") seen.push(item.type);
    }
    t.diagnostic(`longest pause ${Math.round(pauseMs)} ms; ${seen.join(", ")}`);
    if (index !== undefined) {
      if (fault === "SIGSTOP") cluster.servers.signal("SIGCONT", index);
      else await cluster.servers.startServer(index);
    }
    assert.equal(seen.includes("gap"), false);
    assert.ok(Buffer.concat(chunks).equals(await outputThere(name)));
    const lines = Buffer.concat(chunks).toString().trimEnd().split("\r\n");
    assert.equal(lines.length, LINES);
    await cluster.untilConnected("laptop", "box", "build");
  });
}

test("a daemon there that is killed costs a pause, and one that stays away is told", async () => {
  await box.client.call("sessions.create", { command: ["cat"], name: "kept" });
  await using attachment = attach("kept", "", { from: 0 });
  await attachment.attached;
  await box.crashDaemon();
  await assert.rejects(laptop.client.call("sessions.get", { session: "box/kept" }), { code: "MACHINE_AWAY" });
  await until(async () =>
    (await laptop.client.call("machines.list", {})).machines.some(
      ({ name, state }) => name === "box" && state === "away",
    ),
  );
  await box.startDaemon("--no-tcp");
  await cluster.untilConnected("laptop", "box");
  await attachment.write(Buffer.from("pomegranate\n\u0004"));
  assert.match((await outputOf(attachment)).toString(), /pomegranate\r\npomegranate/);
});

test("a viewer reads, and types nothing; a machine reaches nobody", async () => {
  await box.client.call("sessions.create", { command: ["cat"], name: "seen" });
  const eye = cluster.home("eye").client;
  assert.equal((await eye.call("sessions.get", { session: "box/seen" })).name, "seen");
  await assert.rejects(eye.call("sessions.input", { session: "box/seen", text: "x" }), { code: "FORBIDDEN" });
  await assert.rejects(eye.on("box").call("sessions.create", { command: ["true"] }), { code: "FORBIDDEN" });
  await assert.rejects(cluster.home("build").client.call("sessions.get", { session: "box/seen" }), {
    code: "FORBIDDEN",
  });
});

test("nobody administers another machine over the cluster, or is led on to a third one", async () => {
  const there = laptop.client.on("box");
  await assert.rejects(there.call("hosts.drain", {}), { code: "FORBIDDEN" });
  await assert.rejects(there.call("cluster.read", {}), { code: "FORBIDDEN" });
  for (const name of ["tokens.list", "daemon.stop"] as const) {
    await assert.rejects(there.call(name, {}), (error: { code?: string }) =>
      /FORBIDDEN|NOT_FOUND/.test(error.code ?? ""),
    );
  }
  await assert.rejects(there.on("build").call("sessions.list", {}), { code: "NOT_FOUND" });
});
