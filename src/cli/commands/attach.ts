import { LecternError } from "../../core/errors.ts";
import { defineCommand, shownSessionArgument } from "../command.ts";
import type { CliContext } from "../context.ts";
import { exitCodeOf } from "../../protocol/exit-code.ts";
import { exitText } from "../session-text.ts";
import { defaultDetachKeys, parseDetachKeys } from "../terminal/detach-keys.ts";

/** As after Ctrl-C. */
const GAVE_UP_EXIT_CODE = 130;

export const attach = defineCommand({
  name: "attach",
  summary: "Show a session in this terminal and type into it",
  details: [
    `Detach with ${defaultDetachKeys}; the session keeps running. Several viewers can be attached at once.`,
    "The session gets the size of the terminal that attached or typed last, and its own again when that one leaves.",
    "If the program ends while attached, exits with its exit code.",
    "Without SESSION: the only running session, or a list to choose from.",
  ],
  arguments: [{ ...shownSessionArgument, count: "optional" }],
  options: {
    "read-only": { type: "flag", short: "r", summary: "View without typing or resizing" },
    "detach-keys": {
      type: "text",
      placeholder: "KEYS",
      summary: `Such as ctrl-p,ctrl-q, or none. Default: ${defaultDetachKeys}`,
    },
    "no-resize": { type: "flag", summary: "Type without resizing" },
    from: { type: "number", placeholder: "OFFSET", summary: "Start at this offset" },
  },
  examples: [
    "lectern attach build",
    "lectern attach",
    "lectern attach --read-only web",
    "lectern attach --detach-keys ctrl-p,ctrl-q web",
  ],
  async run({ arguments: { session: given }, options }, context) {
    const detachKeys = options["detach-keys"] ?? defaultDetachKeys;
    parseDetachKeys(detachKeys);
    const reference = given ?? (await (await import("../pick-session.ts")).pickSession(context));
    if (reference === undefined) return GAVE_UP_EXIT_CODE;
    const client = await context.client();
    const session = await client.call("sessions.get", { session: reference }, { signal: context.signal });
    if (session.exit !== null) {
      const next = `read it with "lectern logs ${session.name}"`;
      throw new LecternError(
        "SESSION_ENDED",
        `Cannot attach to "${session.name}": it ${exitText(session.exit)}; ${next}`,
      );
    }
    // The daemon refuses every circle of sessions; where the kernel does not name its callers, this is the one that can be seen.
    if (context.environment["LECTERN_SESSION"] === session.id) {
      const next = `attach in a terminal outside Lectern, or use "lectern screen ${session.name}"`;
      throw new LecternError(
        "CONFLICT",
        `Cannot attach to "${session.name}": this terminal is inside it and would show itself; ${next}`,
      );
    }
    requireTerminal(session.name, options["read-only"], context);
    const { viewSession } = await import("../terminal/attached-session.ts");
    const end = await viewSession(
      client,
      {
        session: session.id,
        from: options.from,
        readOnly: options["read-only"],
        detachKeys,
        takesSize: !options["no-resize"],
        endOfInput: false,
      },
      context,
    );
    const address = context.addressOf(session.name);
    context.note(end.reason === "exit" ? `[${address} ${exitText(end.exit)}]` : `[detached from ${address}]`);
    return end.reason === "exit" ? exitCodeOf(end.exit) : 0;
  },
});

/** Viewing needs a terminal as output, typing also as input: a file or a pipe would get escape sequences without end. */
function requireTerminal(name: string, isReadOnly: boolean, { stdin, stdout }: CliContext): void {
  if (stdout.isTTY && (isReadOnly || stdin.isTTY)) return;
  const stream = stdout.isTTY ? "input" : "output";
  throw new LecternError(
    "USAGE",
    `Cannot attach to "${name}": standard ${stream} is not a terminal; use "lectern screen ${name}", ` +
      `read with "lectern logs -f ${name}", type with "lectern send ${name} TEXT --enter"`,
  );
}
