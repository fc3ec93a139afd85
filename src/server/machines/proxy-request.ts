/** A request for another machine, and its answer as it is: JSON, problem documents, bytes with trailers, server-sent events. */
import type { IncomingMessage } from "node:http";
import type { TransportResponse } from "../../client/transport.ts";
import { DAMAGED_TRAILER } from "../../protocol/damaged-ranges.ts";
import { operations, type Operation, type OperationName } from "../../protocol/operations.ts";
import { hasBody } from "../../protocol/routes.ts";
import type { DaemonService } from "../../daemon/service.ts";
import { readBody, streamBody } from "../body.ts";
import type { ServerLimits } from "../limits.ts";
import { Outlet } from "../outlet.ts";
import { textOfBody } from "../parse-body.ts";
import { securityHeaders, type AdmittedExchange, type HttpExchange } from "../reply.ts";
import { proxiedCall } from "./proxied-call.ts";

/** What an operation reads of a request, and what its answer has. Credentials stay here, and so does what another server would set. */
const REQUEST_HEADERS = ["accept", "content-type", "last-event-id"] as const;
const RESPONSE_HEADERS = [
  "allow",
  "content-length",
  "content-type",
  "etag",
  "lectern-offset",
  "lectern-trimmed",
  "trailer",
] as const;

/** Of the answers of operations. Any other could make a browser run or show, as a page of this daemon, what a machine sends. */
const CONTENT_TYPE =
  /^(?:application\/(?:json|problem\+json|octet-stream|x-asciicast)|text\/(?:event-stream|plain))(?:;|$)/;

/** Throws what the call is refused with, and `MACHINE_AWAY`. */
export async function proxyRequest(
  exchange: AdmittedExchange,
  { service, limits }: { readonly service: DaemonService; readonly limits: ServerLimits },
): Promise<void> {
  const { caller, incoming, outgoing, signal } = exchange;
  const method = incoming.method ?? "";
  const { machine, name, path } = proxiedCall({ method, url: incoming.url ?? "", caller }, service);
  const transport = await service.machineTransport(machine, caller.scope);
  const body = await bodyOf(incoming, name, limits);
  const headers = Object.fromEntries(
    REQUEST_HEADERS.flatMap((header) => {
      const value = incoming.headers[header];
      return typeof value === "string" ? [[header, value]] : [];
    }),
  );
  try {
    const response = await transport.request({ method, path, headers, signal, ...(body !== undefined && { body }) });
    try {
      await sendResponse(response, outgoing, limits);
    } finally {
      response.cancel();
    }
  } catch (error) {
    // The reason why it was cancelled: the client went away, or this daemon ends.
    throw signal.aborted ? signal.reason : error;
  }
}

async function bodyOf(
  incoming: IncomingMessage,
  name: OperationName,
  limits: ServerLimits,
): Promise<string | AsyncIterable<Uint8Array> | undefined> {
  const { upload }: Operation = operations[name];
  if (upload !== undefined)
    return streamBody(incoming, { bytesMax: limits.importBytesMax, idleMs: limits.importIdleMs });
  if (!hasBody(incoming.method === "HEAD" ? "GET" : (incoming.method ?? ""))) return undefined;
  return textOfBody(await readBody(incoming, { bytesMax: limits.bodyBytesMax, deadlineMs: limits.bodyMs }));
}

/** As fast as the client takes it. An answer that breaks off there breaks off here, too. */
async function sendResponse(
  response: TransportResponse,
  outgoing: HttpExchange["outgoing"],
  { stallMs }: Pick<ServerLimits, "stallMs">,
): Promise<void> {
  const headers = RESPONSE_HEADERS.flatMap((name) => {
    const value = response.header(name);
    if (value === undefined || (name === "content-type" && !CONTENT_TYPE.test(value))) return [];
    return [[name, value] as const];
  });
  outgoing.writeHead(response.status, { ...securityHeaders, ...Object.fromEntries(headers) });
  outgoing.flushHeaders();
  const outlet = new Outlet(outgoing, stallMs);
  for await (const chunk of response.chunks) if (!(await outlet.write(chunk))) return;
  const damaged = response.trailer?.(DAMAGED_TRAILER);
  if (damaged !== undefined) outgoing.addTrailers({ [DAMAGED_TRAILER]: damaged });
  outgoing.end();
}
