/**
 * A session in a terminal on the page: the emulator, its attachment, and the state of both for a view.
 * Its creator disposes of it. Independent of React.
 */
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal, type ITheme } from "@xterm/xterm";
import type { Attachment, AttachmentItem, ExitStatus, LecternClient, Session } from "../../client.ts";
import { setWidths } from "../../core/emulator/xterm/widths.ts";
import { LecternError } from "../../core/errors.ts";
import { encodeKeys } from "../../core/input/keys.ts";
import type { TerminalSize } from "../../protocol/payloads.ts";
import { answerTo, messageOf } from "../api.ts";
import { fetchCode } from "../fetch-code.ts";
import { ValueStore } from "../store.ts";
import { attachOptions, isDrawnWhole } from "./attach-options.ts";
import type { EarlyAttachment } from "./early-attachment.ts";
import { fitScreen } from "./fit-screen.ts";
import { ScreenFeed } from "./screen-feed.ts";
import { TERMINAL_FONT_SIZE, terminalOptions } from "./theme.ts";

/** History to load on the first request if the journal is not drawn from its beginning; doubled on each further one. */
const EARLIER_BYTES = 4 * 1024 * 1024;
/** The limit of `sessions.attach`. */
const TAIL_BYTES_MAX = 16 * 1024 * 1024;
const SCROLLBACK_LINES = 10_000;
const SCROLLBACK_LINES_MAX = 200_000;
/** The smallest letters that can be read; what they do not make fit is scrolled. */
const FONT_SIZE_MIN = 7;

export interface LiveTerminalState {
  readonly phase: "opening" | "live" | "reconnecting" | "ended" | "failed";
  /** Why it failed, or the last error of the server. */
  readonly problem: string | undefined;
  readonly exit: ExitStatus | undefined;
  /** The journal contains output before what is drawn. */
  readonly hasEarlier: boolean;
  readonly isAtTop: boolean;
  readonly isAtBottom: boolean;
  /** Bytes that were skipped because they arrived faster than they could be drawn. */
  readonly skippedBytes: number;
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  /** How many columns and rows this window has room for, at the normal size of letters; undefined before it is measured. */
  readonly room: TerminalSize | undefined;
  /** Counts bells. */
  readonly bells: number;
  /** The current writer if it is not this page, whose keys are then not sent until it takes over. */
  readonly writer: string | undefined;
  /** Keys were not sent because of another writer. */
  readonly isHeldBack: boolean;
  /** The connection broke before the last keys were confirmed: they may have been typed, and are not sent again. */
  readonly isUnsure: boolean;
  /** The address of a link with other text, to be confirmed. */
  readonly askedLink: string | undefined;
}

export interface LiveTerminalOptions {
  readonly client: LecternClient;
  readonly session: Session;
  readonly readOnly: boolean;
  readonly theme: ITheme;
  /** Keeps the text of the screen in the document for screen readers, which needs the slower renderer. */
  readonly screenReader: boolean;
  /** An attachment that was begun earlier. */
  readonly early?: Promise<EarlyAttachment | undefined> | undefined;
}

const initial: LiveTerminalState = {
  phase: "opening",
  problem: undefined,
  exit: undefined,
  hasEarlier: false,
  isAtTop: false,
  isAtBottom: true,
  skippedBytes: 0,
  title: "",
  columns: 80,
  rows: 24,
  room: undefined,
  bells: 0,
  writer: undefined,
  isHeldBack: false,
  isUnsure: false,
  askedLink: undefined,
};

export class LiveTerminal {
  readonly state = new ValueStore<LiveTerminalState>(initial);
  readonly terminal: Terminal;
  readonly search = new SearchAddon({ highlightLimit: 2000 });
  readonly #options: LiveTerminalOptions;
  readonly #fit = new FitAddon();
  readonly #encoder = new TextEncoder();
  #attachment: Attachment | undefined;
  /** Bytes of history to draw; 0 draws only the current screen. */
  #tailBytes = 0;
  /** When output up to this offset is drawn, the terminal shows the present. */
  #historyEnd = 0;
  readonly #leaving = new AbortController();

  constructor(options: LiveTerminalOptions) {
    this.#options = options;
    const { session } = options;
    this.terminal = new Terminal({
      ...terminalOptions(options.theme),
      cols: session.columns,
      rows: session.rows,
      cursorBlink: false,
      disableStdin: options.readOnly,
      screenReaderMode: options.screenReader,
      scrollback: SCROLLBACK_LINES,
      linkHandler: { activate: (_event, address) => this.#set({ askedLink: address }) },
    });
    this.terminal.loadAddon(this.#fit);
    this.terminal.loadAddon(this.search);
    setWidths(this.terminal);
    this.terminal.loadAddon(new WebLinksAddon((_event, address) => openLink(address)));
    this.terminal.onData((text) => this.type(text));
    this.terminal.onBinary((text) => void this.#send(Uint8Array.from(text, (character) => character.charCodeAt(0))));
    this.terminal.onTitleChange((title) => this.#set({ title }));
    this.terminal.onBell(() => this.#set({ bells: this.state.get().bells + 1 }));
    // `onScroll` does not report scrolling by the user.
    this.terminal.onRender(() => this.#updateScroll());
    this.terminal.onResize(({ cols, rows }) => this.#set({ columns: cols, rows }));
  }

  /** Draws into an element, in which the session's own size is scaled or scrolled. */
  async open(element: HTMLElement): Promise<void> {
    this.terminal.open(element);
    // First, because the sizes of a cell depend on it.
    await this.#useWebGl();
    if (!this.#leaving.signal.aborted) await this.#attach();
  }

  /** A modifier set by a touch button, for the next key. */
  readonly modifier = new ValueStore<"C" | "M" | undefined>(undefined);

  /** Types text like the keyboard. */
  type(text: string): void {
    const modifier = this.modifier.get();
    if (modifier === undefined || !/^[\u0020-\u007e]$/.test(text)) return this.typeBytes(this.#encoder.encode(text));
    const name = text === " " ? "Space" : text;
    this.modifier.set(undefined);
    this.typeBytes(encodeKeys([`${modifier}-${name}`]));
  }

  typeBytes(bytes: Uint8Array): void {
    void this.#send(bytes);
  }

  set theme(theme: ITheme) {
    this.terminal.options.theme = theme;
  }

  /** To be called when the size of the element, of the session or of a cell has changed. */
  layout(): void {
    if (this.#leaving.signal.aborted || this.state.get().phase === "opening") return;
    const room = this.#measureRoom();
    if (room === undefined) return;
    const { cols, element, rows } = this.terminal;
    const isFitted = room.columns === cols && room.rows === rows;
    if (!isFitted && element?.parentElement != null) fitScreen(this.terminal, element.parentElement, FONT_SIZE_MIN);
    scrollToCursor(this.terminal);
    const before = this.state.get().room;
    if (before?.columns === room.columns && before.rows === room.rows) return;
    this.#set({ room });
    if (!this.#options.readOnly) this.#attachment?.setWindow(room);
  }

  /** Gives the session the size of this window, as typing does. */
  fit(): void {
    const { room } = this.state.get();
    if (room !== undefined) this.#attachment?.resize(room);
    this.terminal.focus();
  }

  /** Shows a line of the buffer at the top. xterm counts from a place in letters of the size before `layout`, so once may be too little. */
  scrollTo(line: number): void {
    for (let attempt = 0; attempt < 2 && this.terminal.buffer.active.viewportY !== line; attempt += 1)
      this.terminal.scrollToLine(line);
  }

  /** Draws more history and keeps the visible part in view. */
  async loadEarlier(): Promise<void> {
    this.#tailBytes = Math.min(TAIL_BYTES_MAX, Math.max(EARLIER_BYTES, this.#tailBytes * 2));
    this.terminal.options.scrollback = SCROLLBACK_LINES_MAX;
    const { active } = this.terminal.buffer;
    const fromBottom = active.length - active.viewportY;
    await this.#attach();
    this.terminal.scrollToLine(Math.max(0, this.terminal.buffer.active.length - fromBottom - 1));
    // The pressed button has disappeared.
    this.terminal.focus();
    this.#updateScroll();
  }

  /** Becomes the writer. */
  takeOver(): void {
    this.#set({ writer: undefined, isHeldBack: false });
    this.#attachment?.take();
    this.terminal.focus();
  }

  answerLink(isWanted: boolean): void {
    const { askedLink } = this.state.get();
    this.#set({ askedLink: undefined });
    if (isWanted && askedLink !== undefined) openLink(askedLink);
  }

  dispose(): void {
    this.#leaving.abort();
    this.#attachment?.detach();
    this.terminal.dispose();
  }

  #set(change: Partial<LiveTerminalState>): void {
    const before = this.state.get();
    const isSame = Object.entries(change).every(([key, value]) => before[key as keyof LiveTerminalState] === value);
    if (!isSame) this.state.set({ ...before, ...change });
  }

  /** Resolves when the history is drawn; continues in the background until the end. */
  async #attach(): Promise<void> {
    const { client, session, readOnly } = this.#options;
    this.#attachment?.detach();
    const drawn = Promise.withResolvers<void>();
    try {
      // For the first attachment, the session from the list is recent enough.
      const isFirst = this.#attachment === undefined;
      const early = isFirst ? await this.#options.early : undefined;
      const asking = { signal: this.#leaving.signal, report: (problem: string) => this.#set({ problem }) };
      const ask = (): Promise<Session> => client.call("sessions.get", { session: session.id });
      const now = early?.session ?? (isFirst ? session : await answerTo(ask, asking));
      const wanted = { tailBytes: this.#tailBytes, readOnly };
      const attach = (): Promise<Attachment> => client.attach(session.id, attachOptions(now, wanted));
      const attachment = early?.attachment ?? (await answerTo(attach, asking));
      const { start, end } = now;
      if (this.#leaving.signal.aborted) return attachment.detach();
      this.#attachment = attachment;
      this.#historyEnd = end;
      const hasEarlier = !isDrawnWhole(now, wanted) && this.#tailBytes < TAIL_BYTES_MAX;
      this.terminal.reset();
      this.#set({ ...initial, title: this.state.get().title, hasEarlier });
      if (start === end) await this.#goLive(undefined, drawn.resolve);
      void this.#read(attachment, drawn.resolve);
      await drawn.promise;
    } catch (error) {
      this.#set({ phase: "failed", problem: messageOf(error) });
    }
  }

  async #read(attachment: Attachment, onDrawn: () => void): Promise<void> {
    const feed = new ScreenFeed(this.terminal, this.#options.readOnly ? "replay" : "live");
    try {
      for await (const item of attachment) {
        if (this.#attachment !== attachment) return;
        await feed.feed(item);
        this.#note(item);
        const isDrawn = "next" in item && item.next >= this.#historyEnd;
        if (isDrawn && this.state.get().phase === "opening") await this.#goLive(feed, onDrawn);
      }
      await feed.drained();
      if (attachment.ended?.reason === "exit") this.#end(attachment.ended.exit);
    } catch (error) {
      if (!this.#leaving.signal.aborted) this.#set({ phase: "failed", problem: messageOf(error) });
    } finally {
      onDrawn();
    }
  }

  async #goLive(feed: ScreenFeed | undefined, onDrawn: () => void): Promise<void> {
    await feed?.drained();
    if (this.#leaving.signal.aborted) return;
    this.#set({ phase: "live" });
    this.layout();
    this.#updateScroll();
    onDrawn();
  }

  #end(exit: ExitStatus): void {
    if (this.#leaving.signal.aborted) return;
    this.terminal.options.disableStdin = true;
    this.#set({ phase: "ended", exit });
    this.layout();
  }

  #note(item: AttachmentItem): void {
    switch (item.type) {
      case "disconnected":
        return this.#set({ phase: "reconnecting", writer: undefined, isHeldBack: false });
      case "reconnected":
        return this.#set({ phase: "live", problem: undefined });
      case "error":
        // Another writer was faster than the message about it.
        return this.#set(item.code === "CONFLICT" ? { isHeldBack: true } : { problem: item.message });
      case "writer":
        return this.#set({ writer: item.isMine ? undefined : (item.writer ?? undefined), isHeldBack: false });
      case "gap":
        if (item.reason === "behind") {
          this.#set({ skippedBytes: this.state.get().skippedBytes + item.next - item.offset });
        }
        return;
      case "snapshot":
      case "resize":
        return this.layout();
      default:
        return;
    }
  }

  async #send(bytes: Uint8Array): Promise<void> {
    const { isUnsure, phase } = this.state.get();
    if (this.#options.readOnly || phase === "opening" || phase === "ended" || phase === "failed") return;
    // Input of two writers at the same time would be mixed.
    if (this.state.get().writer !== undefined) return this.#set({ isHeldBack: true });
    scrollToCursor(this.terminal);
    try {
      await this.#attachment?.write(bytes);
      // Keys that waited for the connection were pressed before the word about the lost ones was shown.
      if (isUnsure && phase === "live") this.#set({ isUnsure: false });
    } catch (error) {
      // A refusal is an item of the attachment.
      if (error instanceof LecternError && error.details["mayBeTyped"] === true) this.#set({ isUnsure: true });
    }
  }

  /** Undefined while the element is not shown. */
  #measureRoom(): TerminalSize | undefined {
    this.terminal.options.fontSize = TERMINAL_FONT_SIZE;
    const room = this.#fit.proposeDimensions();
    if (room === undefined || !Number.isFinite(room.cols) || !Number.isFinite(room.rows)) return undefined;
    return { columns: Math.min(1000, Math.max(2, room.cols)), rows: Math.min(500, Math.max(1, room.rows)) };
  }

  #updateScroll(): void {
    const { active } = this.terminal.buffer;
    this.#set({ isAtTop: active.viewportY === 0, isAtBottom: active.viewportY >= active.baseY });
  }

  /** Not if the browser renders WebGL in software, where the DOM renderer is faster, or if its code does not come. */
  async #useWebGl(): Promise<void> {
    if (this.#options.screenReader || !hasFastWebGl()) return;
    const code = await fetchCode(() => import("@xterm/addon-webgl"), 2).catch(() => undefined);
    if (this.#leaving.signal.aborted || code === undefined) return;
    const addon = new code.WebglAddon();
    addon.onContextLoss(() => {
      addon.dispose();
      this.layout();
    });
    this.terminal.loadAddon(addon);
    // It keeps letters as they were drawn first, and a font comes when its first letter is on the screen.
    document.fonts.addEventListener("loadingdone", () => addon.clearTextureAtlas(), { signal: this.#leaving.signal });
  }
}

let fastWebGl: boolean | undefined;

function hasFastWebGl(): boolean {
  fastWebGl ??= document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true }) !== null;
  return fastWebGl;
}

/** Opens only safe schemes. */
function openLink(address: string): void {
  if (/^(?:https?|mailto):/i.test(address)) open(address, "_blank", "noopener,noreferrer");
}

/** Where a session is larger than its element at the smallest letters, the cursor is scrolled into view. */
function scrollToCursor({ buffer, cols, element, rows }: Terminal): void {
  const frame = element?.parentElement;
  const screen = element?.querySelector<HTMLElement>(".xterm-screen");
  if (frame == null || screen == null) return;
  const { cursorX, cursorY } = buffer.active;
  frame.scrollLeft = placeInView(frame.scrollLeft, frame.clientWidth, edges(cursorX, cols, screen.offsetWidth));
  frame.scrollTop = placeInView(frame.scrollTop, frame.clientHeight, edges(cursorY, rows, screen.offsetHeight));
}

type Edges = readonly [start: number, end: number];

/** The edges of one of `count` cells along a side. */
const edges = (index: number, count: number, length: number): Edges => [
  (index * length) / count,
  ((index + 1) * length) / count,
];

/** The nearest scroll position at which the edges are in view. */
const placeInView = (position: number, length: number, [start, end]: Edges): number =>
  Math.min(start, Math.max(position, end - length));
