/** A session by the beginning of its name, for commands that only show it. */
import { LecternError } from "../core/errors.ts";
import type { Session } from "../protocol/session.ts";
import type { ArgumentSpec, Command, CommandInput, OptionSpecs } from "./command.ts";
import type { CliContext } from "./context.ts";

const NAMES_SHOWN_MAX = 5;
type Input = CommandInput<OptionSpecs, readonly ArgumentSpec[]>;

/**
 * The only session whose name begins so, of those that run before those that have ended, as for a whole name; undefined if there is none.
 * Throws `CONFLICT` with the names if there are several.
 */
export function sessionBeginning<Given extends Pick<Session, "id" | "name" | "state">>(
  beginning: string,
  sessions: readonly Given[],
): Given | undefined {
  const begun = sessions.filter(({ name }) => name.startsWith(beginning));
  const live = begun.filter(({ state }) => state === "starting" || state === "running");
  const found = live.length > 0 ? live : begun;
  const names = [...new Set(found.map(({ name }) => name))];
  // Of ended sessions of the same name the newest one is meant, which is the first.
  if (names.length <= 1) return found[0];
  throw new LecternError(
    "CONFLICT",
    `"${beginning}" is the beginning of ${names.length} names: ${listNames(names)}; type more of it`,
  );
}

/** At most five. */
export function listNames(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN_MAX;
  return [...names.slice(0, NAMES_SHOWN_MAX), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** The input with the session that its beginning means, after the command has failed with `error`; undefined if there is none. */
export async function withWholeName(
  command: Command,
  input: Input,
  error: unknown,
  context: CliContext,
): Promise<Input | undefined> {
  const spec = command.arguments.find(({ takesBeginning }) => takesBeginning === true);
  const given = spec === undefined ? undefined : (input.arguments as Readonly<Record<string, unknown>>)[spec.name];
  const isMissing = error instanceof LecternError && error.code === "SESSION_NOT_FOUND";
  if (!isMissing || spec === undefined || typeof given !== "string") return undefined;
  const { sessions } = await context.call("sessions.list", {});
  const found = sessionBeginning(given, sessions);
  if (found === undefined) return undefined;
  context.note(`[lectern: "${given}" is session "${found.name}"]`);
  return { ...input, arguments: { ...input.arguments, [spec.name]: found.id } };
}
