/**
 * Files and directories that are made so that a sandbox can mount over them, and removed when the last session that uses them has ended.
 * Only what is still as it was made is removed: an empty directory, a file with the same text.
 */
import { lstatSync, mkdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import type { SandboxPlan, StandIn } from "../../core/sandbox/plan.ts";

export class StandIns {
  readonly #held = new Map<string, { readonly standIn: StandIn; readonly sessions: Set<string> }>();

  /**
   * Makes those of a plan that do not exist, for a session; `beforeMaking` is called with them first. Returns what it must give back: the ones it made, and those of other sessions over
   * which it mounts as well. Throws what the file system throws; then none is left behind.
   */
  take(
    session: string,
    { mounts, standIns }: Pick<SandboxPlan, "mounts" | "standIns">,
    beforeMaking: (missing: readonly StandIn[]) => void = () => undefined,
  ): readonly StandIn[] {
    beforeMaking(standIns.filter(({ path }) => lstatSync(path, { throwIfNoEntry: false }) === undefined));
    const made: StandIn[] = [];
    try {
      for (const standIn of standIns) if (make(standIn)) made.push(standIn);
    } catch (error) {
      this.hold(session, made);
      this.release(session, made);
      throw error;
    }
    this.hold(session, made);
    const taken = mounts.flatMap(({ path }) => this.#held.get(path)?.standIn ?? []);
    this.hold(session, taken);
    return taken;
  }

  /** Notes what a session uses, also after a restart of the daemon. */
  hold(session: string, taken: readonly StandIn[]): void {
    for (const standIn of taken) {
      const held = this.#held.get(standIn.path) ?? { standIn, sessions: new Set() };
      held.sessions.add(session);
      this.#held.set(standIn.path, held);
    }
  }

  /** Whether a session that runs has something of its own there. */
  holds(path: string): boolean {
    return this.#held.has(path);
  }

  release(session: string, taken: readonly StandIn[]): void {
    // Children before the directory that contains them.
    for (const { path } of taken.toSorted((left, right) => right.path.length - left.path.length)) {
      const held = this.#held.get(path);
      held?.sessions.delete(session);
      if (held === undefined || held.sessions.size > 0) continue;
      this.#held.delete(path);
      remove(held.standIn);
    }
  }
}

/** False if something is there already. */
function make({ path, text }: StandIn): boolean {
  try {
    if (text === null) mkdirSync(path);
    else writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function remove({ path, text }: StandIn): void {
  try {
    if (text === null) rmdirSync(path);
    else if (readFileSync(path, "utf8") === text) unlinkSync(path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // Somebody outside has put something in it, or has removed it.
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR", "EISDIR", "EBUSY", "EACCES", "EPERM", "EROFS"].includes(code))
      throw error;
  }
}
