/** Server-sent events (WHATWG HTML, section 9.2): bytes in, events out, at any chunking. */

export interface StreamEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/** An event that does not end within this many characters is an error of the server. */
const EVENT_CHARS_MAX = 16 * 1024 * 1024;

export class EventStreamReader {
  readonly #decoder = new TextDecoder();
  #text = "";
  #data: string[] = [];
  #event = "";
  #id = "";

  /** Throws a `RangeError` where an event is too large. */
  feed(chunk: Uint8Array): StreamEvent[] {
    this.#text += this.#decoder.decode(chunk, { stream: true });
    const events: StreamEvent[] = [];
    // A CR at the very end may be half of a CRLF: it waits for what follows.
    const lines = this.#text.split(/\r\n|\n|\r(?!$)/);
    this.#text = lines.pop() ?? "";
    if (this.#text.length > EVENT_CHARS_MAX) throw new RangeError("An event of the stream is too large");
    for (const line of lines) {
      const event = this.#takeLine(line);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  #takeLine(line: string): StreamEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return undefined;
  }

  #dispatch(): StreamEvent | undefined {
    const data = this.#data;
    const event = this.#event === "" ? "message" : this.#event;
    this.#data = [];
    this.#event = "";
    return data.length === 0 ? undefined : { event, data: data.join("\n"), id: this.#id };
  }
}
