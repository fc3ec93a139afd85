/** Tools that type: a command with its output, or text and keys. */
import * as z from "zod";
import { LecternError } from "../../core/errors.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import { defineTool, exitOf, hintField, offsetField, rawField, sessionField, timeoutField } from "./tool.ts";

type ExecResult = OutputOf<"sessions.exec">;

export const run = defineTool({
  name: "run",
  title: "Run a command",
  description: [
    "Runs a command at the prompt of a session and returns exactly its output, without echo and prompt, and its exit code if the program is a shell.",
    "Works in bash, zsh, fish, python3, node, gdb, sqlite3 and other programs with a prompt.",
    "Long output is truncated to head and tail; `omitted` reports how much is missing, and `read` from `offset` returns all of it.",
    "After a timeout the command keeps running: `wait` for it, or send the key C-c. Nothing is typed (`ran` is false) if the session is not at a prompt.",
  ],
  input: z.strictObject({
    session: sessionField,
    command: z.string().max(131_072).describe("One command as you would type it; several lines are pasted as one"),
    timeoutMs: timeoutField,
    outputBytesMax: z.int().min(256).max(65_536).default(16_384),
    raw: rawField,
    inside: z
      .boolean()
      .default(false)
      .describe("Also type into a foreground program of the session's shell, such as ssh or a REPL"),
  }),
  output: z.strictObject({
    ran: z.boolean(),
    ended: z.boolean().describe("The command has ended, as far as is known"),
    exitCode: z.int().nullable().describe("Null if it has not ended, or the program has no exit codes"),
    exact: z
      .boolean()
      .describe(
        "Cut by the marks of the shell, with nothing left out; otherwise echo and prompt were removed by heuristics",
      ),
    tags: z.int().describe("Trusted event tags that were left out of the output; raw: true leaves them in"),
    reason: z.string().describe("What ended the wait: mark, foreground, quiet, timeout, exit"),
    asks: z.string().nullable().describe("What the program waits for: command, more, line, password, keys"),
    durationMs: z.number(),
    omitted: z
      .strictObject({
        bytes: z.int().describe("Omitted between head and tail"),
        totalBytes: z.int().describe("Bytes of the full output, as the terminal sent them"),
        sha256: z.string().describe("Of the full output"),
        kept: z.boolean().describe("`lectern blob SHA256` prints them"),
      })
      .nullable(),
    exit: z.string().nullable().describe("Set if the program of the session has ended"),
    offset: offsetField.describe("Offset of the command in the journal"),
    next: offsetField.describe("Offset to continue with `read`"),
    hint: hintField,
    output: z.string(),
  }),
  run: async (input, calls) => {
    const result = await calls.call("sessions.exec", input);
    const durationMs = Math.round(result.durationMs);
    return { ...result, durationMs, exit: exitOf(result.session), hint: runHint(result) };
  },
});

function runHint({ ran, ended, reason, asks, program, omitted, offset, next, session }: ExecResult): string {
  const who = program ?? "the program";
  if (session.exit !== null || reason === "exit") return "The session has ended: `open` another one to go on";
  if (asks === "password")
    return `${who} asks for a password: ask your user, then \`send\` it with secret: true and enter: true, and \`wait\` with for: ready`;
  if (!ran && reason === "timeout")
    return "Nothing was typed: something else runs. `wait` with for: ready, look at the `screen`, or `send` the key C-c";
  if (!ran)
    return `Nothing was typed: ${who} is not at its prompt, or stands in front of the shell. Look at the \`screen\`, and \`send\` an answer or keys; inside: true types at the prompt of a program in front of the shell`;
  if (asks === "more" && reason !== "mark")
    return "The command is not complete: `send` the rest with enter: true, or the key C-c to give it up";
  if (asks === "more")
    return "The command was not complete, such as an open quote, and was cancelled: correct it and run it again";
  if (ended && omitted !== null) return `The middle is left out: \`read\` from ${offset} gives all of it, page by page`;
  if (ended) return "Done";
  if (reason === "timeout")
    return `The command still runs: \`wait\` with for: ready and from: ${next} gives the rest, or \`send\` the key C-c to stop it`;
  return `${who} asks for ${asks ?? "something"}: \`send\` an answer, then \`wait\` with for: ready and from: ${next}`;
}

export const send = defineTool({
  name: "send",
  title: "Type text or press keys",
  description: [
    "Types text, or presses keys by name, into whatever runs in a session: an answer to a question, a menu, an editor, a prompt of another agent.",
    "For a command at a prompt use `run`: it gives the output. `send` only types: then `wait` or `read` with from: `next` to see the result.",
  ],
  input: z.strictObject({
    session: sessionField,
    text: z.string().max(262_144).optional(),
    enter: z.boolean().default(false).describe("Press Enter after the text"),
    paste: z.boolean().default(false).describe("Several lines as one paste, for editors and agents"),
    secret: z.boolean().default(false).describe("A password: recorded masked"),
    keys: z
      .array(z.string().min(1).max(64))
      .min(1)
      .max(64)
      .optional()
      .describe('Instead of text: ["C-c"], ["Up", "Enter"], ["Escape"], ["Tab"]'),
    key: z.string().min(1).max(256).optional().describe("Idempotency key: text with the same key is typed only once"),
  }),
  output: z.strictObject({
    offset: offsetField.describe("Offset of the input in the journal"),
    next: offsetField.describe("Output in reply comes after this offset"),
    already: z.boolean().describe("Input with this key was typed before and is not repeated"),
    hint: hintField,
  }),
  run: async ({ session, text, keys, enter, ...rest }, calls) => {
    if ((text === undefined && !enter) === (keys === undefined))
      throw new LecternError("INVALID_INPUT", "Cannot type this: give either text (or enter) or keys");
    const written =
      keys === undefined
        ? await calls.call("sessions.input", { session, text: text ?? "", enter, ...rest })
        : await calls.call("sessions.keys", { session, keys });
    const hint = `\`wait\` with for: ready (or quiet, output, status) and from: ${written.next}, or look at the \`screen\``;
    return { ...written, already: "already" in written, hint };
  },
});
