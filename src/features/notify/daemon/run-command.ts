/** Runs commands of the configuration outside of every session, with JSON on their standard input. */
import { spawn } from "node:child_process";
import { basename } from "node:path";
import type { SendOutcome } from "../core/pace.ts";
import { maskSecrets } from "../../../core/text/mask-secrets.ts";
import { oneLine } from "../../../core/text/one-line.ts";
import { cleanEnvironment } from "../../../pty/environment.ts";
import { Slots } from "../../../daemon/async/slots.ts";

export interface CommandRun {
  /** Program and arguments, without a shell. */
  readonly command: readonly string[];
  /** For its standard input. */
  readonly input: string;
  readonly workingDirectory: string;
  /** It is killed then, with the processes of its group. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Further ones wait for their turn. */
const RUNNING_MAX = 4;
/** Of standard error, for the reason of a failure. */
const ERROR_BYTES_MAX = 2048;
const SHOWN_CHARS_MAX = 120;

const slots = new Slots(RUNNING_MAX);

/** One run, as an outcome; never rejects. */
export const runCommand = async (run: CommandRun): Promise<SendOutcome> => await slots.run(() => runNow(run));

function runNow({ command, input, signal, timeoutMs, workingDirectory }: CommandRun): Promise<SendOutcome> {
  const [program = "", ...words] = command;
  const name = basename(program);
  const { promise, resolve } = Promise.withResolvers<SendOutcome>();
  if (signal.aborted)
    return Promise.resolve({ type: "failed", reason: `"${name}" was not started: the daemon is shutting down` });
  const child = spawn(program, words, {
    cwd: workingDirectory,
    env: cleanEnvironment(process.env),
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
  });
  let errorText = "";
  let why: string | undefined;
  const kill = (reason: string): void => {
    why ??= reason;
    killGroup(child.pid);
  };
  const timer = setTimeout(() => kill(`was killed after ${timeoutMs / 1000} s`), timeoutMs);
  const onAbort = (): void => kill("was killed, because the daemon is shutting down");
  signal.addEventListener("abort", onAbort, { once: true });
  const end = (outcome: SendOutcome): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    child.stderr.destroy();
    resolve(outcome);
  };
  // A program that does not read its input is not an error.
  child.stdin.on("error", () => undefined).end(input);
  child.stderr
    .setEncoding("utf8")
    .on("data", (text: string) => (errorText = (errorText + text).slice(0, ERROR_BYTES_MAX)));
  child.once("error", (error: NodeJS.ErrnoException) =>
    end({
      type: "failed",
      reason: `Cannot start "${name}": ${error.code === "ENOENT" ? "it was not found" : error.message}`,
    }),
  );
  // Its children may keep its output open.
  child.once("exit", (code, by) => {
    if (code === 0) return end({ type: "sent", detail: `"${name}" exited with 0` });
    const said = maskSecrets(oneLine(errorText)).slice(0, SHOWN_CHARS_MAX);
    const how = why ?? (code === null ? `was ended by ${String(by)}` : `exited with ${code}`);
    return end({ type: "failed", reason: `"${name}" ${how}${said === "" ? "" : ` (${said})`}` });
  });
  return promise;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}
