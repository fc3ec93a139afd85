/**
 * Which sessions are attached to from inside which others. What such an attachment prints of its session is output of the session around it,
 * so a circle of them would feed itself without end: whoever would close one is refused, also if it is read-only.
 */
import { LecternError } from "../../core/errors.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";

/** An attachment to `shown` by a program in `inside`. */
interface Showing {
  readonly inside: SessionEntry;
  readonly shown: SessionEntry;
}

export class ShownSessions {
  readonly #open = new Set<Showing>();

  /** Holds until it is disposed of. Throws `CONFLICT`. */
  open(inside: SessionEntry, shown: SessionEntry): Disposable {
    const path = this.#pathTo(inside, [shown], new Set());
    if (path !== undefined) throw new LecternError("CONFLICT", circleText(path));
    const showing = { inside, shown };
    this.#open.add(showing);
    return { [Symbol.dispose]: () => void this.#open.delete(showing) };
  }

  /** The sessions by which the last one of `path` shows `target`; undefined if it does not. */
  #pathTo(target: SessionEntry, path: readonly SessionEntry[], seen: Set<SessionEntry>): Path | undefined {
    const last = path.at(-1);
    if (last === undefined || seen.has(last)) return undefined;
    if (last === target) return path;
    seen.add(last);
    for (const { inside, shown } of this.#open) {
      const found = inside === last ? this.#pathTo(target, [...path, shown], seen) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

type Path = readonly SessionEntry[];

/** From the session that is to be shown to the one that the caller is inside of. */
function circleText(path: Path): string {
  const [shown = "", ...others] = path.map(({ stored }) => stored.name);
  const inside = others.pop();
  const next = `attach in a terminal outside Lectern, or use "lectern screen ${shown}"`;
  if (inside === undefined)
    return `Cannot attach to "${shown}": this terminal is inside it and would show itself; ${next}`;
  const through = others.length === 0 ? "" : ` through ${others.map((name) => `"${name}"`).join(", ")}`;
  return (
    `Cannot attach to "${shown}": this terminal is inside "${inside}", which "${shown}" shows${through}, ` +
    `so the output would circle without end; ${next}`
  );
}
