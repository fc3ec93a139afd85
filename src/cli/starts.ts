/** Starts the sessions of `lectern run`. */
import type { Session } from "../protocol/session.ts";
import type { CliContext } from "./context.ts";
import type { CreateInput } from "./session-flags.ts";

/** Starts them in their order. If one cannot be started, those before it run, and are named. */
export async function startAll(
  inputs: readonly [CreateInput, ...CreateInput[]],
  context: CliContext,
): Promise<readonly [Session, ...Session[]]> {
  const [first, ...more] = inputs;
  const started: [Session, ...Session[]] = [await context.call("sessions.create", first)];
  noteLeftOut(started[0], context);
  for (const input of more) {
    try {
      started.push(await context.call("sessions.create", input));
    } catch (error) {
      context.note(`lectern: started before that: ${started.map(({ name }) => context.addressOf(name)).join(", ")}`);
      throw error;
    }
  }
  return started;
}

function noteLeftOut({ worktree }: Session, context: CliContext): void {
  if (worktree === null || worktree.leftOut === 0) return;
  const files = worktree.leftOut === 1 ? "1 file with changes" : `${worktree.leftOut} files with changes`;
  context.note(
    context.errorStyle.yellow(
      `The worktree starts at the commit: ${files} of your checkout, not committed, are not in it`,
    ),
  );
}
