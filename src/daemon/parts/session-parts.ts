import { within } from "../../timers/within.ts";
import type { DaemonProblems } from "../problems.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { ProgramLaunch, SessionPart, StartSpec } from "./session-part.ts";

interface SessionPartsOptions {
  /** In the order in which they begin. */
  readonly parts: readonly SessionPart[];
  /** A part that takes longer to end is reported, and the next one is ended. */
  readonly endMsMax: number;
  readonly problems: Pick<DaemonProblems, "set">;
  readonly onError: (error: unknown) => void;
}

interface PartsEnd {
  /** Parts that have not ended in time, and those that failed. */
  readonly unfinished: readonly Promise<void>[];
}

export class SessionParts {
  readonly #options: SessionPartsOptions;
  readonly #resuming = new WeakMap<SessionEntry, Promise<void>>();
  readonly #ending = new WeakMap<SessionEntry, Promise<PartsEnd>>();

  constructor(options: SessionPartsOptions) {
    this.#options = options;
  }

  /** Throws what a part throws: the caller ends all of them. */
  async begin(spec: StartSpec, launch: ProgramLaunch): Promise<void> {
    for (const part of this.#options.parts) await part.begin(spec, launch);
  }

  /** A part that cannot be resumed is reported as damage of the session. */
  async resume(entry: SessionEntry): Promise<void> {
    const resuming = this.#resume(entry);
    this.#resuming.set(entry, resuming);
    await resuming;
  }

  async #resume(entry: SessionEntry): Promise<void> {
    for (const part of this.#options.parts) {
      try {
        await part.resume?.(entry);
      } catch (error) {
        entry.damage ??= error instanceof Error ? error.message : String(error);
        this.#options.onError(error);
      }
    }
  }

  /** Ends the parts, the last one first; once, however often it is called. */
  async end(entry: SessionEntry): Promise<PartsEnd> {
    const ending = this.#ending.get(entry) ?? this.#endAll(entry);
    this.#ending.set(entry, ending);
    const end = await ending;
    // The next call tries again.
    if (end.unfinished.length > 0) this.#ending.delete(entry);
    return end;
  }

  async #endAll(entry: SessionEntry): Promise<PartsEnd> {
    await within(this.#options.endMsMax, this.#resuming.get(entry) ?? Promise.resolve());
    const unfinished: Promise<void>[] = [];
    for (const part of this.#options.parts.toReversed()) {
      if (part.end === undefined) continue;
      const ending = Promise.try(part.end, entry);
      if (!(await this.#hasEnded(part, entry, ending))) unfinished.push(ending);
    }
    return { unfinished };
  }

  async #hasEnded({ name }: SessionPart, { id, stored }: SessionEntry, ending: Promise<void>): Promise<boolean> {
    const { endMsMax, onError, problems } = this.#options;
    const subject = `the ${name} of session "${stored.name}" (${id})`;
    const next =
      stored.state === "starting"
        ? 'the next daemon tries again ("lectern down && lectern up")'
        : `"lectern rm ${id}" tries again`;
    try {
      if (
        (await within(
          endMsMax,
          ending.then(() => true),
        )) === true
      ) {
        problems.set(subject, null);
        return true;
      }
      problems.set(subject, `Cannot end ${subject}: it takes longer than ${endMsMax} ms; if it stays so, ${next}`);
      ending.then(() => problems.set(subject, null)).catch(onError);
    } catch (error) {
      onError(error);
      const reason = error instanceof Error ? error.message : String(error);
      problems.set(subject, `Cannot end ${subject}: ${reason}; ${next}`);
    }
    return false;
  }
}
