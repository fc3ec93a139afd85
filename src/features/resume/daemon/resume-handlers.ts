/** Sessions that have ended go on: the agent is started again with its own conversation, in a new session. */
import type { LearnedConversation } from "../../../core/conversations/conversation-fold.ts";
import type { Agent } from "../../../core/agents/agent.ts";
import { LecternError } from "../../../core/errors.ts";
import { waits } from "../../../core/waits.ts";
import type { ParsedInputOf } from "../../../protocol/operations.ts";
import type { ResumePlan } from "../protocol/resume-plan-schema.ts";
import type { Session } from "../../../protocol/session.ts";
import { optionsAgain } from "../../../protocol/session-options.ts";
import { conversationsOfEntry, promptsOf } from "./conversations.ts";
import { createSession } from "../../../daemon/parts/create-session.ts";
import { planFor, type DecidedPlan } from "./resume-plan.ts";
import type { Handlers } from "../../../daemon/service.ts";
import { endPrograms } from "../../../daemon/sessions/end-programs.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import { currentOptions } from "../../../daemon/store/stored-session.ts";
import type { Daemon } from "../../../daemon/operations/context.ts";

/** The newest; older ones are resumed by name. */
const PLANS_MAX = 500;

export function resumeHandlers(daemon: Daemon): Pick<Handlers, "sessions.resume" | "sessions.resumable"> {
  /** Ids of the sessions that are being resumed: until each is linked, a second request would not see it. */
  const resuming = new Set<string>();
  return {
    "sessions.resume": async (input) => {
      const entry = daemon.registry.resolve(input.session);
      const { name } = entry.stored;
      if (resuming.has(entry.id))
        throw new LecternError("CONFLICT", `Session "${name}" is being resumed already: see it with "lectern ls"`);
      resuming.add(entry.id);
      try {
        return await resumeSession(daemon, entry, input);
      } finally {
        resuming.delete(entry.id);
      }
    },
    "sessions.resumable": async ({ lost, restart, home }) => {
      const ended = [...daemon.registry.all]
        .filter((entry) => !entry.live && entry.continuedBy === null && !entry.view.isImported)
        .filter(({ stored }) => !lost || stored.state === "lost")
        .toSorted((one, two) => (one.stored.createdAt < two.stored.createdAt ? 1 : -1));
      const plans: ResumePlan[] = [];
      for (const entry of ended.slice(0, PLANS_MAX)) {
        const { known: _, ...plan } = await planOf(daemon, entry, { restart, home });
        plans.push(plan);
      }
      return { sessions: plans };
    },
  };
}

interface Asked {
  readonly conversation?: string | undefined;
  readonly restart: boolean;
  readonly home?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly isForgotten?: boolean;
}

async function planOf(
  { agents, registry, views }: Daemon,
  entry: SessionEntry,
  { conversation, environment, home, isForgotten, restart }: Asked,
): Promise<DecidedPlan> {
  const variables = { ...(environment ?? process.env), ...(home !== undefined && { HOME: home }) };
  const context = { agents: agents.registry, views, variables, conversation, restart, isForgotten };
  const plan = await planFor(entry, context);
  // Two agents would write one conversation.
  const user = [...registry.all].find(({ live, stored }) => live && isSame(stored.conversation, plan.known));
  if (user === undefined) return plan;
  const reason = `its conversation goes on in session "${user.stored.name}" (${user.id}): attach to that one`;
  return { ...plan, action: "none", conversation: null, command: null, reason, known: null };
}

const isSame = (one: LearnedConversation | undefined, other: LearnedConversation | null): boolean =>
  one !== undefined && one.id === other?.id && one.agent === other.agent;

/** Throws `SESSION_RUNNING`, and `CONFLICT` if it cannot be continued, or if the agent has forgotten. */
async function resumeSession(
  daemon: Daemon,
  entry: SessionEntry,
  input: ParsedInputOf<"sessions.resume">,
): Promise<Session> {
  const { registry } = daemon;
  const { name } = entry.stored;
  if (entry.live)
    throw new LecternError("SESSION_RUNNING", `Session "${name}" is running: see it with "lectern attach ${name}"`);
  const next = entry.continuedBy === null ? undefined : registry.get(entry.continuedBy);
  if (next?.live === true)
    throw new LecternError(
      "CONFLICT",
      `Session "${name}" (${entry.id}) continues in session "${next.stored.name}" (${next.id}): attach to that one`,
    );
  const plan = await planOf(daemon, entry, input);
  try {
    return await startPlanned(daemon, entry, { input, plan });
  } catch (error) {
    if (!input.restart || !(error instanceof ForgottenError)) throw error;
    const anew = await planOf(daemon, entry, { ...input, isForgotten: true });
    return await startPlanned(daemon, entry, { input, plan: anew });
  }
}

/** The agent does not know the conversation, and its session was ended. */
class ForgottenError extends LecternError {}

interface Planned {
  readonly input: ParsedInputOf<"sessions.resume">;
  readonly plan: DecidedPlan;
}

async function startPlanned(daemon: Daemon, entry: SessionEntry, { input, plan }: Planned): Promise<Session> {
  const { registry } = daemon;
  const { name, parent, sandbox, worktree } = entry.stored;
  if (plan.action === "none" || plan.command === null)
    throw new LecternError("CONFLICT", `Cannot resume "${name}": ${plan.reason}`, {
      details: { candidates: plan.candidates },
    });
  const options = optionsAgain(currentOptions(entry.stored));
  if (options.wire === undefined && entry.view.gate !== null)
    throw new LecternError(
      "CONFLICT",
      `Cannot resume "${name}": it ran with --wire under an earlier Lectern, which did not keep its settings; start it with "lectern run --wire"`,
    );
  const [program = "", ...words] = plan.command;
  const created = await createSession(
    daemon,
    {
      ...options,
      // It got that of its policy or of the session that it was started from.
      ...(sandbox !== undefined && { sandbox: options.sandbox ?? { profile: sandbox.profile, optional: false } }),
      parent,
      command: [program, ...words],
      name: input.name ?? registry.freeNameFor([name]),
      environment: input.environment,
      columns: input.columns ?? options.columns,
      rows: input.rows ?? options.rows,
    },
    {
      continues: entry.id,
      ...(plan.known !== null && { conversation: plan.known }),
      ...(worktree !== undefined && { worktree }),
    },
  );
  const resumed = registry.get(created.id);
  if (resumed === undefined || plan.known === null) return created;
  await requireContinued(daemon, resumed, plan);
  return resumed.view;
}

/** Waits until it shows what it does. One that ends at once, or is in another conversation, has forgotten: it is not left as one that works. */
async function requireContinued(daemon: Daemon, entry: SessionEntry, { conversation }: DecidedPlan): Promise<void> {
  const { agents, registry, views } = daemon;
  const agent = agents.registry.named(entry.stored.agent);
  await untilShown(entry);
  if (agent?.conversation?.said !== undefined) await untilConversationShown(entry, views);
  const isAstray = entry.live && agent !== undefined && (await isIn(agent, entry, daemon)) !== conversation;
  const text = entry.live ? "" : await views.use(entry, async (of) => (await of.view.text()).text);
  const isForgotten = isAstray || agent?.conversation?.forgotten?.test(text) === true;
  const hasFailed = isForgotten || (!entry.live && entry.stored.exit?.code !== 0);
  if (!hasFailed) return;
  if (entry.live) await endPrograms(entry, waits.graceMs);
  const { continues, conversation: _, ...stored } = entry.stored;
  entry.stored = stored;
  registry.unlink(continues);
  await registry.save(entry);
  const last = text.trim().split("\n").at(-1)?.trim() ?? "";
  const why = isForgotten ? "its agent has forgotten the conversation" : "its agent ended at once, in the conversation";
  throw new (isForgotten ? ForgottenError : LecternError)(
    "CONFLICT",
    `Cannot resume "${entry.stored.name}": ${why} ${conversation}${last === "" ? "" : ` (${last.slice(0, 200)})`}; start anew with "lectern resume --restart", or see "lectern logs ${entry.id}"`,
    { details: { session: entry.id, conversation } },
  );
}

async function untilShown(entry: SessionEntry): Promise<void> {
  const isShown = (): boolean =>
    !entry.live || (entry.status !== null && !["starting", "unknown"].includes(entry.status.state));
  const deadline = performance.now() + waits.startMs;
  while (!isShown() && performance.now() < deadline) await entry.untilEnd(AbortSignal.timeout(waits.checkMs));
}

/** Gemini CLI has its box on the screen before it has read its conversation, and what is said to it then is said in an empty one. */
async function untilConversationShown(entry: SessionEntry, views: Daemon["views"]): Promise<void> {
  for (const deadline = performance.now() + waits.startMs; entry.live && performance.now() < deadline;) {
    const isAsked = entry.status?.state === "blocked";
    if (isAsked || (await promptsOf(entry, views)).length > 0) return;
    await entry.untilEnd(AbortSignal.timeout(waits.checkMs));
  }
}

/** The conversation that a process shows, or the one that it was started with if none shows one yet. */
async function isIn(agent: Agent, entry: SessionEntry, { views }: Daemon): Promise<string | undefined> {
  const expected = entry.stored.conversation?.id;
  if (agent.conversation?.process === undefined && agent.conversation?.open === null) return expected;
  for (const deadline = performance.now() + waits.partMs; entry.live && performance.now() < deadline;) {
    const found = await conversationsOfEntry(agent, entry, { views, variables: process.env });
    if (found.length > 0) return found.find(({ id }) => id === expected)?.id ?? found[0]?.id;
    await entry.untilEnd(AbortSignal.timeout(waits.checkMs));
  }
  return expected;
}
