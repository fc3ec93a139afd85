/**
 * Prompts to programs that take them late and draw all the time, while the daemon is killed with `kill -9` again and again, at any moment
 * between two steps. Counts prompts that a program was given twice, and those that it was never given although no receipt says so: both must be 0.
 *
 *   node bench/delivery.ts [prompts=200] [kills=prompts/4]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isFinal, type Receipt } from "../src/core/acting/receipt.ts";
import { BenchDaemon } from "./support/daemon.ts";

const prompts = Number(process.argv[2] ?? 200);
const kills = Number(process.argv[3] ?? Math.floor(prompts / 4));
const RECEIPT_MS_MAX = 90_000;
const BETWEEN_KILLS_MS_MAX = 2500;

interface Target {
  readonly name: string;
  readonly command: (file: string) => [string, ...string[]];
  readonly text: (mark: string, file: string) => string;
}

const targets: readonly Target[] = [
  {
    name: "full-screen program",
    command: (file) => [process.execPath, join(import.meta.dirname, "../test/support/redrawing-program.ts"), file],
    text: (mark) => (mark.endsWith("3") ? `${mark} has\nmore than one\nline` : `${mark} is one line`),
  },
  {
    name: "bash",
    command: () => ["bash", "--norc", "--noprofile"],
    text: (mark, file) => `sleep 0.$((RANDOM % 4)); echo '"${mark} "' >> ${file}`,
  },
];

const directory = mkdtempSync(join(tmpdir(), "lectern-delivery-"));
await using daemon = await BenchDaemon.start();
const over = new AbortController();
let killed = 0;

/** What a client does that wants a prompt delivered: it asks again, with the same key, until there is an end. */
async function deliver(session: string, key: string, text: string): Promise<Receipt | null> {
  for (const deadline = performance.now() + RECEIPT_MS_MAX; performance.now() < deadline; await sleep(20)) {
    const receipt = await daemon.client
      .call("sessions.prompt", { session, key, text, shell: true, waitMs: 20_000 })
      .catch(() => undefined);
    if (receipt !== undefined && isFinal(receipt)) return receipt;
  }
  return null;
}

async function run({ name, command, text }: Target, index: number): Promise<void> {
  const file = join(directory, `${index}.txt`);
  const { id } = await daemon.client.call("sessions.create", { command: command(file), columns: 100, rows: 30 });
  const receipts = new Map<string, Receipt | null>();
  for (let number = 0; number < Math.ceil(prompts / targets.length); number += 1) {
    const mark = `mark-${index}-${number}`;
    receipts.set(mark, await deliver(id, mark, text(mark, file)));
  }
  const taken = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  const timesOf = (mark: string): number => taken.filter((line) => line.startsWith(`"${mark} `)).length;
  const marks = [...receipts.keys()];
  const failed = marks.filter((mark) => receipts.get(mark)?.state === "failed");
  const count = (fits: (mark: string) => boolean): number => marks.filter(fits).length;
  const lost = count((mark) => timesOf(mark) === 0 && receipts.get(mark)?.state === "done");
  console.log(
    `${name}: ${marks.length} prompts, ${count((mark) => timesOf(mark) === 1)} taken once, ` +
      `${count((mark) => timesOf(mark) > 1)} doubled, ${lost} lost without a word, ` +
      `${count((mark) => receipts.get(mark) === null)} without an end, ${failed.length} receipts say failed ` +
      `(${failed.filter((mark) => timesOf(mark) > 0).length} of them taken after all)`,
  );
  const strange = taken.filter((line) => !marks.some((mark) => line.startsWith(`"${mark} `)));
  if (strange.length > 0) console.log(`  not as it was typed: ${strange.join(" ")}`);
  for (const reason of new Set(failed.map((mark) => receipts.get(mark)?.reason))) console.log(`  failed: ${reason}`);
}

async function kill(): Promise<void> {
  while (killed < kills) {
    await sleep(Math.random() * BETWEEN_KILLS_MS_MAX);
    if (over.signal.aborted) return;
    await daemon.crash();
    killed += 1;
  }
}

const killing = kill();
await Promise.all(targets.map(run));
over.abort();
await killing;
console.log(`${killed} kills`);
rmSync(directory, { recursive: true, force: true });
