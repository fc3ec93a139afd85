/** The gates of sessions behind the gateway. Loaded with the first one: they bring the readers of policies, with parsers of YAML and of shells. */
import { createHash } from "node:crypto";
import { errorMessage, LecternError } from "../../core/errors.ts";
import { AuditedGate, type AuditSink, type CommitRequest } from "../../core/gate/audited-gate.ts";
import type { CallFinding } from "../../core/gate/finding.ts";
import { Gate } from "../../core/gate/gate.ts";
import type { Policy } from "../../core/gate/policy.ts";
import { compileReadPolicy } from "../../core/gate/policy-text.ts";
import { SchemaStore } from "../../core/gate/schemas.ts";
import { patterns } from "../../core/patterns/re2.ts";
import { waits } from "../../core/waits.ts";
import { readPolicy } from "../jobs/read-policy.ts";
import { JobThread } from "../jobs/job-thread.ts";
import { AGENT_EXECUTOR } from "./close-lost-calls.ts";

export interface PolicyGate {
  readonly gate: AuditedGate<null>;
  /** Of the text of the policy. */
  readonly policyHash: string;
  readonly mode: Policy["mode"];
}

/** That wait to be judged, of all sessions. */
const CALLS_MAX = 256;

export class SessionGates {
  readonly #audit: AuditSink;
  /** Agents send the same tools with each request: their schemas are compiled once. */
  readonly #schemas = new SchemaStore({ patterns });
  readonly #thread: JobThread;

  constructor(audit: AuditSink, thread = new JobThread({ waitingMax: CALLS_MAX, idleMs: waits.idleMs })) {
    this.#audit = audit;
    this.#thread = thread;
  }

  /** By the text of a policy. Throws `INVALID_INPUT` with the first problem and its line. */
  async of(text: string): Promise<PolicyGate> {
    const policy = await policyOf(text);
    const policyHash = createHash("sha256").update(text).digest("hex");
    const gate = new AuditedGate<null>({
      gate: new Gate<null>({ policy, schemas: this.#schemas, continues: true }),
      sink: this.#audit,
      executor: AGENT_EXECUTOR,
      policyHash,
      find: async (request) => (isCheap(request, policy) ? undefined : await this.#findBeside(request, text)),
      outcomeOf: () => null,
    });
    return { gate, policyHash, mode: policy.mode };
  }

  /** A call that cannot be judged in its time is refused. */
  async #findBeside(
    { call, context: { files, ...context }, session, tools }: CommitRequest,
    policy: string,
  ): Promise<CallFinding> {
    try {
      const given = { policy, call, tool: tools.get(call.name), context, seesFiles: files !== undefined };
      return await this.#thread.run("finding", given, session);
    } catch (error) {
      return { reasons: [{ code: "too-costly", message: errorMessage(error), problems: [] }], decision: null };
    }
  }
}

/** With these limits a call takes at most some 20 ms; beside the loop it takes a millisecond more. */
const CHEAP_ARGUMENTS_CHARS_MAX = 256;
const CHEAP_SCHEMA_CHARS_MAX = 16_384;
const CHEAP_RULES_MAX = 400;

/** Whether the event loop may judge a call: regular expressions alone can cost seconds. */
function isCheap({ call, tools }: CommitRequest, { rules }: Policy): boolean {
  if (call.argumentsText.length > CHEAP_ARGUMENTS_CHARS_MAX || rules.length > CHEAP_RULES_MAX) return false;
  if (rules.some((rule) => rule.arguments.some(({ patterns: sources }) => sources !== null))) return false;
  const schema = JSON.stringify(tools.get(call.name)?.schema ?? null);
  return schema.length <= CHEAP_SCHEMA_CHARS_MAX && !/"pattern(?:Properties)?":/.test(schema);
}

async function policyOf(text: string): Promise<Policy> {
  const read = await readPolicy(text);
  const checked = read.ok ? compileReadPolicy(read) : read;
  if (checked.ok) return checked.policy;
  const [problem] = checked.problems;
  const place = problem === undefined ? "" : `, line ${problem.line}: ${problem.message}`;
  throw new LecternError("INVALID_INPUT", `Cannot use the policy${place}; see "lectern policy check FILE"`);
}
