/** The stream of the replicas of one machine: what is asked of JetStream, and what its failures mean. Nothing is repeated here. */
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { jetstream, JetStreamApiError, type JetStreamManager, type StoredMsg } from "@nats-io/jetstream";
import {
  headers,
  NoRespondersError,
  RequestError,
  TimeoutError,
  type MsgHdrs,
  type NatsConnection,
} from "@nats-io/transport-node";
import {
  decodeReplicaHeader,
  encodeReplicaHeader,
  type ReplicaHeader,
  type StoredHeader,
} from "../../core/replica-message.ts";
import { auditSubject, factsSubject, journalSubject, replicasStream } from "../subjects.ts";

const HEADER = "Lec-Replica";
/** Place of the first row in the audit log, and of the row behind the last one. */
const AUDIT_HEADER = "Lec-Audit";
/** Before compression. */
const AUDIT_BYTES_MAX = 4 * 1024 * 1024;
/** A publish or a read that was not answered has failed; an election takes 4 to 9 s, and is waited for by trying again. */
const ANSWER_MS_MAX = 5000;
const ZSTD_LEVEL = 1;
/** As the server numbers them. */
const WRONG_LAST_SEQUENCE = 10_071;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export interface StoredReplica {
  readonly header: StoredHeader;
  /** The raw frames; a length other than `header.rawBytes` shows damage. */
  readonly bytes: Uint8Array;
}

/** Rows of the audit log that follow each other, as JSON, one in a line. */
export interface AuditBatch {
  /** Places in the log of its machine. */
  readonly from: number;
  readonly next: number;
  readonly text: string;
}

export interface StreamFacts {
  /** Another stream of the same name has another one. */
  readonly created: string;
  readonly lastSequence: number;
  readonly bytes: number;
}

export class ReplicaStream {
  readonly machine: string;
  readonly #connection: NatsConnection;
  readonly #manager: JetStreamManager;
  readonly #name: string;

  constructor(machine: string, connection: NatsConnection, manager: JetStreamManager) {
    this.machine = machine;
    this.#connection = connection;
    this.#manager = manager;
    this.#name = replicasStream(machine);
  }

  /** Undefined if there is no such stream. Throws if JetStream does not answer. */
  async info(): Promise<StreamFacts | undefined> {
    try {
      const { created, state } = await this.#manager.streams.info(this.#name);
      return {
        created,
        lastSequence: state.last_seq,
        bytes: state.bytes,
      };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Ids of the sessions of which the stream has facts. */
  async sessions(): Promise<string[]> {
    const all = factsSubject(this.machine, "*");
    const { state } = await this.#manager.streams.info(this.#name, { subjects_filter: all });
    return Object.keys(state.subjects ?? {}).map((subject) => subject.slice(all.length - 1));
  }

  /** The header of the last message of a session. */
  async tail(session: string): Promise<StoredHeader | undefined> {
    const last_by_subj = journalSubject(this.machine, session);
    const message = await this.#manager.streams.getMessage(this.#name, { last_by_subj });
    return message === null ? undefined : headerOf(message);
  }

  /** The headers of a session from a sequence on, one at a time. Messages that are not of this version are left out. */
  async *headers(session: string, fromSequence: number): AsyncGenerator<StoredHeader, void, undefined> {
    for await (const message of this.#messages(session, fromSequence)) {
      const header = headerOf(message);
      if (header !== undefined) yield header;
    }
  }

  /** The messages of a session in the order of their sequences, from the oldest that the stream still has. */
  async *replica(session: string): AsyncGenerator<StoredReplica, void, undefined> {
    for await (const message of this.#messages(session, 0)) {
      const header = headerOf(message);
      if (header === undefined) continue;
      const bytes = await decompress(message.data, { maxOutputLength: Math.max(1, header.rawBytes) }).catch(
        () => new Uint8Array(0),
      );
      yield { header, bytes };
    }
  }

  /** Resolves with the sequence, or with undefined if the last sequence of the subject is another one. Throws every other failure. */
  async publish(
    session: string,
    header: ReplicaHeader,
    { bytes, expectedSequence }: { readonly bytes: Uint8Array; readonly expectedSequence: number },
  ): Promise<number | undefined> {
    const given = headers();
    given.set(HEADER, encodeReplicaHeader(header));
    return await this.#put(journalSubject(this.machine, session), { bytes, expectedSequence, headers: given });
  }

  /** Where the replica of the audit log ends; 0 and 0 if there is none, or one of another version. */
  async auditTail(): Promise<{ readonly next: number; readonly sequence: number }> {
    const message = await this.#manager.streams.getMessage(this.#name, { last_by_subj: auditSubject(this.machine) });
    if (message === null) return { next: 0, sequence: 0 };
    return { next: auditPlaces(message)?.next ?? 0, sequence: message.seq };
  }

  /** As `publish`. */
  async publishAudit({ from, next, text }: AuditBatch, expectedSequence: number): Promise<number | undefined> {
    const given = headers();
    given.set(AUDIT_HEADER, `${from} ${next}`);
    const bytes = Buffer.from(text);
    return await this.#put(auditSubject(this.machine), { bytes, expectedSequence, headers: given });
  }

  /** The batches of the audit log that the stream still has. What cannot be read is left out. */
  async *audit(): AsyncGenerator<AuditBatch, void, undefined> {
    for await (const message of this.#messages("audit", 0)) {
      const places = auditPlaces(message);
      if (places === undefined) continue;
      const bytes = await decompress(message.data, { maxOutputLength: AUDIT_BYTES_MAX }).catch(() => undefined);
      if (bytes !== undefined) yield { ...places, text: bytes.toString("utf8") };
    }
  }

  async #put(
    subject: string,
    put: { readonly bytes: Uint8Array; readonly expectedSequence: number; readonly headers: MsgHdrs },
  ): Promise<number | undefined> {
    const data = await compress(put.bytes, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
    try {
      const { seq, duplicate } = await this.#client.publish(subject, data, {
        headers: put.headers,
        expect: { streamName: this.#name, lastSubjectSequence: put.expectedSequence },
        retries: 0,
      });
      return duplicate ? undefined : seq;
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE) return undefined;
      throw error;
    }
  }

  /** Replaces what is known of a session. */
  async putFacts(session: string, text: string): Promise<void> {
    await this.#client.publish(factsSubject(this.machine, session), text, { retries: 0 });
  }

  /** Undefined if there are none. */
  async facts(session: string): Promise<string | undefined> {
    const last_by_subj = factsSubject(this.machine, session);
    return (await this.#manager.streams.getMessage(this.#name, { last_by_subj }))?.string();
  }

  /** Removes a session from the stream. */
  async remove(session: string): Promise<void> {
    for (const subject of [journalSubject(this.machine, session), factsSubject(this.machine, session)]) {
      await this.#manager.streams.purge(this.#name, { filter: subject });
    }
  }

  get #client() {
    return jetstream(this.#connection, { timeout: ANSWER_MS_MAX });
  }

  /** No consumer is made: members have no right to it, see `permissions.ts`. */
  async *#messages(session: string, fromSequence: number): AsyncGenerator<StoredMsg, void, undefined> {
    const next_by_subj = journalSubject(this.machine, session);
    for (let seq = fromSequence; ;) {
      // The server knows this request, the type of the client library does not.
      const query = { seq, next_by_subj } as unknown as { readonly seq: number };
      const message = await this.#manager.streams.getMessage(this.#name, query);
      if (message === null) return;
      yield message;
      seq = message.seq + 1;
    }
  }
}

function headerOf({ header, seq }: StoredMsg): StoredHeader | undefined {
  const decoded = decodeReplicaHeader(header?.get(HEADER) ?? "");
  return decoded === undefined ? undefined : { ...decoded, sequence: seq };
}

function auditPlaces({ header }: StoredMsg): Pick<AuditBatch, "from" | "next"> | undefined {
  const [, from, next] = /^(\d{1,15}) (\d{1,15})$/.exec(header?.get(AUDIT_HEADER) ?? "") ?? [];
  return from === undefined || next === undefined ? undefined : { from: Number(from), next: Number(next) };
}

const isNotFound = (error: unknown): boolean => error instanceof JetStreamApiError && error.status === 404;

/** Why a request failed, for a person, with the next step if there is one. */
export function failureReason(error: unknown): string {
  if (isNotFound(error)) return MISSING;
  if (error instanceof JetStreamApiError) {
    const isFull = /maximum (bytes|messages)|insufficient|resource|storage/i.test(error.message);
    return isFull
      ? `the quota of the cluster is full (${error.message}): give JetStream more space, or remove sessions with "lectern rm"`
      : `JetStream refused: ${error.message}`;
  }
  const { cause } = error instanceof Error ? error : {};
  if (cause instanceof NoRespondersError || cause instanceof RequestError)
    return "JetStream does not answer: no leader";
  if (error instanceof TimeoutError || cause instanceof TimeoutError)
    return `JetStream did not answer within ${ANSWER_MS_MAX / 1000} s: no leader, or no permission`;
  return error instanceof Error ? error.message : String(error);
}

export const MISSING =
  'the cluster has no space for the history of this machine: run "lectern cluster prepare" where the cluster was made';
