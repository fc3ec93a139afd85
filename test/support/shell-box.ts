/**
 * Executes shell texts with real bash in a bubblewrap without network, and reports which of them did harm: ran `rm`, read a secret, or
 * changed something outside of the project. Many texts share one box; each starts with the same files.
 */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";

/** `run`: the canary in the place of `rm` was started. */
export type Canary = "run" | "read" | "write";

export interface BoxReport {
  /** Indexes of the texts that did harm. What a text leaves running is killed before the next one. */
  readonly harmed: Readonly<Record<Canary, readonly number[]>>;
  /** How many texts did not end in time and were killed. */
  readonly late: number;
  /** Processor time of the box. */
  readonly processorSeconds: number;
}

/** For a text, and then so many turns of 50 ms for what it leaves running. */
export interface Patience {
  readonly textSecondsMax: number;
  readonly clearTurnsMax: number;
}

const usualPatience: Patience = { textSecondsMax: 4, clearTurnsMax: 10 };
const boxMsMax = 300_000;
const memoryBytesMax = 500_000_000;

/** The programs of this machine, read-only, and everything else in memory. `/proc` too, or root writes settings of the kernel in it. */
export function boxWalls(): readonly string[] {
  const system = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc"].flatMap((folder) => {
    const entry = lstatSync(folder, { throwIfNoEntry: false });
    if (entry === undefined) return [];
    return entry.isSymbolicLink() ? ["--symlink", readlinkSync(folder), folder] : ["--ro-bind", folder, folder];
  });
  const own =
    "--unshare-all --die-with-parent --new-session --as-pid-1 --cap-drop ALL --clearenv --setenv PATH /usr/bin:/bin";
  const size = ["--size", String(memoryBytesMax)];
  return [
    ...own.split(" "),
    ...system,
    ..."--proc /proc --remount-ro /proc --dev /dev".split(" "),
    ...size,
    "--tmpfs",
    "/tmp",
  ];
}

/** Undefined if a box can be started here; otherwise what bubblewrap reports. */
export function boxProblem(): string | undefined {
  const tried = spawnSync("bwrap", [...boxWalls(), "/bin/bash", "-c", ":"], { encoding: "utf8", timeout: 60_000 });
  if (tried.status === 0) return undefined;
  return tried.error?.message ?? `bwrap: ${tried.stderr.trim()} (${tried.status ?? tried.signal})`;
}

/** Runs the texts, one after the other. Throws if the box itself fails. */
export async function runInBox(texts: readonly string[], patience = usualPatience): Promise<BoxReport> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-box-"));
  try {
    for (const name of ["programs", "canary"]) mkdirSync(join(folder, name));
    for (const [at, text] of texts.entries())
      writeFileSync(join(folder, "programs", String(at).padStart(6, "0")), text);
    writeFileSync(join(folder, "rm"), '#!/bin/bash -p\necho "$*" >>/canary/log\n');
    chmodSync(join(folder, "rm"), 0o755);
    const bind = (name: string, to: string): readonly string[] => ["--ro-bind", join(folder, name), to];
    const own = [
      ...bind("programs", "/programs"),
      ...bind("rm", "/usr/bin/rm"),
      "--dir",
      "/canary",
      "--dir",
      "/users/me",
    ];
    const script = ["--ro-bind", join(import.meta.dirname, "shell-box.bash"), "/box.bash"];
    const limits = Object.entries({
      TEXT_SECONDS_MAX: patience.textSecondsMax,
      CLEAR_TURNS_MAX: patience.clearTurnsMax,
    }).flatMap(([name, value]) => ["--setenv", name, String(value)]);
    return await reportOf([...boxWalls(), ...own, ...script, ...limits, "/bin/bash", "/box.bash"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function reportOf(words: readonly string[]): Promise<BoxReport> {
  const box = spawn("bwrap", words, { stdio: ["ignore", "pipe", "pipe"], timeout: boxMsMax, killSignal: "SIGKILL" });
  const ended = new Promise<string>((resolve, reject) => {
    box.once("error", reject);
    box.once("exit", (status, signal) => resolve(String(status ?? signal)));
  });
  const [status, output, errors] = await Promise.all([ended, textOf(box.stdout), textOf(box.stderr)]);
  const lines = output.split("\n").map((line) => line.split(" "));
  if (!lines.some(([word]) => word === "end")) throw new Error(`The box ended early (${status}): ${output} ${errors}`);
  const numbers = (wanted: Canary | "late"): readonly number[] =>
    lines.flatMap(([word, number]) => (word === wanted ? [Number(number)] : []));
  return {
    harmed: { run: numbers("run"), read: numbers("read"), write: numbers("write") },
    late: numbers("late").length,
    processorSeconds: processorSecondsIn(errors),
  };
}

/** Of the lines that `times` of bash prints, such as `0m0.063s 0m0.196s`. */
export const processorSecondsIn = (text: string): number =>
  [...text.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
