/**
 * A long mixed load: floods, lines, full-screen programs, echoes and agents against a scripted model, all at once, with viewers that come and
 * go, `kill -9` of the daemon and of viewers. At the end the journal of each session is compared with what its program wrote to a file.
 *
 *   node bench/soak.ts [minutes=30] [sessions of each kind=2]
 *
 * Ends with 1 if a byte differs.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ScriptedModel } from "../test/support/scripted-model/scripted-model.ts";
import { compile } from "./support/compile.ts";
import { BenchDaemon, residentKibOf } from "./support/daemon.ts";
import { median } from "./support/statistics.ts";

const minutes = Number(process.argv[2] ?? 30);
const ofEachKind = Number(process.argv[3] ?? 2);
const KILL_EVERY_MS = 45_000;
const VIEWERS = 4;
const VIEW_MS_MAX = 20_000;
const END_MS_MAX = 120_000;

const directory = mkdtempSync(join(tmpdir(), "lectern-soak-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
const launcher = join(import.meta.dirname, "../bin/lectern.mjs");
const teller = compile("teller");
const seconds = Math.round(minutes * 60);

/** Asks the model through the gateway and writes what it says to the terminal and to the file. */
const AGENT = `
import { spawnSync } from "node:child_process";
import { openSync, writeSync } from "node:fs";
spawnSync("stty", ["raw", "-echo"], { stdio: "inherit" });
const [file, seconds] = process.argv.slice(2);
const copy = openSync(file, "w");
const tell = (bytes) => { writeSync(copy, bytes); for (let done = 0; done < bytes.length; done += writeSync(1, bytes, done)); };
const end = Date.now() + seconds * 1000;
for (let turn = 0; Date.now() < end; turn++) {
  try {
    const answer = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": process.env.ANTHROPIC_API_KEY ?? "none", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ model: "claude-x", max_tokens: 100, stream: true, messages: [{ role: "user", content: "turn " + turn }], tools: [{ name: "shell", input_schema: { type: "object" } }] }),
    });
    for await (const chunk of answer.body) tell(Buffer.from(chunk));
  } catch (error) {
    tell(Buffer.from("no answer: " + error.message + "\\r\\n"));
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
}
`;

interface Soaked {
  readonly kind: string;
  readonly id: string;
  readonly file: string;
}

await using model = await ScriptedModel.start({
  turns: [
    {
      times: "always",
      say: "I would list the files now. ".repeat(20),
      calls: [{ name: "shell", arguments: { command: "ls" } }],
      delayMs: 2,
    },
  ],
});
await using daemon = await BenchDaemon.start();
const { client } = daemon;
const agent = join(directory, "agent.mjs");
writeFileSync(agent, AGENT);

const soaked: Soaked[] = [];
for (const kind of ["lines", "flood", "frames", "echo", "agent"]) {
  for (let count = 0; count < ofEachKind; count += 1) {
    const file = join(directory, `${kind}-${count}`);
    const own = [file, String(seconds), String(count + 1)] as const;
    const { id } = await client.call("sessions.create", {
      command: kind === "agent" ? [process.execPath, agent, ...own] : [teller, kind, ...own],
      retainBytesMax: 1024 ** 4,
      ...(kind === "agent" && { wire: { upstreams: { anthropic: model.url } } }),
    });
    soaked.push({ kind, id, file });
  }
}

const over = new AbortController();
const counts = { daemonKills: 0, viewers: 0, viewersKilled: 0, typed: 0, wrong: 0 };
const restartsMs: number[] = [];
let peakKib = 0;
const start = Date.now();
const tasks = [killDaemons(), type(), watchMemory(), ...Array.from({ length: VIEWERS }, (_, index) => view(index))];
await sleep(seconds * 1000);
over.abort();
await Promise.all(tasks);
for (const { kind, id, file } of soaked) {
  const { reason } = await client.call("sessions.wait", { session: id, for: { type: "exit" }, timeoutMs: END_MS_MAX });
  const [journal, written] = [await ofJournal(id), await ofFile(file)];
  const isSame = reason === "exit" && journal.sha256 === written.sha256;
  if (!isSame) counts.wrong += 1;
  console.log(
    `${kind.padEnd(8)} ${id} ${String(written.bytes).padStart(12)} bytes ${isSame ? "the same" : `DIFFERS: ${journal.bytes} in the journal, ended by ${reason}`}`,
  );
}
console.log(
  `${((Date.now() - start) / 60_000).toFixed(1)} minutes: ${counts.daemonKills} kills of the daemon (back in ${median(restartsMs).toFixed(0)} ms, at most ${Math.max(...restartsMs).toFixed(0)}), ${counts.viewers} viewers, ${counts.viewersKilled} of them killed, ${counts.typed} inputs, daemon at most ${(peakKib / 1024).toFixed(0)} MB; ${counts.wrong} of ${soaked.length} sessions differ`,
);
process.exitCode = counts.wrong === 0 ? 0 : 1;

async function pause(ms: number): Promise<void> {
  await sleep(ms, undefined, { signal: over.signal }).catch(() => undefined);
}

async function killDaemons(): Promise<void> {
  for (;;) {
    await pause(KILL_EVERY_MS);
    if (over.signal.aborted) return;
    restartsMs.push(await daemon.crash());
    counts.daemonKills += 1;
  }
}

/** Into the sessions that echo; what fails while no daemon runs is not typed. */
async function type(): Promise<void> {
  const echoes = soaked.filter(({ kind }) => kind === "echo");
  while (!over.signal.aborted) {
    for (const { id } of echoes) {
      const input = { session: id, text: `${counts.typed} `.repeat(1 + (counts.typed % 50)) };
      await client.call("sessions.input", input).then(
        () => (counts.typed += 1),
        () => undefined,
      );
    }
    await pause(300);
  }
}

async function watchMemory(): Promise<void> {
  while (!over.signal.aborted) {
    try {
      peakKib = Math.max(peakKib, residentKibOf(daemon.pid) || 0);
    } catch {
      // It was killed at this moment.
    }
    await pause(1000);
  }
}

/** Follows one session after the other, in a process of its own that is ended or killed. */
async function view(index: number): Promise<void> {
  for (let round = index; !over.signal.aborted; round += 1) {
    const { id } = soaked[(round * 7) % soaked.length]!;
    const words = round % 2 === 0 ? ["logs", "-f", id] : ["events", id, "-f"];
    const child = spawn(process.execPath, [launcher, ...words], {
      env: { ...process.env, LECTERN_HOME: daemon.paths.dataDirectory },
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    counts.viewers += 1;
    await pause(1000 + ((round * 7919) % VIEW_MS_MAX));
    const isKilled = round % 3 === 0;
    if (isKilled) counts.viewersKilled += 1;
    child.kill(isKilled ? "SIGKILL" : "SIGTERM");
    await ended;
  }
}

interface Written {
  readonly bytes: number;
  readonly sha256: string;
}

async function ofJournal(session: string): Promise<Written> {
  const hash = createHash("sha256");
  let bytes = 0;
  await using attachment = await client.attach(session, { from: 0, readOnly: true, lossless: true });
  for await (const item of attachment) {
    if (item.type !== "output") continue;
    hash.update(item.bytes);
    bytes += item.bytes.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

async function ofFile(file: string): Promise<Written> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(file)) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { bytes, sha256: hash.digest("hex") };
}
