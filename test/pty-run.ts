/** Programs on a pty for tests and benchmarks: everything that came out, in order, and waits without sleeping. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { ExitStatus } from "../src/protocol/records.ts";
import { cleanEnvironment } from "../src/pty/environment.ts";
import type { Pty, PtyBackend } from "../src/pty/pty.ts";
import { spawnPty, type SpawnPtyOptions } from "../src/pty/spawn.ts";

const environment = cleanEnvironment(process.env);
/** Less than a test may take, so that a wait in vain ends before its test is given up. */
const UNTIL_MS_MAX = 120_000;
const SHOWN_CHARS_MAX = 1000;

/** A bash script, or a command. */
export type Script = string | readonly [string, ...string[]];

export class PtyRun {
  readonly pty: Pty;
  readonly ended: Promise<ExitStatus>;
  readonly #chunks: Buffer[] = [];
  #waiting: { readonly text: string; readonly found: () => void } | undefined;
  #exits = 0;
  /** Chunks after the exit and exits after the first. */
  broken = 0;

  constructor(script: Script, options: Partial<SpawnPtyOptions> = {}) {
    const ended = Promise.withResolvers<ExitStatus>();
    this.ended = ended.promise;
    this.pty = spawnPty({
      command: typeof script === "string" ? ["bash", "-c", script] : script,
      workingDirectory: tmpdir(),
      environment,
      columns: 80,
      rows: 24,
      ...options,
      onOutput: (chunk) => {
        if (this.#exits > 0) this.broken += 1;
        this.#chunks.push(Buffer.from(chunk));
        if (this.#waiting !== undefined && this.text.includes(this.#waiting.text)) this.#waiting.found();
      },
      onExit: (status) => {
        if (this.#exits > 0) this.broken += 1;
        this.#exits += 1;
        ended.resolve(status);
      },
    });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString("latin1");
  }

  /** Resolves once the output has the text. Rejects where it does not come, so that the test ends and cleans up. */
  async until(text: string): Promise<void> {
    if (this.text.includes(text)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      const end = JSON.stringify(this.text.slice(-SHOWN_CHARS_MAX));
      reject(new Error(`${JSON.stringify(text)} was not printed in ${UNTIL_MS_MAX} ms; the output ends with ${end}`));
    }, UNTIL_MS_MAX);
    this.#waiting = { text, found: resolve };
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting = undefined;
    }
  }

  write(text: string): void {
    this.pty.write(Buffer.from(text));
  }
}

export const aTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** The state letter of `proc_pid_stat(5)`, "Z" for a process that is gone. */
export function processState(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.charAt(stat.lastIndexOf(")") + 2);
  } catch {
    return "Z";
  }
}

/** A background job of a case is waited for longer than it takes on a busy machine; where there is none, nothing is waited for. */
const LINGER_MS = 60_000;

/** One way of ending: the script, all that it prints, and how it ends. */
export interface ExitCase {
  readonly script: Script;
  readonly output: string;
  readonly status: ExitStatus;
  /** Pause at once, and resume when the program has long ended. */
  readonly paused?: boolean;
}

const exited = (code: number): ExitStatus => ({ reason: "exited", code, signal: null });

/** `line 1` to `line N` as a terminal shows them. */
export const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\r\n`).join("");
export const printLines = (count: number): string => `seq -f 'line %.0f' ${count}`;

/** The seven ways to end in which terminals lose bytes, codes or their order. */
export const exitCases: Readonly<Record<string, ExitCase>> = {
  "a short output and exit": { script: ["printf", "end"], output: "end", status: exited(0) },
  "an exit code and no output": { script: "exit 37", output: "", status: exited(37) },
  "a large output and exit": { script: `${printLines(5_000)}; exit 3`, output: lines(5_000), status: exited(3) },
  "a death by signal after output": {
    script: `${printLines(300)}; kill -KILL $$`,
    output: lines(300),
    status: { reason: "signaled", code: null, signal: "SIGKILL" },
  },
  "many small writes and exit": {
    script: "for i in {1..200}; do printf x; done; exit 9",
    output: "x".repeat(200),
    status: exited(9),
  },
  "an exit while the consumer is paused": {
    script: `${printLines(200)}; exit 5`,
    output: lines(200),
    status: exited(5),
    paused: true,
  },
  "a background job that prints after the program ended": {
    script: "trap '' HUP; (sleep 0.6; printf late) & printf early; exit 4",
    output: "earlylate",
    status: exited(4),
  },
};

export interface ExitOutcome {
  readonly status: ExitStatus;
  /** As it should be: all bytes, in order. */
  readonly output: string;
  readonly afterExit: number;
  /** Bytes that came although the consumer was paused. */
  readonly whilePaused: number;
}

/** Runs a case once. */
export async function runExitCase(exitCase: ExitCase, backend: PtyBackend): Promise<ExitOutcome> {
  const run = new PtyRun(exitCase.script, { backend, lingerMs: LINGER_MS });
  let whilePaused = 0;
  if (exitCase.paused === true) {
    run.pty.pause();
    while (processState(run.pty.pid) !== "Z") await new Promise((resolve) => void setTimeout(resolve, 2));
    await aTurn();
    whilePaused = run.bytes.length;
    run.pty.resume();
  }
  const status = await run.ended;
  await aTurn();
  return { status, output: run.text, afterExit: run.broken, whilePaused };
}
