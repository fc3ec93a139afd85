/** Calls an operation for each named session; a failure does not stop the others. */
import { LecternError, errorTable } from "../core/errors.ts";
import { toLecternError, toProblem } from "../protocol/errors.ts";
import type { CliContext } from "./context.ts";
import { escapeForDisplay } from "../core/text/escape.ts";

/** Prints each result as a line of JSON, or the name of each session. Returns the exit code of the first failure. */
export async function forEachSession(
  asked: { readonly sessions: readonly string[]; readonly json: boolean; readonly context: CliContext },
  act: (session: string) => Promise<unknown>,
): Promise<number> {
  const { json, context } = asked;
  let exitCode = 0;
  for (const session of asked.sessions) {
    try {
      const answer = await act(session);
      await context.print(json ? JSON.stringify(answer) : escapeForDisplay(session));
    } catch (thrown) {
      if (context.signal.aborted || !(thrown instanceof LecternError)) throw thrown;
      const error = toLecternError(thrown);
      context.note(json ? JSON.stringify(toProblem(error)) : `lectern: ${escapeForDisplay(error.message)}`);
      exitCode ||= errorTable[error.code].exitCode;
    }
  }
  return exitCode;
}
