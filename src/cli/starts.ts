/** `--worktree`, `--base`, `--count` and `--prompt` of `lectern run`: what each of the sessions starts with. */
import { LecternError } from "../core/errors.ts";
import type { InputOf } from "../protocol/operations.ts";
import type { Session } from "../protocol/session.ts";
import type { CliContext } from "./context.ts";

type CreateInput = InputOf<"sessions.create">;
type Start = Pick<CreateInput, "name" | "worktree" | "prompt">;

interface StartOptions {
  readonly name: string | undefined;
  readonly worktree: string | undefined;
  readonly base: string | undefined;
  readonly count: number | undefined;
  readonly prompt: string | undefined;
}

const PROMPT_BYTES_MAX = 262_144;

/** One for each session. Throws `USAGE`. */
export async function startsOf(options: StartOptions, context: CliContext): Promise<readonly [Start, ...Start[]]> {
  const { worktree: name, base, count } = options;
  if (name === undefined && (base !== undefined || count !== undefined))
    throw new LecternError("USAGE", "Cannot use --base or --count without --worktree NAME");
  const prompt = await promptOf(options.prompt, context);
  if (name === undefined) return [{ name: options.name, prompt }];
  if (count === undefined) return [{ name: options.name, prompt, worktree: { name, base } }];
  const nth = (number: number): Start => ({
    name: options.name === undefined ? undefined : `${options.name}-${number}`,
    prompt,
    worktree: { name: `${name}-${number}`, base, group: name },
  });
  return [nth(1), ...Array.from({ length: count - 1 }, (_, index) => nth(index + 2))];
}

async function promptOf(text: string | undefined, context: CliContext): Promise<string | undefined> {
  if (text !== "-") return text;
  const { readInput } = await import("./standard-input.ts");
  return (await readInput(context, "a prompt", PROMPT_BYTES_MAX)).replace(/\r?\n$/, "");
}

/** Starts them in their order. If one cannot be started, those before it run, and are named. */
export async function startAll(
  input: CreateInput,
  starts: readonly [Start, ...Start[]],
  context: CliContext,
): Promise<readonly [Session, ...Session[]]> {
  const [first, ...more] = starts;
  const started: [Session, ...Session[]] = [await context.call("sessions.create", { ...input, ...first })];
  noteLeftOut(started[0], context);
  for (const start of more) {
    try {
      started.push(await context.call("sessions.create", { ...input, ...start }));
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
