/**
 * The row of this machine. One daemon holds a name at a time. A daemon takes a row that it does not know only after it has heard no sign of
 * life of its writer; if two write all the same (a copied data directory, a partition that ends), the one that took it last gives it up.
 *
 * The instance that took the name is kept in the data directory, which has one daemon at a time: after a restart the row is known to be free.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { JetStreamApiError, jetstream, type JetStreamManager } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { LecternError } from "../../../core/errors.ts";
import { readRow, type MachineRow } from "./machine-row.ts";
import { MACHINES_STREAM, rowSubject } from "./subjects.ts";

/** Two signs of life and a half. */
const LISTEN_MS = 2500;
const ANSWER_MS_MAX = 2000;
const INSTANCE_BYTES = 8;

/** What changes while a daemon runs. */
export type DaemonFacts = Pick<MachineRow, "version" | "protocolVersion" | "sessions" | "sinceMs">;

export interface OwnRowOptions {
  readonly machine: string;
  /** Holds the instance that took the name last. */
  readonly instanceFile: string;
  readonly facts: () => DaemonFacts;
  readonly onError: (error: unknown) => void;
}

export class OwnRow {
  readonly #options: OwnRowOptions;
  readonly #subject: string;
  readonly #instance = randomBytes(INSTANCE_BYTES).toString("hex");
  #beats = 0;
  /** Undefined until the name is taken. */
  #claim: number | undefined;
  #taking: Promise<void> | undefined;
  /** Of another daemon, while this one listens before it takes the name. */
  #heardOther: MachineRow | undefined;

  constructor(options: OwnRowOptions) {
    this.#options = options;
    this.#subject = rowSubject(options.machine);
  }

  /** Takes the name, once; again if JetStream did not answer then. Throws `NAME_TAKEN` if another daemon holds it. */
  async take(connection: NatsConnection, manager: JetStreamManager): Promise<void> {
    if (this.#claim !== undefined && this.#claim > 0) return;
    await (this.#taking ??= this.#take(connection, manager).finally(() => (this.#taking = undefined)));
  }

  /** Takes a row of this machine's name, from whom it may be. Throws `NAME_TAKEN` if its writer keeps the name. */
  heard(row: MachineRow): void {
    if (row.instance === this.#instance || row.state === "stopped") return;
    this.#heardOther = row;
    if (this.#claim === undefined || !this.#isBefore(row, this.#claim)) return;
    this.#claim = undefined;
    throw this.#taken();
  }

  /** Sends a sign of life. It is not repeated, and nobody waits for the stream to keep it. */
  beat(connection: NatsConnection): void {
    if (this.#claim !== undefined) connection.publish(this.#subject, this.#text(this.#claim, "running"));
  }

  /**
   * Reports that the daemon stops, or removes the row if the machine leaves the cluster. A claim that is under way is waited for: others may
   * have seen it before its answer is here.
   */
  async end(connection: NatsConnection, { leaves }: { readonly leaves: boolean }): Promise<void> {
    await this.#taking?.catch(() => undefined);
    if (this.#claim === undefined) return;
    if (leaves) this.#remove(connection);
    else connection.publish(this.#subject, this.#text(this.#claim, "stopped"));
    await connection.flush();
  }

  #remove(connection: NatsConnection): void {
    const operation = headers();
    operation.set("KV-Operation", "DEL");
    connection.publish(this.#subject, "", { headers: operation });
  }

  async #take(connection: NatsConnection, manager: JetStreamManager): Promise<void> {
    this.#heardOther = undefined;
    const found = await this.#read(manager);
    const ours = new Set([this.#instance, this.#formerInstance()]);
    const isFree =
      this.#claim === 0 || (found !== undefined && (found.row === undefined || ours.has(found.row.instance)));
    if (!isFree) await delay(LISTEN_MS);
    // Asked again, because it may have been heard meanwhile.
    if (this.#heardOther !== undefined) throw this.#taken();
    this.#claim = await this.#claimRow(connection, found?.sequence);
    this.#keepInstance();
  }

  /** The sequence of the claim; 0 if JetStream does not answer, which later claims go before. */
  async #claimRow(connection: NatsConnection, lastSubjectSequence: number | undefined): Promise<number> {
    if (lastSubjectSequence === undefined) return 0;
    try {
      const client = jetstream(connection, { timeout: ANSWER_MS_MAX });
      const text = this.#text(0, "running");
      const { seq } = await client.publish(this.#subject, text, { expect: { lastSubjectSequence }, retries: 0 });
      return seq;
    } catch (error) {
      if (connection.isClosed()) throw error;
      // Somebody else was faster.
      if (error instanceof JetStreamApiError && /wrong last sequence/i.test(error.message)) throw this.#taken();
      return 0;
    }
  }

  /** The row that the stream has kept; undefined if JetStream does not answer. */
  async #read(
    manager: JetStreamManager,
  ): Promise<{ readonly row: MachineRow | undefined; readonly sequence: number } | undefined> {
    try {
      const message = await manager.streams.getMessage(MACHINES_STREAM, { last_by_subj: this.#subject });
      if (message === null) return { row: undefined, sequence: 0 };
      const row = message.header?.get("KV-Operation") ? undefined : readRow(this.#options.machine, message.string());
      return { row: row?.state === "stopped" ? undefined : row, sequence: message.seq };
    } catch (error) {
      return error instanceof JetStreamApiError && error.status === 404 ? { row: undefined, sequence: 0 } : undefined;
    }
  }

  /** The lowest claim keeps the name; of two without one, the lower instance, so that both decide alike. */
  #isBefore(other: MachineRow, claim: number): boolean {
    const [theirs, mine] = [other.claim || Infinity, claim || Infinity];
    return theirs === mine ? other.instance < this.#instance : theirs < mine;
  }

  #text(claim: number, state: MachineRow["state"]): string {
    const beat = (this.#beats += 1);
    const row: MachineRow = {
      name: this.#options.machine,
      ...this.#options.facts(),
      instance: this.#instance,
      beat,
      claim,
      state,
    };
    return JSON.stringify(row);
  }

  #formerInstance(): string | undefined {
    try {
      return readFileSync(this.#options.instanceFile, "utf8").trim();
    } catch {
      return undefined;
    }
  }

  /** Without the file, the next daemon listens before it takes the name. */
  #keepInstance(): void {
    try {
      writeFileSync(this.#options.instanceFile, `${this.#instance}\n`, { mode: 0o600 });
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #taken(): LecternError {
    const { machine } = this.#options;
    const next = 'each machine needs a token of its own: "lectern cluster add NAME" makes one';
    return new LecternError(
      "NAME_TAKEN",
      `Cannot join as "${machine}": another daemon uses its key, version ${this.#heardOther?.version ?? "unknown"}; ${next}`,
    );
  }
}
