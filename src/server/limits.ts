/** Every limit of the server in one place. Each has its unit in its name; what happens at it stands beside it. */
import { waits } from "../core/waits.ts";

export interface ServerLimits {
  /** Request line and headers: 431 beyond. */
  readonly headerBytesMax: number;
  /** From the connection to the end of the headers: 408 beyond. */
  readonly headersMs: number;
  /** A connection without a request after this time is closed. */
  readonly keepAliveMs: number;
  /** A JSON body: 413 beyond. */
  readonly bodyBytesMax: number;
  /** From the end of the headers to the end of a JSON body: 408 beyond. */
  readonly bodyMs: number;
  /** A recording that is imported: 413 beyond. */
  readonly importBytesMax: number;
  /** Between two pieces of a recording that is imported: 408 beyond. */
  readonly importIdleMs: number;
  /** Open connections of a unix socket: further ones are closed at once. */
  readonly unixConnectionsMax: number;
  /**
   * Open connections of a TCP listener without a valid token so far: beyond, the oldest ones of the user who has the most are closed. Four times
   * as many may be open while that would take too much of the processor.
   */
  readonly strangersMax: number;
  /** Open connections of a TCP listener that sent a valid token: further ones count as strangers. */
  readonly authenticatedMax: number;
  /** One message of a WebSocket client: close 1009 beyond. */
  readonly messageBytesMax: number;
  /** Bytes that wait for one reader: nothing is read from the journal for it while more wait. */
  readonly sendBufferBytesMax: number;
  /** Bytes sent beyond the offset that a WebSocket client acknowledged, once it has acknowledged any. */
  readonly ackWindowBytes: number;
  /** New output behind which a WebSocket reader may fall before it skips. */
  readonly lagBytesMax: number;
  /** How much of the end a reader that skips still gets where there is no snapshot. */
  readonly skipTailBytes: number;
  /** Bytes that wait in either direction between a client and another machine: the side that sends is not read while more wait. */
  readonly machineBufferBytesMax: number;
  /** Without progress while bytes wait, a reader is ended (WebSocket: close 1013). */
  readonly stallMs: number;
  /** Input of one WebSocket client that the host has not taken: an error message and a dropped frame beyond. */
  readonly inputBytesMax: number;
  /** Between two pings; a peer that misses two is dead. */
  readonly pingMs: number;
  /** From a close frame to the end of the connection, for a peer that does not answer it. */
  readonly closeMs: number;
  /** Between two comments on a quiet event stream. */
  readonly heartbeatMs: number;
}

export const defaultLimits: ServerLimits = {
  headerBytesMax: 16_384,
  headersMs: 2000,
  keepAliveMs: waits.answerMs,
  bodyBytesMax: 1_048_576,
  bodyMs: 4000,
  importBytesMax: 268_435_456,
  importIdleMs: 15_000,
  unixConnectionsMax: 500,
  strangersMax: 256,
  authenticatedMax: 512,
  messageBytesMax: 65_536,
  sendBufferBytesMax: 262_144,
  ackWindowBytes: 1_048_576,
  lagBytesMax: 8_388_608,
  skipTailBytes: 65_536,
  machineBufferBytesMax: 262_144,
  stallMs: 60_000,
  inputBytesMax: 1_048_576,
  pingMs: 20_000,
  closeMs: waits.answerMs,
  heartbeatMs: 15_000,
};

/**
 * Instead of these on the unix socket. The file mode has let the client in, so nobody is kept out by it: what comes late there was given no
 * processor.
 */
export const unixLimits = { headersMs: waits.startMs, bodyMs: waits.startMs } as const satisfies Partial<ServerLimits>;
