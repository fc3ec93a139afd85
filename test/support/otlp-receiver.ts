/** An OTLP collector that keeps the spans that it gets, and refuses a body that is not valid by the JSON mapping of the protocol. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { OtlpRequest, OtlpSpan, OtlpValue } from "../../src/features/otlp/core/span.ts";

/** How one request is answered instead of taken; `hang` never. */
export type OtlpFault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | "hang";

export class OtlpReceiver implements AsyncDisposable {
  /** In the order in which they came; a span that was sent twice is there twice. */
  readonly spans: OtlpSpan[] = [];
  readonly headers: IncomingMessage["headers"][] = [];
  /** What was not valid. */
  readonly problems: string[] = [];
  /** For the next requests, one each. */
  readonly faults: OtlpFault[] = [];
  /** Of the answer to each request that was taken. */
  answer = "{}";
  requests = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (incoming, outgoing) => void this.#take(incoming, outgoing));
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Each span once, by its ids. */
  get distinct(): Map<string, OtlpSpan> {
    return new Map(this.spans.map((span) => [`${span.traceId} ${span.spanId}`, span]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #take(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    this.requests += 1;
    const fault = this.faults.shift();
    if (fault === "hang") return;
    if (fault !== undefined) return void outgoing.writeHead(fault.status, fault.headers).end(fault.body ?? "");
    this.headers.push(incoming.headers);
    if (incoming.url !== "/v1/traces" || incoming.headers["content-type"] !== "application/json")
      this.problems.push(`${incoming.method} ${incoming.url} ${incoming.headers["content-type"]}`);
    const request = JSON.parse(Buffer.concat(chunks).toString()) as OtlpRequest;
    const spans = request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    this.problems.push(...problemsOf(request));
    this.spans.push(...spans);
    outgoing.writeHead(200, { "content-type": "application/json" }).end(this.answer);
  }
}

/** What the JSON mapping of `ExportTraceServiceRequest` does not allow. */
export function problemsOf({ resourceSpans }: OtlpRequest): string[] {
  const problems: string[] = [];
  const check = (isFine: boolean, what: string): void => void (isFine || problems.push(what));
  for (const { resource, scopeSpans } of resourceSpans) {
    check(
      resource.attributes.some(({ key }) => key === "service.name"),
      "a resource without service.name",
    );
    for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
      const {
        attributes,
        endTimeUnixNano,
        events,
        kind,
        name,
        parentSpanId,
        spanId,
        startTimeUnixNano,
        status,
        traceId,
      } = span;
      check(/^(?!0+$)[0-9a-f]{32}$/.test(traceId), `trace id ${traceId}`);
      check(/^(?!0+$)[0-9a-f]{16}$/.test(spanId), `span id ${spanId}`);
      check(parentSpanId === undefined || /^(?!0+$)[0-9a-f]{16}$/.test(parentSpanId), `parent ${parentSpanId}`);
      check(typeof name === "string" && name !== "", "a span without a name");
      check([1, 2, 3, 4, 5].includes(kind), `kind ${kind}`);
      check([0, 1, 2].includes(status.code), `status ${status.code}`);
      const times = [startTimeUnixNano, endTimeUnixNano, ...events.map(({ timeUnixNano }) => timeUnixNano)];
      for (const time of times) check(typeof time === "string" && /^[1-9]\d{17,18}$/.test(time), `time ${time}`);
      check(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano), `${name} ends before it starts`);
      const all = [...attributes, ...events.flatMap((event) => event.attributes)];
      for (const { key, value } of all) check(key !== "" && isValue(value), `${key}: ${JSON.stringify(value)}`);
      check(new Set(attributes.map(({ key }) => key)).size === attributes.length, `${name} has an attribute twice`);
    }
  }
  return problems;
}

function isValue(value: OtlpValue): boolean {
  if ("stringValue" in value) return typeof value.stringValue === "string";
  if ("intValue" in value) return typeof value.intValue === "string" && /^-?\d{1,19}$/.test(value.intValue);
  if ("doubleValue" in value) return typeof value.doubleValue === "number";
  if ("boolValue" in value) return typeof value.boolValue === "boolean";
  return value.arrayValue.values.every(isValue);
}
