/**
 * A session on the viewer's terminal, from attach to detach or exit. Two independent streams: the
 * session's items go to the terminal, and input goes to the session.
 */
import type { Attachment } from "../../client/attachment.ts";
import type { AttachmentItem } from "../../client/item-queue.ts";
import type { LecternClient } from "../../client/client.ts";
import { LecternError } from "../../core/errors.ts";
import { TERMINAL_READER } from "../../protocol/attach-frames.ts";
import type { TerminalSize } from "../../protocol/payloads.ts";
import type { ExitStatus } from "../../protocol/records.ts";
import { withDaemon } from "../ask-again.ts";
import type { CliContext } from "../context.ts";
import { escapeForDisplay, removeActing } from "../../core/text/escape.ts";
import { DetachKeys, parseDetachKeys } from "./detach-keys.ts";
import { RawTerminal } from "./raw-terminal.ts";
import { wholeCharacters } from "../../core/text/cut-text.ts";

/** Limit of unconfirmed input; above it, standard input is not read. */
const IN_FLIGHT_BYTES_MAX = 262_144;

/** Of each part. */
const CHARS_MAX = 200;

export interface ViewOptions {
  readonly session: string;
  readonly from?: number | undefined;
  readonly readOnly: boolean;
  readonly detachKeys: string;
  readonly takesSize: boolean;
  /** If standard input is not a terminal, press Ctrl-D at its end, like script(1). */
  readonly endOfInput: boolean;
}

export type ViewEnd = { readonly reason: "exit"; readonly exit: ExitStatus } | { readonly reason: "detached" };

/** Resets modes, margins and styles (DECSTR) and clears the screen, before a snapshot is drawn. */
const CLEARED = "\u001B[!p\u001B[H\u001B[2J";
const END_OF_TRANSMISSION = 4;
const LINE_FEED = 10;

/** Resolves when the program has ended or the viewer has detached. Restores the terminal. */
export async function viewSession(client: LecternClient, options: ViewOptions, context: CliContext): Promise<ViewEnd> {
  const keys = new DetachKeys(parseDetachKeys(options.detachKeys));
  await using attachment = await client.attach(options.session, {
    from: options.from,
    readOnly: options.readOnly,
    name: TERMINAL_READER,
    // A person who presses a key at a terminal wants it typed, and there is no button to take over first.
    take: true,
    // A file or pipe must get all bytes; a terminal only has to show the current screen.
    lossless: !context.stdout.isTTY,
    signal: context.signal,
    beforeReconnect: withDaemon(context),
  });
  using terminal = new RawTerminal(context, options.readOnly ? "replay" : "live");
  if (options.from !== undefined && options.from > 0) terminal.gap();
  const takesSize = options.takesSize && !options.readOnly && context.stdout.isTTY;
  const takeSize = (): void => withSize(takesSize, context, (size) => attachment.resize(size));
  const onResize = (): void => withSize(takesSize, context, (size) => attachment.setWindow(size));
  takeSize();
  context.stdout.on("resize", onResize);
  void pumpInput({ attachment, keys, terminal, options, context });
  try {
    for await (const item of attachment) {
      await show(item, { terminal, context });
      if (item.type === "reconnected") takeSize();
    }
  } finally {
    context.stdout.off("resize", onResize);
    context.stdin.pause();
  }
  const { ended } = attachment;
  return ended?.reason === "exit" ? ended : { reason: "detached" };
}

/** A terminal of unknown size reports 0. */
function withSize(isWanted: boolean, { stdout }: CliContext, use: (size: TerminalSize) => void): void {
  const { columns, rows } = stdout;
  if (isWanted && columns > 0 && rows > 0) use({ columns, rows });
}

async function show(
  item: AttachmentItem,
  { terminal, context }: { readonly terminal: RawTerminal; readonly context: CliContext },
): Promise<void> {
  switch (item.type) {
    case "output":
      return context.write(terminal.admit(item.bytes));
    case "snapshot":
      return context.write(terminal.admit(Buffer.from(CLEARED + item.text)));
    case "notice":
      return context.stdout.isTTY ? context.write(desktopNotice(item)) : undefined;
    case "disconnected":
      return notice("connection lost, reconnecting", terminal, context);
    case "reconnected":
      return notice("reconnected", terminal, context);
    case "error":
      // Input, or the end of standard input, was sent to a program that has just ended; its exit is reported anyway.
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

/** On its own line, or in the last row on an alternate screen. */
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

/** Reads standard input until it or the session ends. Stops reading while the session does not accept input. */
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
    // In the middle of a line, the first Ctrl-D only submits the line.
    const end = last === LINE_FEED ? [END_OF_TRANSMISSION] : [END_OF_TRANSMISSION, END_OF_TRANSMISSION];
    if (options.endOfInput && !options.readOnly) await input.type(Uint8Array.from(end));
  } catch (error) {
    // The session ended during input, or this terminal was closed.
    const isEnd = error instanceof LecternError && error.code === "SESSION_ENDED";
    if (!isEnd) attachment.detach();
  }
}

/**
 * OSC 9 (iTerm2, Windows Terminal, kitty, ghostty) and OSC 777 (rxvt, VTE, foot, WezTerm): terminals ignore the one that they do not know. Text is
 * without control characters, and without what separates the parts.
 */
export function desktopNotice({ body, title }: { readonly title: string; readonly body: string }): string {
  const [head, rest] = [plain(title).replaceAll(";", ","), plain(body)];
  return `\u001b]777;notify;${head};${rest}\u0007\u001b]9;${head}${rest === "" ? "" : `: ${rest}`}\u0007`;
}

function plain(text: string): string {
  const visible = removeActing(text.replaceAll(/\s+/g, " "));
  return visible.slice(0, wholeCharacters(visible, CHARS_MAX));
}

/** Refused input is reported as an item of the attachment; `onUncertain` reports input that may or may not have been typed. */
export class PipelinedInput {
  readonly #attachment: Pick<Attachment, "write" | "ended">;
  readonly #onUncertain: (message: string) => void;
  #bytes = 0;

  constructor(attachment: Pick<Attachment, "write" | "ended">, onUncertain: (message: string) => void) {
    this.#attachment = attachment;
    this.#onUncertain = onUncertain;
  }

  async type(bytes: Uint8Array): Promise<void> {
    this.#bytes += bytes.length;
    const taken = this.#attachment
      .write(bytes)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => (this.#bytes -= bytes.length));
    if (this.#bytes > IN_FLIGHT_BYTES_MAX) await taken;
  }

  #failed(error: unknown): void {
    if (this.#attachment.ended !== undefined || !(error instanceof LecternError)) return;
    if (error.details["mayBeTyped"] === true) this.#onUncertain(error.message);
  }
}
