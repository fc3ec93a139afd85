/** Starts the agents of ended sessions again, each with its own conversation. */
import { displayCommand } from "../../../core/text/command-line.ts";
import { escapeForDisplay } from "../../../core/text/escape.ts";
import { LecternError, errorTable } from "../../../core/errors.ts";
import { exitCodeOf } from "../../../protocol/exit-code.ts";
import { toLecternError } from "../../../protocol/errors.ts";
import type { ResumePlan } from "../protocol/resume-plan-schema.ts";
import type { Session } from "../../../protocol/session.ts";
import { formatTable } from "../../../cli/columns.ts";
import { defineCommand, jsonOption, sessionArgument } from "../../../cli/command.ts";
import { startPlaceOf, type CliContext } from "../../../cli/context.ts";

import { defaultDetachKeys } from "../../../cli/terminal/detach-keys.ts";

export const resume = defineCommand({
  name: "resume",
  reachesHosts: true,
  summary: "Start an ended agent again with its own conversation",
  details: [
    "The new session has the directory, options, policy, labels and name of the old one, and the environment of this shell.",
    "Without a session, lists what can be resumed. --all does it for each, without attaching.",
  ],
  arguments: [{ ...sessionArgument, count: "optional" }],
  options: {
    all: { type: "flag", short: "a", summary: "Each session in the list" },
    lost: { type: "flag", summary: "Only sessions whose end was not observed, as after a restart of the machine" },
    "dry-run": { type: "flag", short: "n", summary: "Show what would be done" },
    restart: { type: "flag", summary: "Run programs without a conversation, such as shells, again by their command" },
    conversation: {
      type: "text",
      placeholder: "ID",
      summary: "The conversation, as the agent names it; default: the one that is known",
    },
    name: { type: "text", placeholder: "NAME", summary: "Name of the new session; default: that of the old one" },
    detach: { type: "flag", short: "d", summary: "Print the name of the new session instead of attaching" },
    json: jsonOption,
  },
  examples: [
    "lectern resume",
    "lectern resume claude",
    "lectern resume --all --lost --dry-run",
    "lectern resume --all --lost",
  ],
  async run({ arguments: { session }, options }, context) {
    const { all, conversation, lost, name, restart } = options;
    if (session !== undefined && (all || lost))
      throw new LecternError("USAGE", "Cannot combine a session with --all or --lost");
    if (session === undefined && (conversation !== undefined || name !== undefined))
      throw new LecternError("USAGE", "Cannot use --conversation or --name without a session");
    if (session === undefined) {
      const plans = await plansOf({ lost, restart }, context);
      return all && !options["dry-run"]
        ? await resumeAll(plans, options, context)
        : await list(plans, options, context);
    }
    if (options["dry-run"]) {
      const { id } = await context.call("sessions.get", { session });
      const plans = await plansOf({ lost: false, restart }, context);
      return await list(
        plans.filter((plan) => plan.session === id),
        options,
        context,
      );
    }
    const resumed = await resumeOne({ session, conversation, name, restart }, context);
    return options.detach || options.json || !context.stdout.isTTY
      ? await printed(resumed, options, context)
      : await attached(resumed, context);
  },
});

interface Wanted {
  readonly session: string;
  readonly conversation?: string | undefined;
  readonly name?: string | undefined;
  readonly restart: boolean;
}

async function resumeOne(wanted: Wanted, context: CliContext): Promise<Session> {
  const { environment } = startPlaceOf(context);
  const { columns, rows } = context.stdout;
  const isSized = columns !== undefined && columns > 0 && rows !== undefined && rows > 0;
  return await context.call("sessions.resume", { ...wanted, environment, ...(isSized && { columns, rows }) });
}

async function plansOf(
  wanted: { readonly lost: boolean; readonly restart: boolean },
  context: CliContext,
): Promise<readonly ResumePlan[]> {
  const home = context.host === undefined ? context.environment["HOME"] : undefined;
  return (await context.call("sessions.resumable", { ...wanted, home })).sessions;
}

async function printed(session: Session, { json }: { readonly json: boolean }, context: CliContext): Promise<void> {
  await context.print(json ? JSON.stringify(session) : context.addressOf(session.name));
}

async function attached(session: Session, context: CliContext): Promise<number> {
  const { viewSession } = await import("../../../cli/terminal/attached-session.ts");
  const view = { session: session.id, from: 0, readOnly: false, detachKeys: defaultDetachKeys };
  const end = await viewSession(await context.client(), { ...view, takesSize: true, endOfInput: false }, context);
  if (end.reason === "exit") return exitCodeOf(end.exit);
  context.note(`[detached from ${session.name}: lectern attach ${context.addressOf(session.name)}]`);
  return 0;
}

const nothingText = (lost: boolean): string =>
  lost
    ? 'Nothing to resume: no session was lost; "lectern resume" lists those that have ended'
    : "Nothing to resume: no session has ended without going on in another one";

async function list(
  plans: readonly ResumePlan[],
  { json, lost }: { readonly json: boolean; readonly lost: boolean },
  context: CliContext,
): Promise<void> {
  if (json) return await context.print(JSON.stringify(plans));
  if (plans.length === 0) return context.note(nothingText(lost));
  const rows = plans.map((plan) =>
    [plan.name, plan.session, plan.state, plan.action, whatOf(plan)].map(escapeForDisplay),
  );
  const [head = "", ...lines] = await formatTable([["NAME", "ID", "STATE", "WOULD", "COMMAND, OR WHY NOT"], ...rows], {
    width: context.stdout.columns,
  });
  await context.print([context.style.bold(head), ...lines].join("\n"));
}

const whatOf = ({ command, reason }: ResumePlan): string =>
  command === null ? (reason ?? "") : displayCommand(command);

/** A failure does not stop the others. */
async function resumeAll(
  plans: readonly ResumePlan[],
  { json, lost, restart }: { readonly json: boolean; readonly lost: boolean; readonly restart: boolean },
  context: CliContext,
): Promise<number> {
  let exitCode = 0;
  for (const plan of plans) {
    const result =
      plan.action === "none" ? { plan, session: null, error: plan.reason } : await attempt(plan, restart, context);
    if ("code" in result && result.code !== undefined) exitCode ||= result.code;
    const { error, session } = result;
    if (json) await context.print(JSON.stringify({ plan, session, error }));
    else if (session === null) context.note(escapeForDisplay(`${plan.name} (${plan.session}): ${error ?? ""}`));
    else
      await context.print(
        escapeForDisplay(
          `${plan.name} (${plan.session}): ${session.name} (${session.id}) ${displayCommand(session.command)}`,
        ),
      );
  }
  if (plans.length === 0 && !json) context.note(nothingText(lost));
  return exitCode;
}

async function attempt(
  plan: ResumePlan,
  restart: boolean,
  context: CliContext,
): Promise<{ readonly session: Session | null; readonly error: string | null; readonly code?: number }> {
  try {
    return { session: await resumeOne({ session: plan.session, restart }, context), error: null };
  } catch (thrown) {
    if (context.signal.aborted || !(thrown instanceof LecternError)) throw thrown;
    const error = toLecternError(thrown);
    return { session: null, error: error.message, code: errorTable[error.code].exitCode };
  }
}
