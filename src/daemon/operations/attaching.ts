import { LecternError } from "../../core/errors.ts";
import type { ParsedInputOf } from "../../protocol/operations.ts";
import { TERMINAL_READER } from "../../protocol/attach-frames.ts";
import { snapshotBytes } from "../../core/screen/snapshot.ts";
import { isTyped } from "../../core/typing/typing.ts";
import type { SessionFeed } from "../../live/session-feed.ts";
import type { TerminalSize } from "../../protocol/payloads.ts";
import type { DrawnScreen, NoticeSource, SessionAttachment } from "../service.ts";
import type { Writer } from "../sessions/input-lease.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { within } from "../../timers/within.ts";
import type { Daemon } from "./context.ts";
import { lineStart } from "../views/line-start.ts";
import { signalName } from "./signal-name.ts";

/** Where no screen can be drawn. */
const TAIL_BYTES = 65_536;
/** A view that is further behind is not waited for: it draws a flood. */
const LAG_BYTES_MAX = 1024 * 1024;
/** A reader waits no longer for a view that answers slowly. */
const DRAW_MS_MAX = 250;

interface Attaching {
  readonly entry: SessionEntry;
  readonly inside: SessionEntry | undefined;
  /** The caller may know of other sessions. Default false. */
  readonly seesAll?: boolean;
}

/** Throws `CONFLICT` if the session would show itself. */
export async function attachReader(
  daemon: Pick<Daemon, "metrics" | "screens" | "shown" | "views"> & { readonly notices?: NoticeSource | undefined },
  { entry, inside, seesAll = false }: Attaching,
  input: ParsedInputOf<"sessions.attach">,
): Promise<SessionAttachment> {
  using opening = new DisposableStack();
  if (inside !== undefined) opening.use(daemon.shown.open(inside, entry));
  await entry.refresh();
  const feed = await entry.feed();
  const isFresh = input.from === undefined && input.tailBytes === undefined;
  const initial = isFresh ? await drawNow(daemon, entry, feed) : undefined;
  const start = input.from ?? initial?.offset ?? (await lineStart(feed, input.tailBytes ?? TAIL_BYTES));
  const cursor = opening.use(feed.openCursor(start));
  const me: Writer = { name: input.name ?? "keyboard" };
  entry.viewers++;
  opening.defer(() => entry.viewers--);
  opening.defer(() => entry.lease.leave(me));
  const assertWritable = (): void => {
    if (input.readOnly) throw new LecternError("FORBIDDEN", "Cannot type: this reader is attached read-only");
  };
  const window = opening.use(new ViewerWindow(entry, me));
  const held = opening.move();
  return {
    sessionId: entry.id,
    cursor,
    columns: entry.size.columns,
    rows: entry.size.rows,
    initial,
    input: async (bytes) => {
      assertWritable();
      if (!isFocusReport(bytes)) {
        if (!input.take) entry.lease.assertFree(Date.now(), me);
        entry.lease.takeOver(Date.now(), me);
      }
      if (isTyped(bytes)) await window.take();
      await entry.input(bytes);
    },
    take: () => {
      assertWritable();
      entry.requireSeat();
      entry.lease.takeOver(Date.now(), me);
    },
    watchWriter: (listener) => {
      const tell = (writer: Writer | undefined): void =>
        listener({ writer: writer?.name ?? null, isMine: writer === me });
      const current = entry.lease.writer(Date.now());
      if (current !== undefined) tell(current);
      return entry.lease.subscribe(tell);
    },
    watchNotices: noticesFor(daemon, { entry, inside, seesAll }, input.name),
    setWindow: async (size) => {
      assertWritable();
      await window.set(size);
    },
    resize: async (size) => {
      assertWritable();
      await window.set(size);
      await window.take();
    },
    signal: async (name) => {
      assertWritable();
      const { client, handle } = entry.requireSeat();
      await client.call("signal", { handle, signal: signalName(name) });
    },
    snapshot: () => drawSkipped(daemon, entry, feed),
    [Symbol.dispose]: () => held.dispose(),
  };
}

/** Of a terminal of a person. What a terminal inside a session gets would be output of that session. */
const noticesFor =
  (
    { notices }: { readonly notices?: NoticeSource | undefined },
    { entry, inside, seesAll }: Attaching,
    name: string | undefined,
  ): SessionAttachment["watchNotices"] =>
  (listener) => {
    if (name !== TERMINAL_READER || inside !== undefined) return undefined;
    return notices?.subscribe(({ session, ...notice }) => {
      if (seesAll === true || session === entry.id) listener(notice);
    });
  };

/** Only a reader that skips asks for it. */
function drawSkipped(
  { metrics, screens }: Pick<Daemon, "metrics" | "screens">,
  entry: SessionEntry,
  feed: SessionFeed,
): Promise<DrawnScreen | undefined> {
  metrics.set.add("lectern_viewer_skips_total", {});
  return screens.draw(feed, entry.size);
}

/** The window in which a reader sees the session. */
class ViewerWindow implements Disposable {
  readonly #entry: SessionEntry;
  readonly #viewer: Writer;

  constructor(entry: SessionEntry, viewer: Writer) {
    this.#entry = entry;
    this.#viewer = viewer;
  }

  async set(size: TerminalSize): Promise<void> {
    this.#entry.requireSeat();
    this.#entry.windows.setWindow(this.#viewer, size);
    await this.#entry.fitWindow();
  }

  async take(): Promise<void> {
    this.#entry.windows.take(this.#viewer);
    await this.#entry.fitWindow();
  }

  [Symbol.dispose](): void {
    this.#entry.windows.leave(this.#viewer);
    // If this fails, the program has just ended, or another host reports its size.
    this.#entry.fitWindow().catch(() => undefined);
  }
}

/** `ESC [ I` and `ESC [ O`: a terminal says that somebody looks, or looks away. Nobody typed that. */
const isFocusReport = (bytes: Uint8Array): boolean =>
  bytes.length === 3 && bytes[0] === 0x1b && bytes[1] === 0x5b && (bytes[2] === 0x49 || bytes[2] === 0x4f);

/** The screen where the view of the session is; undefined where that is far behind, or nothing was drawn yet. */
async function drawNow(
  { views }: Pick<Daemon, "views">,
  entry: SessionEntry,
  feed: SessionFeed,
): Promise<DrawnScreen | undefined> {
  const view = (await views.peek(entry))?.view;
  const { state, isFlooded, offset: seen } = view?.status ?? {};
  if (view === undefined || state !== "live" || isFlooded || feed.end - (seen ?? 0) > LAG_BYTES_MAX) return undefined;
  const drawn = view.snapshot().catch(() => undefined);
  const snapshot = await within(DRAW_MS_MAX, drawn);
  if (snapshot === undefined || snapshot.offset < feed.start) return undefined;
  const { columns, rows } = snapshot;
  const offset = feed.beforeExit(snapshot.offset);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(snapshotBytes(snapshot));
  return { offset, columns, rows, text };
}
