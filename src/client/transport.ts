/** How a client sends requests and opens sockets. One transport is for browsers and Node, one for the unix socket. */

/** One HTTP request to the daemon. */
export interface TransportRequest {
  readonly method: string;
  /** Path with its query, such as `/v1/sessions?state=running`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or chunks that are sent as they are produced. */
  readonly body?: string | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
}

/** The response to a request, with any status. */
export interface TransportResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** Read it once, or call `cancel`. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Behind the last chunk; missing if the platform does not show trailers (`fetch`). */
  trailer?(name: string): string | undefined;
  cancel(): void;
}

/** Called with the messages of a WebSocket and with its end. */
export interface SocketHandlers {
  onMessage(data: string | Uint8Array): void;
  /** Called once, last. The code is 1006 if the connection broke without a closing handshake. */
  onClose(end: { readonly code: number; readonly reason: string }): void;
}

/** An open WebSocket. */
export interface TransportSocket {
  /** Bytes given to `send` that have not left the process. */
  readonly bufferedBytes: number;
  /** False if the platform cannot stop reading a WebSocket (browsers). */
  readonly pausable: boolean;
  send(data: string | Uint8Array): void;
  pause(): void;
  resume(): void;
  close(): void;
}

/** A WebSocket to open: path with query, and subprotocol. */
export interface SocketRequest {
  readonly path: string;
  readonly protocol: string;
  /** Sent with the request to upgrade; a browser cannot send any. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly handlers: SocketHandlers;
  readonly signal?: AbortSignal | undefined;
}

/** How a client reaches a daemon. `fetchTransport` and `unixTransport` make one. */
export interface Transport {
  /** Rejects with `DAEMON_UNREACHABLE` or `CANCELLED`; a response with any status is not an error. */
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Resolves when the socket is open. Rejects with the server's error, `DAEMON_UNREACHABLE` or `CANCELLED`. */
  openSocket(request: SocketRequest): Promise<TransportSocket>;
}
