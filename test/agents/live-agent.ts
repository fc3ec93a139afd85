/** A real agent in a real daemon, with the scripted model on loopback as its model, and nothing between them. */
import type { ChatMessage, MessageRole } from "../../src/core/chat/message.ts";
import type { Receipt } from "../../src/core/acting/receipt.ts";
import type { SessionStatus, StatusState } from "../../src/core/status/status.ts";
import type { InputOf, OutputOf } from "../../src/protocol/operations.ts";
import type { Scenario } from "../support/scripted-model/scenario.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { AgentHome } from "./agent-home.ts";
import type { InstalledAgent } from "./installed-agents.ts";

const AGENT_MS_MAX = 180_000;

export interface LiveAgentOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** The upstream servers of its gateway, from the address of the model; default: no gateway. */
  /** Default: one without a configuration. */
  readonly daemon?: () => Promise<TemporaryDaemon>;
  /** Default: the words that `AgentHome` has for a terminal. */
  readonly words?: (words: [string, ...string[]]) => [string, ...string[]];
  readonly wire?: ((url: string) => NonNullable<InputOf<"sessions.create">["wire"]>) | undefined;
}

type OpenApproval = OutputOf<"approvals.list">["approvals"][number];

interface Turn {
  readonly receipt: Receipt;
  /** From the last byte of the answer to the status that says so; null where it was not measured. */
  readonly waitingMs: number | null;
}

export class LiveAgent implements AsyncDisposable {
  readonly daemon: TemporaryDaemon;
  readonly model: ScriptedModel;
  readonly home: AgentHome;
  readonly version: string;
  /** Id of its session. */
  readonly session: string;

  private constructor(parts: Pick<LiveAgent, "daemon" | "model" | "home" | "version" | "session">) {
    ({ daemon: this.daemon, model: this.model, home: this.home } = parts);
    ({ version: this.version, session: this.session } = parts);
  }

  static async start(
    agent: InstalledAgent,
    scenario: Scenario,
    {
      columns = 100,
      daemon: startDaemon = async () => await TemporaryDaemon.start(),
      rows = 30,
      wire,
      words = (usual) => usual,
    }: LiveAgentOptions = {},
  ): Promise<LiveAgent> {
    await using parts = new AsyncDisposableStack();
    const model = parts.use(await ScriptedModel.start({ aside: "A title", ...scenario }));
    const home = parts.use(new AgentHome(agent, wire === undefined ? model.url : undefined));
    const daemon = parts.use(await startDaemon());
    const { id: session } = await daemon.run(words(home.interactive()), {
      environment: home.environment(),
      workingDirectory: home.workingDirectory,
      columns,
      rows,
      wire: wire?.(model.url),
    });
    const live = new LiveAgent({ daemon, model, home, version: agent.version, session });
    await live.until("waiting");
    parts.move();
    return live;
  }

  /** The receipt when the prompt is done or failed, whatever is asked and answered in between. */
  async prompt(text: string, how: { readonly literal?: boolean } = {}): Promise<Receipt> {
    const { session } = this;
    let receipt = await this.daemon.call("sessions.prompt", { session, text, waitMs: AGENT_MS_MAX, ...how });
    for (const deadline = performance.now() + AGENT_MS_MAX; receipt.asks !== null && performance.now() < deadline;) {
      await this.daemon.call("approvals.list", { session, waitMs: 500 });
      receipt = await this.daemon.call("sessions.receipt", { session, key: receipt.key, waitMs: AGENT_MS_MAX });
    }
    return receipt;
  }

  /** One prompt, followed by the status; `restart` takes the daemon away in the middle and measures nothing. */
  async turn(text: string, { restart }: { readonly restart: boolean }): Promise<Turn> {
    const { daemon, model, session } = this;
    const { key } = await daemon.call("sessions.prompt", { session, text });
    await this.until("working");
    if (restart) {
      await daemon.restart();
    }
    await this.until("waiting", "idle");
    const waitingMs = restart || model.lastByteMs === null ? null : performance.now() - model.lastByteMs;
    const receipt = await daemon.call("sessions.receipt", { session, key, waitMs: AGENT_MS_MAX });
    return { receipt, waitingMs };
  }

  /** Resolves when the status is one of these. */
  async until(...states: StatusState[]): Promise<void> {
    const { session } = this;
    const { reason } = await this.daemon.call("sessions.wait", {
      session,
      for: { type: "status", states },
      timeoutMs: AGENT_MS_MAX,
    });
    if (reason !== "status")
      throw new Error(
        `it did not become ${states.join(" or ")}: ${JSON.stringify(await this.status())}\n${await this.screen()}`,
      );
  }

  async status(): Promise<SessionStatus | null> {
    return (await this.daemon.call("sessions.status", { session: this.session })).status;
  }

  /** The question about this, and how long after its first bytes it is known; some draw their dialogs in pieces. */
  async asked(about: string): Promise<{ approval: OpenApproval; visibleMs: number }> {
    for (const deadline = performance.now() + AGENT_MS_MAX; ;) {
      const { approvals, version } = await this.daemon.call("approvals.list", { session: this.session });
      const approval = approvals.find(({ details }) => details.includes(about));
      if (approval !== undefined) return { approval, visibleMs: Date.now() - approval.timeUs / 1000 };
      if (performance.now() > deadline) throw new Error(`no question about ${about} came:\n${await this.screen()}`);
      await this.daemon.call("approvals.list", { session: this.session, version, waitMs: 1000 });
    }
  }

  async answer({ id, digest }: Pick<OpenApproval, "id" | "digest">, option: string): Promise<void> {
    await this.daemon.call("approvals.answer", { session: this.session, approval: id, option, digest, by: "anna" });
  }

  async messages(...roles: MessageRole[]): Promise<ChatMessage[]> {
    const { session } = this;
    const { messages } = await this.daemon.call("sessions.messages", {
      session,
      ...(roles.length > 0 && { roles }),
    });
    return messages;
  }

  /** The messages when none of them grows any more: some agents say that they wait before they have drawn their last words. */
  async wholeMessages(...roles: MessageRole[]): Promise<ChatMessage[]> {
    for (const deadline = performance.now() + AGENT_MS_MAX; ;) {
      const messages = await this.messages(...roles);
      if (messages.every(({ isPartial }) => !isPartial)) return messages;
      if (performance.now() > deadline) throw new Error(`a message still grows:\n${await this.screen()}`);
      await this.daemon.call("approvals.list", { session: this.session, waitMs: 1000 });
    }
  }

  async screen(): Promise<string> {
    return (await this.daemon.call("sessions.screen", { session: this.session })).text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon.call("sessions.kill", { session: this.session, graceMs: 0 }).catch(() => undefined);
    await this.daemon[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    this.home[Symbol.dispose]();
  }
}
