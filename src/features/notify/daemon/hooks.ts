/** Commands that run at each change of a session. Not kept: what happens while no daemon runs has no hook. */
import { fitsSession } from "../core/rules.ts";
import type { HookKind, HookSettings } from "../core/settings.ts";
import type { ViewChange } from "../../../core/views/change.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import { runCommand } from "./run-command.ts";

/** Runs that wait or run; further ones are dropped, and counted. */
const RUNS_MAX = 200;

export interface HooksOptions {
  readonly settings: () => readonly HookSettings[];
  readonly workingDirectory: string;
  /** With what went wrong; null when it works again. */
  readonly onProblem: (problem: string | null) => void;
}

export class Hooks implements Disposable {
  readonly #options: HooksOptions;
  readonly #closing = new AbortController();
  #runs = 0;
  #dropped = 0;

  constructor(options: HooksOptions) {
    this.#options = options;
  }

  changed(entry: SessionEntry, changes: readonly ViewChange[]): void {
    for (const change of changes) {
      if (change.kind === "status") this.#run("status", entry, { status: change.status });
      else if (change.kind === "approval") this.#run("approval", entry, { approval: change.approval });
      else if (change.kind === "event") this.#run("event", entry, { event: change.event });
    }
  }

  ended(entry: SessionEntry): void {
    this.#run("exit", entry, { exit: entry.stored.exit });
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }

  #run(kind: HookKind, entry: SessionEntry, fact: object): void {
    const { id, labels, name } = entry.stored;
    const agent = entry.status?.agent ?? entry.stored.agent;
    for (const hook of this.#options.settings()) {
      if (!hook.on.includes(kind) || !fitsSession(hook.sessions, { name, labels, agent })) continue;
      const data = { session: { id, name }, agent, labels, ...fact };
      const input = JSON.stringify({ type: `session.${kind}`, timestamp: new Date().toISOString(), data });
      void this.#start(hook, `${input}\n`);
    }
  }

  async #start({ command, timeoutMs }: HookSettings, input: string): Promise<void> {
    const { onProblem, workingDirectory } = this.#options;
    if (this.#runs >= RUNS_MAX) {
      this.#dropped += 1;
      return onProblem(`${this.#dropped} hooks were not run, because ${RUNS_MAX} wait: use fewer, or faster commands`);
    }
    this.#runs += 1;
    const outcome = await runCommand({ command, input, workingDirectory, timeoutMs, signal: this.#closing.signal });
    this.#runs -= 1;
    if (this.#closing.signal.aborted) return;
    onProblem(outcome.type === "sent" ? null : `A hook has failed: ${outcome.reason}; see hooks in lectern.yaml`);
  }
}
