/** The gates of sessions behind the gateway. Loaded with the first one: they bring the readers of policies, with parsers of YAML and of shells. */
import { createHash } from "node:crypto";
import { LecternError } from "../../core/errors.ts";
import { AuditedGate } from "../../core/gate/audited-gate.ts";
import { Gate } from "../../core/gate/gate.ts";
import type { Policy } from "../../core/gate/policy.ts";
import { compileReadPolicy } from "../../core/gate/policy-text.ts";
import { SchemaStore } from "../../core/gate/schemas.ts";
import { patterns } from "../../core/patterns/re2.ts";
import type { AuditStore } from "../audit/audit-store.ts";
import { readPolicy } from "../yaml/read-policy.ts";
import { AGENT_EXECUTOR } from "./close-lost-calls.ts";

export interface PolicyGate {
  readonly gate: AuditedGate<null>;
  /** Of the text of the policy. */
  readonly policyHash: string;
  readonly mode: Policy["mode"];
}

export class SessionGates {
  readonly #audit: AuditStore;
  /** Agents send the same tools with each request: their schemas are compiled once. */
  readonly #schemas = new SchemaStore({ patterns });

  constructor(audit: AuditStore) {
    this.#audit = audit;
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
      outcomeOf: () => null,
    });
    return { gate, policyHash, mode: policy.mode };
  }
}

async function policyOf(text: string): Promise<Policy> {
  const read = await readPolicy(text);
  const checked = read.ok ? compileReadPolicy(read) : read;
  if (checked.ok) return checked.policy;
  const [problem] = checked.problems;
  const place = problem === undefined ? "" : `, line ${problem.line}: ${problem.message}`;
  throw new LecternError("INVALID_INPUT", `Cannot use the policy${place}; see "lectern policy check FILE"`);
}
