/** Runs ssh(1) and collects what it writes. */
import { spawn } from "node:child_process";
import { LecternError } from "../core/errors.ts";
import { unitMs, waits } from "../core/waits.ts";

/** Of output and errors each; what is beyond is not read. */
const TEXT_CHARS_MAX = 262_144;

interface SshRun {
  readonly words: readonly string[];
  /** Ends the command. */
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** How ssh ended. `limitMs` is set if it was ended for its time. */
export interface SshResult {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
  readonly limitMs: number | undefined;
}

/** Long enough to find a telephone and type six digits. */
export const ASKING_MS_MAX = 3 * unitMs.m;

/** Rejects with `NOT_AVAILABLE` if there is no ssh here, and with `CANCELLED`. Prompts go to the terminal of this process, not through it. */
export function runSsh({ words, limitMs, signal }: SshRun): Promise<SshResult> {
  const { promise, resolve, reject } = Promise.withResolvers<SshResult>();
  // The connection stays in the background: it must not keep the current directory in use.
  const child = spawn("ssh", [...words], { stdio: ["ignore", "pipe", "pipe"], cwd: "/" });
  let output = "";
  let errors = "";
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill();
  }, limitMs);
  const onAbort = (): void => void child.kill();
  signal?.addEventListener("abort", onAbort, { once: true });
  const finish = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(0, TEXT_CHARS_MAX)));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-TEXT_CHARS_MAX)));
  child.on("error", (cause) => {
    finish();
    const next = "install it, for example: apt install openssh-client";
    reject(new LecternError("NOT_AVAILABLE", `Cannot run ssh: ${cause.message}; ${next}`, { cause }));
  });
  let code: number | null = null;
  const end = (): void => {
    finish();
    child.stdout.destroy();
    child.stderr.destroy();
    if (signal?.aborted === true && !isLate) reject(new LecternError("CANCELLED", "Cancelled by the caller"));
    else resolve({ code, output, errors, limitMs: isLate ? limitMs : undefined });
  };
  child.on("exit", (exitCode) => {
    code = exitCode;
    clearTimeout(timer);
    // A connection that stays in the background has closed the pipes; where it has not, nobody waits for its end.
    setTimeout(end, waits.partMs).unref();
  });
  child.on("close", end);
  return promise;
}
