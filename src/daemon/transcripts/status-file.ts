/** The file in which an agent says what it does now, such as Claude Code's `sessions/PID.json`: each change is a fact of the journal. */
import { basename } from "node:path";
import { jsonValueOf } from "../../core/json/json-value.ts";
import type { SourceFact } from "../../core/records.ts";
import { STATUS_SOURCE } from "../../core/status/file-signal.ts";
import { asName, asObject } from "../../core/wire/shape.ts";
import { RecordRefusal, watchBeside, type RecordPlace } from "./record-file.ts";
import { documentLine, WholeRecord } from "./whole-record.ts";

export interface StatusPlace extends RecordPlace {
  readonly path: string;
  /** Whether its content is still of this process. */
  readonly isOwn: (content: Readonly<Record<string, unknown>>) => boolean;
  readonly append: (fact: Omit<SourceFact, "type">) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

export class StatusFile implements Disposable {
  readonly #place: StatusPlace;
  /** It is written without being emptied first, and then cut. */
  readonly #document: WholeRecord;
  readonly #watcher: Disposable | undefined;
  #last = "";

  constructor(place: StatusPlace) {
    this.#place = place;
    this.#document = new WholeRecord(place.path, place, documentLine);
    const name = basename(place.path);
    // Beside it are keys, which are never opened.
    this.#watcher = watchBeside(place.path, (file) => {
      if (file === name) this.check();
    });
    this.check();
  }

  check(): void {
    const content = this.#changed();
    // A name that is not there is not in the JSON of a fact.
    const payload = { status: asName(content?.["status"]), waitingFor: asName(content?.["waitingFor"]) };
    const text = JSON.stringify(payload);
    if (content === undefined || payload.status === undefined || text === this.#last) return;
    if (!this.#place.isOwn(content)) return;
    this.#last = text;
    const id = `${this.#document.writtenMs} ${payload.status}`;
    this.#place.append({ source: STATUS_SOURCE, id, payload }).catch(this.#place.onError);
  }

  [Symbol.dispose](): void {
    this.#watcher?.[Symbol.dispose]();
  }

  #changed(): Readonly<Record<string, unknown>> | undefined {
    try {
      return asObject(jsonValueOf(Buffer.from(this.#document.next()).toString()));
    } catch (error) {
      // It is gone with its agent, or something else is in its place.
      if (error instanceof RecordRefusal) return undefined;
      throw error;
    }
  }
}
