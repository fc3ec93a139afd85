/** The session of a command that was given none. */
import { LecternError } from "../core/errors.ts";
import { displayCommand } from "../core/text/command-line.ts";
import { escapeForDisplay } from "../core/text/escape.ts";
import type { CliContext } from "./context.ts";
import { formatColumns } from "./columns.ts";
import { listNames } from "./name-beginning.ts";
import { byNeed } from "./overview.ts";

/**
 * The only running session, else the one that the user chooses on the terminal; undefined if the user chooses none. The session around this
 * command is not among them. Throws `SESSION_NOT_FOUND` if none runs, `USAGE` without a terminal to choose on.
 */
export async function pickSession(context: CliContext): Promise<string | undefined> {
  const { sessions } = await context.call("sessions.list", { state: "running" });
  const running = byNeed(sessions.filter(({ id }) => id !== context.environment["LECTERN_SESSION"]));
  const [first, second] = running;
  if (first === undefined) {
    throw new LecternError(
      "SESSION_NOT_FOUND",
      'Cannot attach: no session is running; start one with "lectern run -- bash"',
    );
  }
  if (second === undefined) return first.id;
  if (!context.stdin.isTTY || !context.stdout.isTTY) {
    const names = listNames(running.map(({ name }) => name));
    throw new LecternError("USAGE", `Missing argument SESSION: ${running.length} sessions are running: ${names}`);
  }
  const labels = formatColumns(
    running.map(({ command, name, status }) => [name, status?.state ?? "-", escapeForDisplay(displayCommand(command))]),
  );
  const choices = running.map(({ id }, index) => ({ value: id, label: labels[index] ?? "" }));
  const { choose } = await import("./terminal/chooser.ts");
  return choose("Attach to (type to narrow, arrows, Enter; Esc ends):", choices, context);
}
