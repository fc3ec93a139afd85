/** Requests as any HTTP client sends them: by the endpoint in the operation table, with a token over TCP. */
import assert from "node:assert/strict";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { LecternError, errorTable } from "../../../src/core/errors.ts";
import { type Problem } from "../../../src/protocol/errors.ts";
import { operationNames, operations, type Operation, type OperationName } from "../../../src/protocol/operations.ts";
import { daemonPrograms, type Reach } from "../reach.ts";
import { readableAnswer, readableRecord, takeItems, type Call, type Fields, type Way } from "../way.ts";

export function httpWay({ home, url, token }: Reach): Way {
  const offered = operationNames.filter((name) => (operations[name] as Operation).stream?.item !== "frames");
  const call = (name: OperationName) => async (given: Call) => {
    const abort = new AbortController();
    try {
      return await answerOf(name, await request(url + pathOf(name, given.input), { name, token, given, abort }), given);
    } finally {
      // A stream that was read up to its last wanted item.
      abort.abort();
    }
  };
  return {
    name: "http",
    offers: Object.fromEntries(offered.map((name) => [name, { call: call(name) }])),
    programs: daemonPrograms(home.client),
    isShared: true,
    [Symbol.asyncDispose]: async () => {},
  };
}

interface Sent {
  readonly name: OperationName;
  readonly token: string;
  readonly given: Call;
  readonly abort: AbortController;
}

async function request(address: string, { name, token, given, abort }: Sent): Promise<Response> {
  const { endpoint, upload }: Operation = operations[name];
  const [method = ""] = endpoint.split(" ");
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  let body: string | undefined;
  if (upload !== undefined) {
    headers["content-type"] = "application/x-asciicast";
    body = String(given.input["recording"]);
  } else if (method !== "GET" && method !== "DELETE") {
    headers["content-type"] = "application/json";
    body = JSON.stringify(rest(name, given.input));
  }
  const response = await fetch(address, { method, headers, signal: abort.signal, ...(body !== undefined && { body }) });
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The error in the body, whose status must be that of the error table. */
async function problemOf(response: Response): Promise<LecternError> {
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  const { code, detail, status } = (await response.json()) as Problem;
  assert.deepEqual([status, response.status], [errorTable[code].status, errorTable[code].status], detail);
  return new LecternError(code, detail);
}

function pathOf(name: OperationName, input: Fields): string {
  const { endpoint, upload }: Operation = operations[name];
  const [method, template = ""] = endpoint.split(" ");
  const path = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(input[key])));
  if (method !== "GET" && method !== "DELETE" && upload === undefined) return path;
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(rest(name, input))) {
    if (key !== "recording") query.set(key, Array.isArray(value) ? value.join(",") : String(value));
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** What is not in the path. */
function rest(name: OperationName, input: Fields): Fields {
  const inPath = new Set([...operations[name].endpoint.matchAll(/\{(\w+)\}/g)].map(([, key]) => key));
  return Object.fromEntries(Object.entries(input).filter(([key]) => !inPath.has(key)));
}

async function answerOf(name: OperationName, response: Response, { isLast }: Call): Promise<unknown> {
  const { stream }: Operation = operations[name];
  if (stream === undefined) return readableAnswer(await response.json());
  if (stream.item === "bytes") return { text: await response.text() };
  return { items: await takeItems(itemsOf(response), isLast) };
}

async function* itemsOf({ body }: Response): AsyncGenerator<unknown, void, void> {
  assert.ok(body);
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of events) if (data !== "") yield readableRecord(JSON.parse(data) as Fields);
}
