/** The tool `shell`: each call passes the gate, and its rows are in the audit log before what they announce. */
import { hash, randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { createInterface } from "node:readline/promises";
import type { AuditLog } from "lectern";
import { AuditedGate, Gate, type CommitRequest, type CommitVerdict, type Policy } from "lectern/gate";
import type { ToolCall } from "lectern/llm";
import type { OfferedTool, ToolResult } from "./model.ts";
import type { WarmTerminals } from "./warm-terminals.ts";

export const shellTool: OfferedTool = {
  name: "shell",
  description: "Runs a bash command in a new terminal and returns its output and exit code. Nobody types there.",
  schema: {
    type: "object",
    properties: { command: { type: "string", minLength: 1 } },
    required: ["command"],
    additionalProperties: false,
  },
};

export interface ShellCallsOptions {
  readonly policy: Policy;
  readonly log: AuditLog;
  readonly terminals: WarmTerminals;
  readonly print: (text: string) => void;
}

const COMMAND_MS_MAX = 120_000;
const OUTPUT_BYTES_MAX = 32_768; // Of a longer output the model gets head and tail.
const session = `agent-${randomUUID()}`;
const me = userInfo().username;

export class ShellCalls {
  readonly #options: ShellCallsOptions;
  readonly #gate: AuditedGate<ToolResult>;

  constructor(options: ShellCallsOptions) {
    this.#options = options;
    const gate = new Gate<ToolResult>({ policy: options.policy, continues: true });
    const outcomeOf = (): ToolResult => ({ text: "This call was run before", failed: true });
    this.#gate = new AuditedGate({ gate, sink: options.log, executor: "example", policyHash: null, outcomeOf });
  }

  /** The result for the model. Rejects if the audit log cannot be written; the call has not run then. */
  async run(call: ToolCall, signal: AbortSignal): Promise<ToolResult> {
    const identity = { session, id: call.id, argumentsHash: hash("sha256", call.argumentsText) };
    const context = { workingDirectory: process.cwd(), home: process.env["HOME"] ?? null, labels: [] };
    const tools = new Map([[shellTool.name, shellTool]]);
    const request = { ...identity, call, tools, context, requester: me, source: "anthropic" };
    const verdict = await this.#verdict(request, signal);
    if (verdict?.type === "replay") return verdict.outcome;
    if (verdict?.type !== "execute") {
      const message = verdict?.type === "deny" ? verdict.message : "The same call is running";
      this.#options.print(`shell refused: ${message}`);
      return { text: `Refused: ${message}`, failed: true };
    }
    // Valid against the schema.
    const { result, ...outcome } = await this.#execute((call.arguments as { command: string }).command, signal);
    await this.#gate.end(identity, outcome, { result, outcomeHash: hash("sha256", outcome.text) }, Date.now());
    return outcome;
  }

  async #verdict(request: CommitRequest, signal: AbortSignal): Promise<CommitVerdict<ToolResult> | undefined> {
    const verdict = await this.#gate.admit(request, Date.now());
    if (verdict.type !== "ask") return verdict;
    this.#options.print(`shell ${request.call.argumentsText}\n${verdict.decision.message}`);
    const effect = (await isAllowed(signal)) ? "allow" : "deny";
    return this.#gate.answer({ ...request, id: request.call.id }, { effect, approver: me }, Date.now());
  }

  async #execute(command: string, signal: AbortSignal) {
    const { print, terminals } = this.#options;
    try {
      const { savedMs, terminal } = await terminals.take();
      await using _closed = terminal;
      print(`shell ${command}`);
      const limits = { timeoutMs: COMMAND_MS_MAX, maxOutputBytes: OUTPUT_BYTES_MAX, signal };
      const { asks, ended, exitCode, output } = await terminal.run(command, limits);
      const stopped = asks === null ? "Stopped: it took too long" : `Stopped: it waits for a ${asks}`;
      const message = ended ? `Exit code ${exitCode ?? "unknown"}` : stopped;
      print(`shell: ${message}; the early terminal saved ${savedMs.toFixed(0)} ms`);
      const result = ended ? "succeeded" : asks === null ? "timed-out" : "failed";
      return { result, text: `${output}\n${message}`, failed: !ended } as const;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { result: signal.aborted ? "cancelled" : "failed", text, failed: true } as const;
    }
  }
}

/** Without a terminal nobody is asked. */
async function isAllowed(signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  using lines = createInterface({ input: process.stdin, output: process.stdout });
  return /^y(es)?$/i.test(await lines.question("Allow it? [y/N] ", { signal }));
}
