/** The sessions of the registry as the pty hosts report them: found again, unreachable, or ended while nobody saw it. */
import { waits } from "../../core/waits.ts";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { isNoSpace } from "../../core/no-space.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { Hello, HostedInfo, Notice } from "../../host/messages.ts";
import type { FoundHost, HostPoolListener } from "./host-pool.ts";
import { within } from "../../timers/within.ts";
import { closeUnseen, isUnstarted } from "../sessions/recovery.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";

/** What is done with a session whose program is known not to run. */
export interface SessionEnds {
  readonly end: (entry: SessionEntry) => Promise<unknown>;
  /** It was never started: nothing of it is left. */
  readonly removeUnstarted: (entry: SessionEntry) => Promise<void>;
}

/** A session whose program does not run. */
interface Orphan {
  readonly entry: SessionEntry;
  readonly result: "closed" | "no-space" | "unstarted";
}

/** Keeps the registry in step with what the hosts say. */
export class HostSync implements HostPoolListener, AsyncDisposable {
  readonly #registry: SessionRegistry;
  readonly #ends: SessionEnds;
  readonly #onError: (error: unknown) => void;
  /** Who sits where, as it was found last: a seat is asked for up to 1,000 times a second. */
  readonly #seats = new WeakMap<HostClient, Map<number, SessionEntry>>();
  /** Hosts whose protocol this version does not know, by the names of their sockets. */
  readonly #foreign = new Map<string, Hello>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #finishing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(registry: SessionRegistry, ends: SessionEnds, onError: (error: unknown) => void) {
    this.#registry = registry;
    this.#ends = ends;
    this.#onError = onError;
  }

  onTail(host: HostClient, handle: number, end: number): void {
    this.#seated(host, handle)?.advance(end);
  }

  onNotice(host: HostClient, notice: Notice): void {
    const entry = this.#registry.get(notice.session);
    if (entry === undefined) return;
    if (notice.type === "exit") {
      entry.end(notice.exit, notice.end, new Date());
      const finishing = this.finish([{ entry, result: "closed" }])
        .catch(this.#onError)
        .finally(() => this.#finishing.delete(finishing));
      this.#finishing.add(finishing);
      return;
    }
    entry.degrade(host, notice.message);
    this.#registry.save(entry).catch(this.#onError);
  }

  onGone(host: HostClient, again: FoundHost | undefined): void {
    const seated = [...this.#registry.all].filter((entry) => entry.seat?.client === host);
    for (const entry of seated) entry.seat = undefined;
    this.#settle(again, seated);
  }

  /** A host that answers: what it runs goes on here. */
  async found(host: HostClient, running: readonly HostedInfo[]): Promise<void> {
    if (!host.understood) this.#foreign.set(basename(host.path), host.hello);
    for (const info of running) {
      const entry = this.#registry.get(info.session);
      if (entry === undefined) continue;
      entry.settle(host, info);
      // The viewer whose window it fits has left without a daemon, unless it attaches again by then.
      this.#later(waits.arrivalMs, () => entry.fitWindow());
      await this.#registry.save(entry);
    }
  }

  onUnreachable(name: string, reason: string): void {
    for (const entry of this.awaiting(name)) this.#markUnreachable(entry, reason);
  }

  /** A host that did not answer before has answered, or has ended. */
  onSought(name: string, found: FoundHost | undefined): void {
    this.#settle(
      found,
      this.awaiting(name).filter(({ seat }) => seat === undefined),
    );
  }

  awaiting(name: string): SessionEntry[] {
    return this.#registry.all.filter(({ live, stored }) => live && stored.host === name).toArray();
  }

  /** Ends of sessions that are being written have a moment for it; the next daemon finds the others. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await within(waits.partMs, Promise.all(this.#finishing));
  }

  #markUnreachable(entry: SessionEntry, reason: string): void {
    entry.unreachable = reason;
    this.#registry.save(entry).catch(this.#onError);
  }

  /** What a host says that it runs goes on here; of those, what it does not run has ended. */
  #settle(found: FoundHost | undefined, entries: readonly SessionEntry[]): void {
    const settled = found === undefined ? Promise.resolve() : this.found(found.host, found.running);
    settled.then(() => this.#closeAndFinish(entries)).catch(this.#onError);
  }

  async #closeAndFinish(entries: Iterable<SessionEntry>): Promise<void> {
    await this.finish(await this.closeOrphans(entries));
  }

  /** Closes the journals of those that were running and that no host runs any more; the caller gives them to `finish`. Only for sessions that are not just being started. */
  async closeOrphans(entries: Iterable<SessionEntry>): Promise<readonly Orphan[]> {
    const orphans: Orphan[] = [];
    for (const entry of entries) {
      if (!entry.live || entry.seat !== undefined) continue;
      const result = await closeOrphan(entry);
      if (result === "held") this.#closeLater(entry);
      else orphans.push({ entry, result });
    }
    return orphans;
  }

  /** The parts of sessions end before their end is saved, so that the next daemon ends them if this one is killed. */
  async finish(orphans: readonly Orphan[]): Promise<void> {
    for (const { entry, result } of orphans) {
      if (result === "unstarted") {
        await this.#ends.removeUnstarted(entry);
        continue;
      }
      this.#registry.announce(entry);
      await this.#ends.end(entry);
      // On a full disk it is not saved, so the next daemon tries again to write the end.
      if (result === "closed") await this.#registry.save(entry);
    }
  }

  /** Somebody writes its journal, so it goes on, whoever that is. */
  #closeLater(entry: SessionEntry): void {
    const hello = this.#foreign.get(entry.stored.host ?? "");
    const writer = "its journal is being written by a process that does not answer";
    this.#markUnreachable(entry, hello === undefined ? writer : foreignHost(hello));
    this.#later(waits.retryMs, () => this.#closeAndFinish([entry]));
  }

  #later(delayMs: number, run: () => Promise<unknown>): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#isClosed) run().catch(this.#onError);
    }, delayMs);
    this.#timers.add(timer);
  }

  #seated(host: HostClient, handle: number): SessionEntry | undefined {
    const isSeated = (entry: SessionEntry): boolean => entry.seat?.client === host && entry.seat.handle === handle;
    const seats = this.#seats.get(host) ?? new Map<number, SessionEntry>();
    this.#seats.set(host, seats);
    const known = seats.get(handle);
    if (known !== undefined && isSeated(known)) return known;
    const found = this.#registry.all.find(isSeated);
    if (found === undefined) seats.delete(handle);
    else seats.set(handle, found);
    return found;
  }
}

const foreignHost = ({ pid, protocol, version }: Hello): string =>
  `its pty host (process ${pid}) of version ${version} speaks protocol ${protocol}, which this version does not know; that version can use it`;

/** `unstarted`: its program was not started. `held`: another process writes the journal, so the session goes on. `no-space`: the end could not be written. */
async function closeOrphan(entry: SessionEntry): Promise<Orphan["result"] | "held"> {
  try {
    if (await isUnstarted(entry)) return "unstarted";
    // Opening the journal would create the directory again.
    if (!existsSync(entry.directory)) throw new Error("its directory is missing");
    await closeUnseen(entry);
    return "closed";
  } catch (error) {
    if (error instanceof LecternError && error.code === "CONFLICT") return "held";
    entry.end({ reason: "lost", code: null, signal: null }, entry.stored.end, new Date());
    if (isNoSpace(error)) return "no-space";
    const reason = error instanceof Error ? error.message : String(error);
    entry.damage ??= `its journal cannot be closed (${reason}): "lectern rm ${entry.id}" removes it`;
    return "closed";
  }
}
