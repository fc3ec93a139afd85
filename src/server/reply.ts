/** Answers: JSON, problem documents and pages, each with the security headers. Nothing else writes a head. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { LecternError, errorTable } from "../core/errors.ts";
import { STATUS_CODES } from "../daemon/node-http.ts";
import type { Caller } from "../daemon/service.ts";
import { toProblem } from "../protocol/errors.ts";

/** On every answer. There is no CORS header here, and there must never be one. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

/** How long what a refused client still sends is read and dropped. */
const LINGER_MS = 500;

export interface HttpExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** One that was admitted: who calls, and a signal that fires when the client goes away or the server stops. */
export interface AdmittedExchange extends HttpExchange {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/** An error with the parts of its answer that the error table does not have. */
export interface ProblemOptions {
  /** Instead of the table's status: 408, 426 and 431 have no code of their own. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is wrong with an input, by path. */
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
}

/** An error that knows how it wants to be answered. */
export class RequestProblem extends LecternError {
  readonly options: ProblemOptions;

  constructor(code: LecternError["code"], message: string, options: ProblemOptions) {
    super(code, message, { details: issueDetails(options) });
    this.options = options;
  }
}

export function sendJson({ outgoing }: HttpExchange, status: number, value: unknown): void {
  sendText(outgoing, status, { "content-type": "application/json" }, JSON.stringify(value));
}

export function sendPage({ outgoing }: HttpExchange, html: string, contentSecurityPolicy: string, status = 200): void {
  const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": contentSecurityPolicy };
  sendText(outgoing, status, headers, html);
}

export function sendPlain({ outgoing }: HttpExchange, status: number, text: string): void {
  sendText(outgoing, status, { "content-type": "text/plain; charset=utf-8" }, text);
}

/** Answers with a problem document; where the head has gone out already, cuts the connection so that the client notices. */
export function sendProblem({ incoming, outgoing }: HttpExchange, error: LecternError): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  const { status, headers, body } = problemParts(error);
  if (incoming.complete) return sendText(outgoing, status, headers, body);
  outgoing.writeHead(status, { ...securityHeaders, ...headers, connection: "close" });
  outgoing.write(body);
  lingerThenEnd({ incoming, outgoing });
}

/** The answer on a bare socket: for upgrades and for what is no HTTP. Ends the connection. */
export function sendRawProblem(socket: Duplex, error: LecternError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = problemParts(error);
  const lines = Object.entries({ ...securityHeaders, ...headers, connection: "close" })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n${lines}\r\n${body}`, () => socket.destroy());
}

/**
 * What a client still sends is read and dropped for a moment: closing on unread bytes would reset the connection
 * and could take the answer with it.
 */
function lingerThenEnd({ incoming, outgoing }: HttpExchange): void {
  const end = (): void => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  incoming.once("end", end).once("close", end).on("error", end).resume();
}

export const statusOf = (error: LecternError): number =>
  (error instanceof RequestProblem ? error.options.status : undefined) ?? errorTable[error.code].status;

function problemParts(error: LecternError): { status: number; headers: Record<string, string>; body: string } {
  const options = error instanceof RequestProblem ? error.options : {};
  const status = statusOf(error);
  const issues = options.issues === undefined ? {} : { issues: options.issues };
  const body = JSON.stringify({ ...toProblem(error), status, ...issues });
  const challenge = status === 401 ? { "www-authenticate": 'Bearer realm="lectern"' } : {};
  return {
    status,
    headers: {
      "content-type": "application/problem+json",
      "content-length": String(Buffer.byteLength(body)),
      ...challenge,
      ...options.headers,
    },
    body,
  };
}

function sendText(
  outgoing: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  outgoing.writeHead(status, { ...securityHeaders, "content-length": String(Buffer.byteLength(body)), ...headers });
  outgoing.end(body);
}

const issueDetails = ({ issues }: ProblemOptions): Record<string, readonly string[]> =>
  issues === undefined ? {} : { issues: issues.map(({ path, message }) => `${path}: ${message}`) };
