/**
 * A session on the viewer's terminal, from attach to detach or exit. Two streams that know nothing of each other: the
 * session's items go to the terminal, what is typed goes to the session.
 */
import type { Attachment, AttachmentItem } from "../../client/attachment.ts";
import type { LecternClient } from "../../client/client.ts";
import { LecternError } from "../../core/errors.ts";
import type { ExitStatus } from "../../protocol/records.ts";
import { withDaemon } from "../ask-again.ts";
import type { CliContext } from "../context.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { DetachKeys, parseDetachKeys } from "./detach-keys.ts";
import { PipelinedInput } from "./pipelined-input.ts";
import { RawTerminal } from "./raw-terminal.ts";

export interface ViewOptions {
  readonly session: string;
  readonly from?: number | undefined;
  readonly readOnly: boolean;
  readonly detachKeys: string;
  /** Give the session the size of this terminal. */
  readonly follow: boolean;
  /** Where standard input is no terminal: press Ctrl-D at its end, as script(1) does. */
  readonly endOfInput: boolean;
}

export type ViewEnd = { readonly reason: "exit"; readonly exit: ExitStatus } | { readonly reason: "detached" };

/** What a screen is drawn on: modes, margins and styles as after a reset (DECSTR), nothing shown. */
const CLEARED = "\u001B[!p\u001B[H\u001B[2J";
const END_OF_TRANSMISSION = 4;
const LINE_FEED = 10;

/** Resolves when the program has ended or the viewer has left. The terminal is as before. */
export async function viewSession(client: LecternClient, options: ViewOptions, context: CliContext): Promise<ViewEnd> {
  const keys = new DetachKeys(parseDetachKeys(options.detachKeys));
  await using attachment = await client.attach(options.session, {
    from: options.from,
    readOnly: options.readOnly,
    name: "lectern attach",
    // A terminal has no button for it: somebody who sits at one and presses a key wants it typed.
    take: true,
    // What goes into a file or a pipe must be whole; a screen only has to be right.
    lossless: !context.stdout.isTTY,
    signal: context.signal,
    beforeReconnect: withDaemon(context),
  });
  using terminal = new RawTerminal(context, options.readOnly ? "replay" : "live");
  if (options.from !== undefined && options.from > 0) terminal.gap();
  const resize = (): void => {
    const { columns, rows } = context.stdout;
    // A terminal that nobody has given a size says 0: then the session keeps its own.
    if (columns > 0 && rows > 0) attachment.resize({ columns, rows });
  };
  const follows = options.follow && !options.readOnly && context.stdout.isTTY;
  if (follows) {
    resize();
    context.stdout.on("resize", resize);
  }
  void pumpInput({ attachment, keys, terminal, options, context });
  try {
    for await (const item of attachment) await show(item, { terminal, context });
  } finally {
    context.stdout.off("resize", resize);
    context.stdin.pause();
  }
  const { ended } = attachment;
  return ended?.reason === "exit" ? ended : { reason: "detached" };
}

interface View {
  readonly terminal: RawTerminal;
  readonly context: CliContext;
}

async function show(item: AttachmentItem, { terminal, context }: View): Promise<void> {
  switch (item.type) {
    case "output":
      return context.write(terminal.admit(item.bytes));
    case "snapshot":
      return context.write(terminal.admit(Buffer.from(CLEARED + item.text)));
    case "disconnected":
      return notice("connection lost, trying again", terminal, context);
    case "reconnected":
      return notice("connected again", terminal, context);
    case "error":
      // Something was typed into a program that just ended, at the least the end of standard input: its exit is told anyway.
      if (item.code === "SESSION_ENDED") return;
      return notice(item.message, terminal, context);
    case "gap":
      terminal.gap();
      if (item.reason === "behind") return;
      return notice(`${item.next - item.offset} bytes are missing here (${item.reason})`, terminal, context);
    default:
      return;
  }
}

/** On its own line, or in the last row where a program owns the whole screen. */
function notice(text: string, terminal: RawTerminal, context: CliContext): Promise<void> {
  const line = `[lectern: ${escapeForDisplay(text)}]`;
  if (!context.stdout.isTTY) {
    context.note(line);
    return Promise.resolve();
  }
  if (terminal.inAlternateScreen) return context.write(`\u001b7\u001b[999;1H\u001b[7m${line}\u001b[0m\u001b[K\u001b8`);
  return context.write(`\r\n\u001b[2m${line}\u001b[22m\r\n`);
}

interface Typing {
  readonly attachment: Attachment;
  readonly keys: DetachKeys;
  readonly terminal: RawTerminal;
  readonly options: ViewOptions;
  readonly context: CliContext;
}

/** Reads standard input until the end of either side. What nobody takes is not read. */
async function pumpInput({ attachment, keys, terminal, options, context }: Typing): Promise<void> {
  let last = LINE_FEED;
  const input = new PipelinedInput(attachment, (message) => void notice(message, terminal, context));
  try {
    for await (const chunk of context.stdin as AsyncIterable<Buffer>) {
      const { bytes, detach } = terminal.isRaw ? keys.feed(chunk) : { bytes: chunk, detach: false };
      if (!options.readOnly && bytes.length > 0) await input.type(bytes);
      if (detach) return attachment.detach();
      last = bytes.at(-1) ?? last;
    }
    if (terminal.isRaw) return attachment.detach();
    // In the middle of a line the first Ctrl-D only passes the line on.
    const end = last === LINE_FEED ? [END_OF_TRANSMISSION] : [END_OF_TRANSMISSION, END_OF_TRANSMISSION];
    if (options.endOfInput && !options.readOnly) await input.type(Uint8Array.from(end));
  } catch (error) {
    // The session ended while somebody typed; or this terminal has gone.
    const isEnd = error instanceof LecternError && error.code === "SESSION_ENDED";
    if (!isEnd) attachment.detach();
  }
}
