/**
 * What this machine knows of its replicas without asking: which ended sessions are complete, so that nothing is compared for them, and which
 * have to be removed. A file that is lost costs a comparison of each session.
 */
import { rename, writeFile } from "node:fs/promises";
import * as z from "zod";
import type { StreamFacts } from "./replica-stream.ts";
import { readJsonFile } from "../../../../host/json-file.ts";

const SAVE_MS = 1000;

const ledgerSchema = z.object({
  created: z.string(),
  complete: z.record(z.string(), z.object({ end: z.int(), sequence: z.int() })),
  removed: z.array(z.string()),
});

type Complete = z.infer<typeof ledgerSchema>["complete"][string];

export class ReplicaLedger {
  readonly #path: string;
  readonly #onError: (error: unknown) => void;
  readonly #complete = new Map<string, Complete>();
  readonly #removed = new Set<string>();
  /** Of the stream that `#complete` is about. */
  #created = "";
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(path: string, onError: (error: unknown) => void) {
    this.#path = path;
    this.#onError = onError;
    const kept = readLedger(path);
    if (kept === undefined) return;
    this.#created = kept.created;
    for (const [session, complete] of Object.entries(kept.complete)) this.#complete.set(session, complete);
    for (const session of kept.removed) this.#removed.add(session);
  }

  /** To be removed from the stream. */
  get removed(): readonly string[] {
    return [...this.#removed];
  }

  isComplete(session: string, end: number): boolean {
    return this.#complete.get(session)?.end === end;
  }

  complete(session: string, complete: Complete): void {
    this.#complete.set(session, complete);
    this.#change();
  }

  /** A person has removed the session. */
  remove(session: string): void {
    this.#complete.delete(session);
    this.#removed.add(session);
    this.#change();
  }

  /** Its replica is removed, too. */
  forget(session: string): void {
    if (this.#removed.delete(session)) this.#change();
  }

  /**
   * The stream as it is. What it has lost is no longer complete: everything if it is another stream, otherwise what is behind its end. What it
   * has dropped for newer messages stays so. Returns whether something is to be sent again.
   */
  compare({ created, lastSequence }: StreamFacts): boolean {
    const isOther = created !== this.#created;
    const lost = [...this.#complete].filter(([, { sequence }]) => isOther || sequence > lastSequence);
    for (const [session] of lost) this.#complete.delete(session);
    this.#created = created;
    if (isOther || lost.length > 0) this.#change();
    return lost.length > 0;
  }

  async close(): Promise<void> {
    if (this.#timer !== undefined) this.#save();
    await this.#saving;
  }

  #change(): void {
    this.#timer ??= setTimeout(() => this.#save(), SAVE_MS).unref();
  }

  #save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = JSON.stringify({
      created: this.#created,
      complete: Object.fromEntries(this.#complete),
      removed: [...this.#removed],
    });
    this.#saving = this.#saving.then(async () => await this.#write(text)).catch(this.#onError);
  }

  async #write(text: string): Promise<void> {
    await writeFile(`${this.#path}.new`, text, { mode: 0o600 });
    await rename(`${this.#path}.new`, this.#path);
  }
}

const readLedger = (path: string): z.infer<typeof ledgerSchema> | undefined =>
  ledgerSchema.safeParse(readJsonFile(path)).data;
