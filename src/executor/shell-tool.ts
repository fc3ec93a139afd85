/**
 * Runs commands, each in a shell and a terminal of its own: its end is exact, calls can run side by side, and nothing of one
 * is left in the next.
 */
import { unitMs, waits } from "../core/waits.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExitStatus } from "../protocol/records.ts";
import { cleanEnvironment } from "../pty/environment.ts";
import type { Pty } from "../pty/pty.ts";
import { spawnPty } from "../pty/spawn.ts";
import { succeeded, type Tool, type ToolOutcome } from "./tool.ts";

export interface ShellToolOptions {
  readonly workingDirectory: string;
  /** Of the process that asked; variables named in `hidden` do not reach a command. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables such as keys. */
  readonly hidden: readonly string[];
  /** Where a call names no time limit. Default 120,000. */
  readonly timeoutMs?: number;
}

const TIMEOUT_SECONDS_MAX = unitMs.h / unitMs.s;
/** What a background process of an ended command may still write. */
const LINGER_MS = 100;
const size = { columns: 120, rows: 40 };

/** Programs that would wait for somebody to page or type. */
const forNobody = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", MANPAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

/** Runs the file that is named after it; standard input is empty. A file, because a word of a command line has a limit. */
const runFile = '. "$0" </dev/null';

/** A shell that runs one command. */
class CommandShell implements AsyncDisposable {
  readonly ended: Promise<ExitStatus>;
  readonly #pty: Pty;
  readonly #folder = mkdtempSync(join(tmpdir(), "lectern-shell-"));

  constructor(
    command: string,
    onOutput: (chunk: Uint8Array) => void,
    { environment, hidden, workingDirectory }: ShellToolOptions,
  ) {
    const ended = Promise.withResolvers<ExitStatus>();
    this.ended = ended.promise;
    const visible = Object.fromEntries(Object.entries(environment).filter(([name]) => !hidden.includes(name)));
    const file = join(this.#folder, "command");
    try {
      writeFileSync(file, `${command}\n`, { mode: 0o600 });
      this.#pty = spawnPty({
        command: ["bash", "--norc", "--noprofile", "-c", runFile, file],
        workingDirectory,
        environment: cleanEnvironment(visible, { extra: forNobody }),
        ...size,
        mode: "exec",
        lingerMs: LINGER_MS,
        onOutput,
        onExit: (status) => ended.resolve(status),
      });
    } catch (error) {
      this.#removeFolder();
      throw error;
    }
  }

  async kill(): Promise<void> {
    await this.#pty.kill({ graceMs: waits.forcedGraceMs });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pty[Symbol.asyncDispose]();
    this.#removeFolder();
  }

  #removeFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** `shell`. */
export function shellTool(options: ShellToolOptions): Tool {
  return {
    name: "shell",
    description:
      "Runs a bash script in a terminal and gives back what it put out and its exit code. Each call begins in the working directory, with empty standard input; what it leaves in the background is ended.",
    schema: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1 },
        timeout_seconds: { type: "number", exclusiveMinimum: 0, maximum: TIMEOUT_SECONDS_MAX },
      },
      required: ["command"],
      additionalProperties: false,
    },
    async run({ arguments: given, output, signal }) {
      const seconds = given["timeout_seconds"];
      const timeoutMs = typeof seconds === "number" ? seconds * 1000 : (options.timeoutMs ?? 120_000);
      const timeout = AbortSignal.timeout(timeoutMs);
      const stop = AbortSignal.any([signal, timeout]);
      if (stop.aborted) return { result: "cancelled", message: "It was stopped before it began" };
      await using shell = new CommandShell(String(given["command"]), (chunk) => output.feed(chunk), options);
      const onStop = (): void => void shell.kill();
      stop.addEventListener("abort", onStop, { once: true });
      const status = await shell.ended;
      stop.removeEventListener("abort", onStop);
      if (signal.aborted) return { result: "cancelled", message: "It was stopped" };
      if (timeout.aborted) return { result: "timed-out", message: `It was stopped after ${timeoutMs / 1000} s` };
      return outcomeOf(status);
    },
  };
}

/** A command that ends with another code than 0 has still done what it was asked. */
function outcomeOf(status: ExitStatus): ToolOutcome {
  if (status.reason === "exited") return succeeded(`Exit code ${status.code}`);
  return { result: "failed", message: status.reason === "signaled" ? `Ended by ${status.signal}` : "It was lost" };
}
