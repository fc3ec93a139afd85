/** The file in which an agent says what it does now, such as Claude Code's `sessions/PID.json`: each change is a fact of the journal. */
import { statSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import { jsonValueOf } from "../../core/json/json-value.ts";
import type { SourceFact } from "../../core/records.ts";
import { STATUS_SOURCE } from "../../core/status/file-signal.ts";
import { waits } from "../../core/waits.ts";
import { asName, asObject } from "../../core/wire/shape.ts";
import { readRegularFile } from "../resume/regular-file.ts";

const FILE_BYTES_MAX = 64 * 1024;

export interface StatusPlace {
  readonly path: string;
  /** Whether its content is still of this process. */
  readonly isOwn: (content: Readonly<Record<string, unknown>>) => boolean;
  readonly append: (fact: Omit<SourceFact, "type">) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

export class StatusFile implements Disposable {
  readonly #place: StatusPlace;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #changedMs = 0;
  #last = "";

  constructor(place: StatusPlace) {
    this.#place = place;
    try {
      const name = basename(place.path);
      this.#watcher = watch(dirname(place.path), { persistent: false }, (_, file) => {
        // Beside it are keys, which are never opened.
        if (file === name) this.check();
      });
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      // The checks of each second remain.
    }
    this.check();
  }

  check(): void {
    const stats = statSync(this.#place.path, { throwIfNoEntry: false });
    if (stats === undefined || stats.mtimeMs === this.#changedMs || stats.size > FILE_BYTES_MAX || !stats.isFile())
      return;
    const content = this.#content();
    // It is written without being emptied first, and then cut.
    if (content === undefined) this.#timer ??= setTimeout(() => this.#again(), waits.pollMs).unref();
    if (content === undefined) return;
    this.#changedMs = stats.mtimeMs;
    // A name that is not there is not in the JSON of a fact.
    const payload = { status: asName(content["status"]), waitingFor: asName(content["waitingFor"]) };
    const text = JSON.stringify(payload);
    if (payload.status === undefined || text === this.#last || !this.#place.isOwn(content)) return;
    this.#last = text;
    const id = `${stats.mtimeMs} ${payload.status}`;
    this.#place.append({ source: STATUS_SOURCE, id, payload }).catch(this.#place.onError);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #again(): void {
    this.#timer = undefined;
    if (this.#watcher !== undefined) this.check();
  }

  #content(): Readonly<Record<string, unknown>> | undefined {
    try {
      return asObject(jsonValueOf(readRegularFile(this.#place.path, FILE_BYTES_MAX).toString()));
    } catch {
      return undefined;
    }
  }
}
