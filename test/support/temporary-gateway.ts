/** A gateway with one session in front of any model server; journal and audit log are lists in memory. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInAgents } from "../../src/core/agents/built-in-agents.ts";
import type { AuditRow } from "../../src/core/gate/audit-chain.ts";
import { AuditedGate, type AuditSink } from "../../src/core/gate/audited-gate.ts";
import { Gate } from "../../src/core/gate/gate.ts";
import { checkPolicyText } from "../../src/core/gate/policy-text.ts";
import type { NetworkProxy } from "../../src/daemon/gateway/network-proxy.ts";
import { QuestionList } from "../../src/daemon/approvals/question-list.ts";
import { Gateway } from "../../src/daemon/gateway/gateway.ts";
import type { PassOptions } from "../../src/daemon/gateway/pass-stream.ts";
import type { WireRoute } from "../../src/core/agents/agent-file.ts";
import type { UpstreamLoad, UpstreamOptions } from "../../src/daemon/gateway/upstream.ts";
import { freshSecret, secretHashOf } from "../../src/daemon/gateway/wire-secret.ts";
import type { SessionEvent } from "../../src/core/records.ts";

export interface TemporaryGatewayOptions {
  readonly policy?: string;
  readonly upstreams?: Partial<Record<WireRoute, string>>;
  readonly pass?: PassOptions;
  readonly upstream?: UpstreamOptions;
  readonly approvalMs?: number;
  readonly proxy?: NetworkProxy;
  readonly textCalls?: readonly string[];
}

export const allowAll = "version: 1\ndefault: allow\nopaque: allow\n";

export class TemporaryGateway implements AsyncDisposable {
  readonly marks: SessionEvent[] = [];
  readonly rows: AuditRow[] = [];
  readonly errors: unknown[] = [];
  readonly approvals = new QuestionList();
  readonly secret = freshSecret();
  readonly #directory = mkdtempSync(join(tmpdir(), "lectern-gateway-"));
  readonly #gateway: Gateway;
  #origin = "";
  isLive = true;
  /** Set to let the audit log fail. */
  auditFails = false;
  /** Until it has resolved no mark counts as written. */
  written = Promise.resolve();
  #marked = Promise.withResolvers<void>();

  private constructor(url: string, options: TemporaryGatewayOptions) {
    const checked = checkPolicyText(options.policy ?? allowAll);
    if (!checked.ok) throw new Error(checked.problems.map(({ message }) => message).join("; "));
    this.#gateway = new Gateway({
      stateFile: join(this.#directory, "gateway.json"),
      onError: (error) => this.errors.push(error),
      ...(options.upstream && { upstreams: options.upstream }),
    });
    const sink: AuditSink = {
      append: async (rows) => {
        if (this.auditFails) throw new Error("the disk is full");
        this.rows.push(...rows);
      },
      find: async () => undefined,
    };
    this.#gateway.add({
      secretHash: secretHashOf(this.secret),
      session: "s1",
      agent: "claude",
      agentRules: () => builtInAgents.named("claude"),
      isLive: () => this.isLive,
      gate: new AuditedGate<null>({
        gate: new Gate<null>({ policy: checked.policy }),
        sink,
        executor: "agent",
        policyHash: null,
        outcomeOf: () => null,
      }),
      approvals: this.approvals,
      approvalMs: options.approvalMs ?? 60_000,
      context: () => ({ workingDirectory: "/project", home: "/home-of-agent", labels: [] }),
      mark: async (event) => {
        this.marks.push(event);
        this.#marked.resolve();
        this.#marked = Promise.withResolvers();
        await this.written;
        return this.marks.length;
      },
      upstreams: {
        anthropic: url,
        openai: `${url}/v1`,
        gemini: url,
        "code-assist": url,
        ...options.upstreams,
      },
      proxy: options.proxy ?? null,
      ...(options.pass && { pass: options.pass }),
      textCalls: () => options.textCalls ?? [],
    });
  }

  static async start(url: string, options: TemporaryGatewayOptions = {}): Promise<TemporaryGateway> {
    const gateway = new TemporaryGateway(url, options);
    gateway.#origin = await gateway.#gateway.origin();
    return gateway;
  }

  get load(): UpstreamLoad {
    return this.#gateway.load;
  }

  get origin(): string {
    return this.#origin;
  }

  url(route: WireRoute): string {
    return `${this.#origin}/wire/${this.secret}/${route}`;
  }

  /** Resolves with the first event of this kind, also with one that came before. */
  async mark<Type extends SessionEvent["type"]>(type: Type): Promise<Extract<SessionEvent, { readonly type: Type }>> {
    for (;;) {
      const found = this.marks.find((event) => event.type === type);
      if (found !== undefined) return found as Extract<SessionEvent, { readonly type: Type }>;
      await this.#marked.promise;
    }
  }

  /** As after the end of its program. */
  async endSession(): Promise<void> {
    this.isLive = false;
    await this.#gateway.end("s1");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway[Symbol.asyncDispose]();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
