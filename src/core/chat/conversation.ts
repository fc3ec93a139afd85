/**
 * One agent's conversation, from its start to its end or to `/clear`: frames in, messages out.
 *
 * Order: a frame's window is merged into the transcript, the transcript is cut into blocks from the first changed one on, and the
 * blocks are told from the messages that stood there before.
 */
import { blockStarts } from "../agents/block-starts.ts";
import type { ChatRules } from "../agents/chat-rules.ts";
import type { ChatWindow } from "../agents/chat-window.ts";
import type { Frame } from "../screen/frame.ts";
import type { ScreenLine } from "../screen/screen-lines.ts";
import { blocksOf, isNothing, textOf, type Block } from "./blocks.ts";
import { orderOf, type MessageRole } from "./message.ts";
import type { MessageLog, MessagePlace, Writable } from "./message-log.ts";
import { closingText, OwnRows, type OwnRowsState } from "./own-rows.ts";
import { withPastes } from "./pasted-texts.ts";
import { isText, printedOnce } from "./printed-once.ts";
import type { Row } from "./row.ts";
import { RowCache } from "./row-cache.ts";
import { MessageMatcher, isSimilar, type LiveMessage, type Messages } from "./message-matcher.ts";
import { squash } from "../text/squash.ts";
import { Transcript, type TranscriptChange, type TranscriptState } from "./transcript.ts";
import { TypedCommands, type TypedCommandsState } from "./typed-commands.ts";
import { screenTimes } from "../screen/times.ts";

export interface ConversationState {
  readonly transcript: TranscriptState;
  readonly live: readonly LiveMessage[];
  /** Those before the last window, which may have been half a repaint. */
  readonly before: Messages | null;
  readonly own: OwnRowsState;
  /** It has drawn on the alternate screen: what stands on the normal one is not part of the conversation. */
  readonly wasAlternate: boolean;
  /** A prompt has left the rows that are kept. */
  readonly hasAsked: boolean;
  /** Rows that left the top while no conversation was shown. */
  readonly pending: readonly Row[];
  /** Messages of this turn that are not shown now: agents move them, and draw some anew. */
  readonly folded: readonly LiveMessage[];
  readonly commands: TypedCommandsState;
  readonly shown: ShownRows;
  /** The size has changed since the last window: rows have other numbers and wraps. */
  readonly isResized: boolean;
}

type Kept = Writable<Omit<ConversationState, "transcript" | "own" | "commands" | keyof Messages> & Messages>;

/** Rows of the transcript that the last window showed. */
interface ShownRows {
  readonly shownFrom: number;
  readonly shownTo: number;
  /** It was the first window since a resize. */
  readonly isResized: boolean;
}

/** Rows of a message as they stand, for those who read more out of them. */
export interface MessageRows {
  readonly message: string;
  readonly role: MessageRole;
  readonly rows: readonly string[];
}

/** Rows are kept until there are twice so many; then the older half leaves. */
const rowsKept = 300;
/** So far ahead a message is looked for among those that were shown before, and the other way round. */
const nearMax = 8;
const foldedMax = 32;
const nothingRead = {
  transcript: undefined,
  live: [],
  before: null,
  wasAlternate: false,
  hasAsked: false,
  pending: [],
  folded: [],
  commands: undefined,
  shown: { shownFrom: 0, shownTo: 0, isResized: false },
  isResized: false,
};
export class Conversation {
  readonly rules: ChatRules;
  readonly #log: MessageLog;
  readonly #matcher: MessageMatcher;
  readonly #transcript: Transcript;
  readonly #rows: RowCache;
  readonly #own: OwnRows;
  readonly #state: Kept;
  readonly #commands: TypedCommands;
  #changed: MessageRows[] = [];
  #pastes: readonly string[] = [];
  /** The last frame: what left the top in it is taken once. */
  #last: Frame | null = null;
  /** The last window; not saved: the same window twice changes nothing. */
  #lines: readonly ScreenLine[] = [];
  #topLine = -1;
  #isRestored = false;

  /** `state`: what another one saved, or the number of the first row on the normal screen that is the agent's. */
  constructor(rules: ChatRules, log: MessageLog, state: ConversationState | number) {
    this.rules = rules;
    this.#log = log;
    this.#rows = new RowCache(rules);
    this.#matcher = new MessageMatcher(rules, log);
    const known = typeof state === "number" ? { ...nothingRead, own: { firstLine: state, above: null } } : state;
    const { transcript, own, commands, live, folded, ...rest } = known;
    this.#transcript = new Transcript(transcript, { erases: rules.printsTwice });
    this.#own = new OwnRows(own);
    this.#commands = new TypedCommands(log, commands);
    this.#state = { ...rest, live: [...live], folded: [...folded] };
  }

  get firstLine(): number {
    return this.#own.firstLine;
  }

  get wasAlternate(): boolean {
    return this.#state.wasAlternate;
  }

  get isEmpty(): boolean {
    return this.#state.live.length === 0;
  }

  /** The messages that the last frame changed, with their rows. */
  get changed(): readonly MessageRows[] {
    return this.#changed;
  }

  save(): ConversationState {
    const [transcript, own, commands] = [this.#transcript.save(), this.#own.save(), this.#commands.save()];
    return { ...this.#state, ...this.#messages, transcript, own, commands };
  }

  /** A line was typed and sent to the agent. */
  typed(line: string, place: MessagePlace): void {
    this.#commands.type(line, this.rules.agent, place);
  }

  /** What changes goes to the log. `pastes`: the last ones that were typed. */
  frame(frame: Frame, pastes: readonly string[]): void {
    this.#changed = [];
    this.#pastes = pastes;
    if (!frame.isAlternate) this.#own.see(frame);
    if (frame.isAlternate !== this.#state.wasAlternate && !this.#switch(frame)) return;
    if (!frame.isAlternate && frame !== this.#last) this.#collect(frame);
    this.#last = frame;
    this.#state.isResized ||= frame.isResized;
    const window = this.rules.window(frame);
    if (window === null) return;
    const place = { offset: frame.offset, timeUs: frame.timeUs };
    const isSame = this.#isSameWindow(frame, window);
    const rows = isSame ? [] : [...this.#state.pending, ...this.#visible(frame, window)];
    this.#state.pending = [];
    if (isSame || (!this.#state.isResized && this.#transcript.isLast(rows))) {
      this.#see(this.#state.shown, frame.timeUs);
      this.#log.setPartial(this.#state.live.at(-1)?.id ?? null, window.isBusy, place);
      return;
    }
    // A resize makes agents draw anew: what it found on the screen stood there until then, and was no accident of drawing.
    if (this.#state.shown.isResized) this.#see(this.#state.shown, frame.timeUs);
    const change = this.#commands.beginsAnew(() => this.#transcript.hasLeft(rows))
      ? this.#transcript.begin(rows)
      : this.#transcript.show(rows, this.#state.isResized);
    if (change.isCleared) this.#commands.began();
    this.#isRestored = change.isRestored === true;
    if (this.#isRestored && this.#state.before !== null)
      Object.assign(this.#state, this.#matcher.restored(this.#state.before, this.#messages, place));
    if (!this.#isRestored || !this.#transcript.isDoubtful)
      this.#state.before = this.#transcript.isDoubtful ? this.#messages : null;
    if (change.from !== null) this.#update(change.from, change, place);
    this.#state.shown = { shownFrom: change.shownFrom, shownTo: change.shownTo, isResized: this.#state.isResized };
    this.#state.isResized = false;
    this.#see(change, frame.timeUs);
    this.#log.setPartial(this.#state.live.at(-1)?.id ?? null, window.isBusy, place);
    // No half repaint: what it marked stays marked.
    if (!this.#transcript.isDoubtful) this.#state.live = this.#matcher.withMarks(this.#state.live);
    this.#acknowledge(place);
    this.#shrink();
  }

  get #messages(): Messages {
    return { live: [...this.#state.live], folded: [...this.#state.folded] };
  }

  /** A prompt with an answer, both of which no doubt can take back, acknowledges what stands before it: that is final. */
  #acknowledge(place: MessagePlace): void {
    const { sure } = this.#transcript;
    const roles = this.#state.live.map(({ id, start }) => (start < sure ? this.#log.get(id)?.role : undefined));
    const answer = roles.findLastIndex((role) => role === "assistant" || role === "tool-call");
    const index = this.#state.live.findLastIndex(
      (live, at) => at < answer && roles[at] === "user" && this.#isSettled(live),
    );
    const prompt = this.#state.live[index];
    if (prompt === undefined || prompt.head !== "") return;
    const folded = this.#state.folded.filter(({ start }) => start < prompt.start);
    this.#state.folded = this.#state.folded.filter(({ start }) => start >= prompt.start);
    for (const { id } of [...this.#state.live.splice(0, index), ...folded]) this.#log.finish(id, place);
    this.#state.hasAsked = true;
    this.#transcript.acknowledge(prompt.start);
  }

  /** What the agent printed at its end, in front of the shell's prompt. */
  closing(frame: Frame, prompt: number): string {
    return closingText(frame, { prompt, firstLine: this.firstLine, hasOwnScreen: this.#state.wasAlternate });
  }

  /** Nothing has moved since the last window: most frames of an agent that works only turn its spinner. */
  #isSameWindow(frame: Frame, { from, to }: ChatWindow): boolean {
    const lines = frame.lines.slice(from, to);
    const isSame =
      this.#state.pending.length === 0 &&
      frame.topLine === this.#topLine &&
      !this.#state.isResized &&
      this.#lines.length === lines.length &&
      lines.every((line, index) => line === this.#lines[index]);
    this.#lines = lines;
    this.#topLine = frame.topLine;
    return isSame;
  }

  /** Bytes are missing: of the last message more may have come. */
  gap(place: MessagePlace): void {
    this.#log.setIncomplete(this.#state.live.at(-1)?.id ?? "", place);
    this.#state.live = this.#matcher.withMarks(this.#state.live);
  }

  /** The conversation is over: its messages are final. */
  end(place: MessagePlace): void {
    this.#log.cutPartial(place);
    for (const { id } of [...this.#state.live, ...this.#state.folded]) this.#log.finish(id, place);
    this.#commands.end(place);
    [this.#state.live, this.#state.folded] = [[], []];
  }

  /** False where the frame is not to be read: an overlay of an inline agent, or what a full-screen one left below. */
  #switch(frame: Frame): boolean {
    if (!frame.isAlternate || this.#state.live.some(({ id }) => this.#log.get(id)?.role === "user")) return false;
    this.#state.wasAlternate = true;
    return true;
  }

  #collect(frame: Frame): void {
    const first = frame.topLine - frame.scrolled.length;
    const rest = this.#restOfLine(frame.scrolled);
    const starts = blockStarts(frame.scrolled);
    const own = frame.scrolled.flatMap((line, index) =>
      index >= rest && first + index >= this.firstLine
        ? this.#rows.read(line, frame.columns, { number: first + index, opensBlock: starts[index] === true })
        : [],
    );
    this.#state.pending = [...this.#state.pending, ...own];
  }

  /** Rows in front that end a line which begins above them: a resize wraps lines anew, and the agent's own row is known. */
  #restOfLine(lines: readonly ScreenLine[]): number {
    if (this.#state.pending.length > 0) return 0;
    const first = lines.findIndex(({ isWrapped }) => !isWrapped);
    return first === -1 ? lines.length : first;
  }

  #visible(frame: Frame, { columns = frame.columns, from, to, hasFloatingMark = false }: ChatWindow): Row[] {
    const rows: Row[] = [];
    const rest = from === 0 ? this.#restOfLine(frame.lines) : 0;
    const starts = blockStarts(frame.lines.slice(0, to), frame.scrolled);
    for (let index = from + rest; index < to; index += 1) {
      const line = frame.lines[index];
      const number = frame.isAlternate ? -1 : frame.topLine + index;
      if (line !== undefined && (frame.isAlternate || number >= this.firstLine))
        rows.push(this.#rows.read(line, columns, { number, opensBlock: starts[index] === true }));
    }
    const [top] = rows;
    if (hasFloatingMark && top !== undefined)
      rows[0] = { ...top, role: top.text === "" ? "blank" : null, isStart: false };
    return rows;
  }

  #update(from: number, { isCleared, isDoubtful }: TranscriptChange, place: MessagePlace): void {
    if (isCleared) {
      if (isDoubtful === true) this.#log.setIncomplete(this.#state.live.at(-1)?.id ?? "", place);
      for (const { id } of this.#state.live) this.#log.finish(id, place);
      this.#state.live = [];
      this.#unfold();
      this.#state.hasAsked = false;
      this.#transcript.drop(from);
      this.#log.start(this.rules.agent, place);
    }
    const before = this.#pendingFrom(
      this.#state.live.findLastIndex(({ start }) => start < from && this.#isStart(start)),
    );
    const first = isCleared || before === -1 ? null : this.#state.live[before];
    const start = isCleared ? from : (first?.start ?? this.#transcript.final);
    const old = this.#state.live.splice(Math.max(0, before));
    const { rows, dropped } = this.#transcript;
    const hasAsked = this.#state.hasAsked || this.#state.live.some(({ id }) => this.#log.get(id)?.role === "user");
    const blocks = blocksOf(rows, start - dropped, {
      breaksBehind: this.rules.breaksBehind,
      isBeforeUser: this.rules.hasPlainAnswers && !hasAsked,
      isBelowUser: hasAsked,
      saidAt: (index) => this.#matcher.saidAt(old.find((live) => live.start === index + dropped)),
    })
      .filter(
        (block, index, all) => block.role !== "notice" && !this.#matcher.isShownAgain(block, all.slice(index + 1)),
      )
      .map((block) => ({
        ...block,
        text: block.role === "user" ? withPastes(block.text, this.#pastes) : block.text,
        start: block.start + dropped,
        end: block.end + dropped,
      }));
    this.#reconcile(old, this.rules.printsTwice ? printedOnce(blocks, this.#sinceText()) : blocks, place);
  }

  /** What was said since the last text. */
  #sinceText(): string[] {
    const since = this.#state.live.findLastIndex(({ id }) => isText(this.#log.get(id)?.role));
    return this.#state.live.slice(since + 1).map(({ id }) => this.#log.get(id)?.text ?? "");
  }

  /** Blocks can be told apart from there on. */
  #isStart(index: number): boolean {
    const row = this.#transcript.rows[index - this.#transcript.dropped];
    return row !== undefined && row.role !== null && !isNothing(row);
  }

  /** The first of the messages shortly before the one at `index` that is a call which will be shown again; else `index`. */
  #pendingFrom(index: number): number {
    const from = Math.max(0, index - nearMax);
    const near = this.#state.live.slice(from, Math.max(0, index));
    const pending = near.findIndex((live) => this.#isStart(live.start) && this.#matcher.isPending(live.id));
    return pending === -1 ? index : from + pending;
  }

  #see({ shownFrom, shownTo }: Pick<ShownRows, "shownFrom" | "shownTo">, seenUs: number): void {
    // What has left over the top stands as well.
    for (const [index, live] of this.#state.live.entries())
      if (live.start < shownTo && (live.start >= shownFrom || !this.#isSettled(live)))
        this.#state.live[index] = { ...live, seenUs };
  }

  #isSettled({ id, seenUs }: LiveMessage): boolean {
    return seenUs - (this.#log.get(id)?.timeUs ?? 0) >= screenTimes.paintMs * 1000;
  }

  #reconcile(old: readonly LiveMessage[], blocks: readonly Block[], place: MessagePlace): void {
    const rest = [...old];
    let [isNewTurn, isNewCall] = [false, false];
    for (const [at, block] of blocks.entries()) {
      // What stands below a new prompt is new as well, and so is the result of a new call.
      const isNew: boolean = (isNewTurn && block.role !== "user") || (isNewCall && block.role === "tool-result");
      const index: number = isNew ? -1 : this.#matcher.indexOf(rest.slice(0, nearMax), block, blocks);
      for (const gone of index === -1 ? this.#replaced(rest, blocks.slice(at, at + nearMax)) : rest.splice(0, index))
        this.#leave(gone, blocks, place);
      const live = index === -1 ? (this.#unfolded(block) ?? this.#typedAs(block)) : rest.shift();
      if (block.role === "user") isNewTurn = live === undefined;
      isNewCall = block.role === "tool-call" && live === undefined;
      if (live === undefined && (block.text === "" || this.#matcher.isSecondWelcome(this.#state.live, block))) continue;
      if (live === undefined && block.role === "user") {
        this.#unfold();
        this.#commands.withdraw(block.text, place);
      }
      const next = this.#matcher.nextOf(rest, blocks.slice(at + 1, at + nearMax));
      if (live === undefined || this.#log.get(live.id) !== undefined)
        this.#say(live, block, { place, ...(next !== undefined && { next }) });
    }
    for (const gone of rest) this.#leave(gone, blocks, place);
  }

  /** The message that the block shows again; none moves from above a prompt to below it. */
  #unfolded(block: Block): LiveMessage | undefined {
    const prompt = this.#state.live.map(({ id }) => this.#log.get(id)).findLast((message) => message?.role === "user");
    const index = this.#state.folded.findIndex((live) => {
      const message = this.#log.get(live.id);
      if (message?.role !== block.role || block.isSummary || live.isSummary) return false;
      if (prompt !== undefined && orderOf(message) < orderOf(prompt)) return false;
      return isSimilar(this.#matcher.inputOf(message.text), this.#matcher.inputOf(block.text));
    });
    return index === -1 ? undefined : this.#state.folded.splice(index, 1)[0];
  }

  /** The message of the command that the block shows; it may be final, from before the screen was cleared. */
  #typedAs({ role, start, isSummary, text }: Block): LiveMessage | undefined {
    if (role !== "command") return undefined;
    const id = this.#commands.shownAs(text, new Set(this.#state.live.map((live) => live.id)));
    return id === null ? undefined : { id, start, isSummary, head: "", isCut: false, seenUs: 0 };
  }

  /** A new turn: what was folded away stays so. */
  #unfold(): void {
    for (const { id } of this.#state.folded.splice(0)) this.#log.forget(id);
  }

  /** Those that stood in front of a new block, up to one that is shown further down. */
  #replaced(rest: LiveMessage[], [block, ...later]: readonly Block[]): LiveMessage[] {
    const end = rest.findIndex(
      (live) =>
        live.start > (block?.start ?? 0) ||
        later.some((other) => this.#matcher.isSame(live, other) || this.#matcher.isShown(live, other)),
    );
    return rest.splice(0, end === -1 ? 0 : end);
  }

  #say(live: LiveMessage | undefined, block: Block, { next, place }: { next?: string; place: MessagePlace }): void {
    const { head = "", isCut = false } = live ?? {};
    const known = live === undefined ? undefined : this.#log.get(live.id);
    const keepsText = known !== undefined && block.isSummary && live?.isSummary === false;
    const text = keepsText ? known.text : head === "" ? block.text : `${head}\n${block.text}`;
    const id = this.#log.say(
      {
        id: live?.id ?? null,
        role: block.role as MessageRole,
        agent: this.rules.agent,
        text,
        tool: block.role === "tool-call" ? { ...this.rules.tool(text), call: null } : null,
        isIncomplete: block.isIncomplete || isCut || (!this.#isRestored && known?.isIncomplete === true),
      },
      place,
      next,
      this.#isRestored,
    );
    const isSummary = block.isSummary && (live?.isSummary ?? true);
    this.#state.live.push({ id, start: block.start, isSummary, head, isCut, seenUs: place.timeUs });
    const { rows, dropped } = this.#transcript;
    this.#changed.push({
      message: id,
      role: block.role as MessageRole,
      rows: rows.slice(block.start - dropped, block.end - dropped).map((row) => row.text),
    });
  }

  /** A message whose rows are gone: it was folded away, or it never was one. */
  #leave(live: LiveMessage, blocks: readonly Block[], place: MessagePlace): void {
    const message = this.#log.get(live.id);
    if (message === undefined) return;
    const own = squash(message.text);
    const isElsewhere =
      blocks.some((block) => block.role === message.role && squash(block.text).includes(own)) ||
      this.#state.live.some(({ id }) => id !== live.id && this.#matcher.isShowing(id, message.role, own));
    const isAgain = this.#matcher.isPending(live.id) && blocks.some((block) => this.#matcher.hasInput(live, block));
    const isAccident = message.role !== "tool-call" && !this.#isSettled(live);
    if (this.#commands.has(live.id)) return;
    if (isElsewhere || isAgain || isAccident || live.isSummary) this.#log.withdraw(live.id, place);
    else if (this.#state.folded.length < foldedMax) this.#state.folded.push(live);
    else this.#log.finish(live.id, place);
  }

  /** Keeps the state bounded: older messages are final, and of a very long one the rows in front become text. */
  #shrink(): void {
    if (this.#transcript.rows.length <= rowsKept * 2) return;
    const at = this.#transcript.end - rowsKept;
    const index = this.#state.live.findLastIndex(({ start }) => start <= at);
    for (const { id } of this.#state.live.splice(0, Math.max(0, index))) {
      this.#state.hasAsked ||= this.#log.get(id)?.role === "user";
      this.#log.forget(id);
    }
    const [first] = this.#state.live;
    if (first !== undefined && first.start < at) this.#behead(first, at);
    this.#transcript.drop(this.#state.live[0]?.start ?? at);
  }

  #behead(live: LiveMessage, at: number): void {
    const { rows, dropped } = this.#transcript;
    const next = this.#state.live[1]?.start ?? this.#transcript.end;
    const end = Math.min(at, next - 1);
    const own = rows.slice(live.start - dropped, end - dropped);
    const row = rows[end - dropped];
    if (row === undefined) return;
    const text = textOf(own, this.rules.breaksBehind);
    const role = this.#log.get(live.id)?.role ?? "assistant";
    this.#state.live[0] = { ...live, start: end, head: live.head === "" ? text : `${live.head}\n${text}` };
    this.#transcript.replace(end, { ...row, role: role as Row["role"], isStart: true });
  }
}
