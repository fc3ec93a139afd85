/** Tools that look: output, screen, search. */
import * as z from "zod";
import { HeadTail } from "../../core/bytes/head-tail.ts";
import { joinAddress, splitAddress } from "../../protocol/session-address.ts";
import { defineTool, exitOf, hintField, offsetField, rawField, sessionField } from "./tool.ts";

const SCREEN_BYTES_MAX = 32_768;

const bytesMaxField = z.int().min(256).max(65_536).default(16_384).describe("Maximum bytes of output");

export const read = defineTool({
  name: "read",
  title: "Read output",
  description: [
    "Returns the output of a session as text without escape sequences: the output after `from` (the `next` of an earlier answer), or the end of the output without `from`.",
    "Continue with from: `next` while `more` is true. For a full-screen program (editor, pager, agent) use `screen` instead.",
    "It does not wait: use `wait` for future output.",
  ],
  input: z.strictObject({
    session: sessionField,
    from: offsetField.optional(),
    bytesMax: bytesMaxField,
    raw: rawField,
  }),
  output: z.strictObject({
    from: offsetField,
    next: offsetField.describe("Where to continue reading"),
    more: z.boolean().describe("More output is available"),
    earlier: z.int().describe("Offsets of output before `from` that were not read"),
    missing: z.int().describe("Offsets that were trimmed from the journal or are damaged"),
    tags: z.int().describe("Trusted event tags that were left out of the output; raw: true leaves them in"),
    exit: z.string().nullable().describe("Set if the program has ended"),
    hint: hintField,
    output: z.string(),
  }),
  run: async ({ session, from, bytesMax, raw }, calls) => {
    const view = await calls.call("sessions.get", { session });
    const exit = exitOf(view);
    const page = await calls.call("sessions.logs", { session, from, bytesMax, raw });
    const { text: output, omittedBytes: earlier, trimmedBytes, damagedBytes, ...place } = page;
    const hint = readHint(page.more, page.next, exit);
    return { ...place, earlier, missing: trimmedBytes + damagedBytes, exit, hint, output };
  },
});

function readHint(more: boolean, next: number, exit: string | null): string {
  if (more) return `\`read\` from ${next} for more`;
  return exit === null
    ? `That is all for now: \`wait\` with from: ${next} for more`
    : "That is all: the program has ended";
}

export const screen = defineTool({
  name: "screen",
  title: "Look at the screen",
  description: [
    "Shows the current screen of a session as text: for full-screen programs, menus, editors and other agents, and to see why a program is stuck.",
    "The cursor position is counted from 0. For the output of commands use `run` or `read`.",
  ],
  input: z.strictObject({
    session: sessionField,
    scrollback: z.boolean().default(false).describe("Include the lines above the screen"),
  }),
  output: z.strictObject({
    columns: z.int(),
    rows: z.int(),
    title: z.string(),
    cursor: z.strictObject({ column: z.int(), row: z.int() }),
    isAlternate: z.boolean().describe("A full-screen program is drawing it"),
    offset: offsetField.describe("The output before it is on the screen"),
    screen: z.string(),
  }),
  run: async (input, calls) => {
    const shown = await calls.call("sessions.screen", input);
    const { column, row } = shown.cursor;
    const title = shown.title.slice(0, 200);
    return { ...shown, title, cursor: { column, row }, screen: boundedText(shown.text, SCREEN_BYTES_MAX) };
  },
});

/** Head and tail of a text that is longer, with a line that says how much is left out. */
function boundedText(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  const kept = new HeadTail({ headBytesMax: bytesMax >> 2, tailBytesMax: bytesMax - (bytesMax >> 2) });
  kept.feed(bytes);
  const { head, tail, omittedBytes } = kept.end();
  return `${Buffer.from(head).toString()}\n[... ${omittedBytes} bytes left out ...]\n${Buffer.from(tail).toString()}`;
}

export const search = defineTool({
  name: "search",
  title: "Search sessions",
  description: [
    "Searches messages, commands and events of all sessions, including ended ones; newest first. Matches are marked with **.",
    "`read` the session from a hit's `offset` to see the context.",
  ],
  needsAllSessions: true,
  input: z.strictObject({
    words: z
      .string()
      .min(1)
      .max(1024)
      .describe(
        'Words that must all be there; "several words" as a phrase, word* as a beginning, OR and NOT between them',
      ),
    session: sessionField.optional(),
    role: z.string().max(32).optional().describe("Such as user, assistant, tool-call, shell"),
    limit: z.int().min(1).max(50).default(10),
  }),
  output: z.strictObject({
    hits: z.array(
      z.strictObject({
        session: z.string(),
        name: z.string(),
        kind: z.string(),
        role: z.string(),
        offset: offsetField,
        time: z.string(),
        snippet: z.string(),
      }),
    ),
  }),
  run: async ({ limit, ...query }, calls) => {
    const { hits } = await calls.call("sessions.search", { ...query, hitsMax: limit });
    const machine = query.session === undefined ? undefined : splitAddress(query.session).machine;
    return {
      hits: hits.map(({ session, name, kind, role, offset, timeUs, snippet }) => ({
        session: joinAddress({ machine, session }),
        name: joinAddress({ machine, session: name }),
        kind,
        role,
        offset,
        time: new Date(timeUs / 1000).toISOString(),
        snippet: snippet.replaceAll(/[\u0002\u0003]/g, "**").slice(0, 500),
      })),
    };
  },
});
