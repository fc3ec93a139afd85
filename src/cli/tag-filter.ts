/** Removes the tags of trusted events from a stream of text. */
import { eventKey } from "../core/events/event-key.ts";
import { mayHaveTag } from "../core/events/text-scan.ts";
import { TagScanner, type TagScanItem, type TagScannerOptions } from "../core/events/tag-scanner.ts";

interface TagFilterOptions extends TagScannerOptions {
  /** The keys of the trusted events that were reported since the last call. */
  readonly newSignals: () => Promise<Iterable<string>>;
  readonly write: (text: string) => Promise<void>;
}

const encoder = new TextEncoder();

/** Says that an output is not exactly what the program wrote; undefined if it is. `command` shows all of it. */
export const tagsNote = (tags: number, command: string): string | undefined =>
  tags === 0
    ? undefined
    : `${tags} trusted event ${tags === 1 ? "tag was" : "tags were"} left out: "lectern ${command}" shows ${tags === 1 ? "it" : "them"}`;

/** What may be the start of a tag is held back for a moment, so that a prompt that ends in `<` appears. */
export class TagFilter implements Disposable {
  readonly #scanner: TagScanner;
  readonly #options: TagFilterOptions;
  readonly #signals = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Texts are written in order. */
  #written: Promise<void> = Promise.resolve();

  /** So many were removed. */
  #tags = 0;

  get tags(): number {
    return this.#tags;
  }

  constructor(options: TagFilterOptions) {
    const isSignal = ({ name, body }: { readonly name: string; readonly body: string }): boolean =>
      this.#signals.has(eventKey(name, body));
    this.#scanner = new TagScanner({ ...options, isSignal, isPlain: true });
    this.#options = options;
  }

  async feed(text: string): Promise<void> {
    if (this.#scanner.isHolding || mayHaveTag(text, this.#options))
      for (const key of await this.#options.newSignals()) this.#signals.add(key);
    const timeMs = performance.now();
    await this.#print(this.#scanner.feed(encoder.encode(text), { offset: 0, timeMs }));
    clearTimeout(this.#timer);
    const { wakeMs } = this.#scanner;
    if (wakeMs === null) return;
    this.#timer = setTimeout(
      () => void this.#print(this.#scanner.tick(performance.now())).catch(() => undefined),
      Math.max(0, wakeMs - timeMs) + 1,
    );
  }

  /** Writes what is held back: no more text comes. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#print(this.#scanner.end());
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #print(items: readonly TagScanItem[]): Promise<void> {
    this.#tags += items.filter(({ type }) => type === "tag").length;
    const text = items.map((item) => (item.type === "text" ? Buffer.from(item.bytes).toString() : "")).join("");
    if (text !== "") this.#written = this.#written.then(async () => await this.#options.write(text));
    return this.#written;
  }
}
