/** The largest and nastiest input that each operation, frame and tool of the daemon takes, by name. */
import { gzipSync } from "node:zlib";
import { operations, type OperationName } from "../../src/protocol/operations.ts";

/** A request of the HTTP API; `body` is JSON unless it is bytes. */
export interface NastyRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A tool call that a model sends, for the tool with this schema. */
export interface NastyCall {
  readonly schema: object;
  readonly arguments: object;
  readonly policy?: string;
}

const JSON_CHARS_MAX = 1_040_000;
const POLICY_CHARS_MAX = 65_000;
const UPLOAD_BYTES_MAX = 64 * 1024 * 1024;

/** As many pieces as fit. */
function filled(charsMax: number, piece: (index: number) => string, head = "", tail = ""): string {
  const pieces: string[] = [];
  for (let [index, chars] = [0, head.length + tail.length]; ; index += 1) {
    const next = piece(index);
    chars += next.length;
    if (chars > charsMax) return head + pieces.join("") + tail;
    pieces.push(next);
  }
}

const list = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => item(i));
const object = (count: number, value: (index: number) => unknown): object =>
  Object.fromEntries(list(count, (index) => [`k${index}`, value(index)]));

/** Patterns of 1,000 characters at most: many steps, costly classes, costly folding. */
const patterns = {
  "repeated classes": String.raw`[\pL\pN\pS\pP]{990}`.repeat(9),
  "repeated dots": ".{1000}".repeat(9),
  "over the limit of steps": ".{1000}".repeat(140),
  "folded classes": `(?i)${String.raw`[^\pL]`.repeat(140)}`,
  "nested stars": `${"(".repeat(300)}a${")*".repeat(300)}`,
} as const;

const RULES_MAX = 1000;
const rules = (rule: (index: number) => string): string =>
  filled(POLICY_CHARS_MAX, (index) => (index < RULES_MAX ? rule(index) : "#".repeat(100)), "version: 1\nrules:\n");
const patternRules = (pattern: string): string =>
  rules((index) => `  - { id: r${index}, effect: deny, arguments: [{ at: "", regex: '${pattern}' }] }\n`);

const policies: Readonly<Record<string, string>> = {
  "many keys": filled(POLICY_CHARS_MAX, (index) => `k${index}: 1\n`),
  "a flow map": filled(POLICY_CHARS_MAX, (index) => `k${index}: 1,`, "{", "}"),
  "flow lists": filled(POLICY_CHARS_MAX, () => "[1],", "[", "]"),
  anchors: filled(POLICY_CHARS_MAX, (index) => `- &a${index} 1\n- *a${index}\n`),
  "folded text": `a: "${filled(POLICY_CHARS_MAX, () => "a\n\n ")}"`,
  depth: `a: ${"[".repeat(POLICY_CHARS_MAX)}`,
  rules: rules((index) => `  - { id: r${index}, effect: deny, command: "rm **" }\n`),
  globs: rules((index) => `  - { id: r${index}, effect: deny, paths: { glob: "${"**/*a".repeat(12)}" } }\n`),
  ...Object.fromEntries(Object.entries(patterns).map(([name, pattern]) => [name, patternRules(pattern)])),
};

const post = (path: string, body: unknown): NastyRequest => ({ method: "POST", path, body });
const get = (path: string): NastyRequest => ({ method: "GET", path });
const raw = (text: string | Buffer): Buffer => Buffer.from(text as string);

/** JSON texts that any operation with a body may get: all have the same reader. */
const bodies: Readonly<Record<string, Buffer>> = {
  depth: raw("[".repeat(JSON_CHARS_MAX)),
  "width of an object": raw(filled(JSON_CHARS_MAX, (index) => `"k${index}":1,`, "{", '"z":1}')),
  "width of an array": raw(filled(JSON_CHARS_MAX, () => "1,", "[", "1]")),
  "many short texts": raw(filled(JSON_CHARS_MAX, () => '"",', "[", '""]')),
  escapes: raw(`{"a":"${"\\\\".repeat(JSON_CHARS_MAX / 2 - 10)}"}`),
  "an open text": raw(`"${'\\"'.repeat(JSON_CHARS_MAX / 2 - 10)}`),
};

/** Each field of a body, as a list or a record that is as long as a body may be. */
function fieldBodies(name: OperationName): Readonly<Record<string, object>> {
  const inputs: Record<string, object> = {};
  for (const key of Object.keys(operations[name].input.shape)) {
    inputs[`${key}: list`] = { [key]: list(200_000, () => "x") };
    inputs[`${key}: record`] = { [key]: object(60_000, () => "x") };
    inputs[`${key}: text`] = { [key]: "a.".repeat(JSON_CHARS_MAX / 2 - 100) };
  }
  return inputs;
}

function schemaOf(pattern: string, charsMax: number): object {
  const one = JSON.stringify({ pattern }).length + 1;
  // Each pattern of its own: equal ones may be compiled once.
  return {
    allOf: list(Math.max(1, Math.floor(charsMax / one)), (index) => ({ pattern: `${pattern.slice(0, -6)}${index}` })),
  };
}

const repeatedSchemas = {
  "a schema of short patterns at the step limit": {
    allOf: list(9000, (index) => ({ pattern: `.{${900 + (index % 90)}}` })),
  },
  "a schema of costly classes": schemaOf(patterns["folded classes"], 250_000),
  "a schema of many parts": { allOf: list(8000, () => ({ type: "object", required: ["a"] })) },
} as const;

/** For tools behind the gateway: what the schema, the arguments and the policy can cost. */
export const calls: Readonly<Record<string, NastyCall>> = {
  "a hundred patterns on a long text": {
    schema: { properties: { a: { allOf: list(100, () => ({ pattern: ".{1000}" })) } } },
    arguments: { a: "a".repeat(20_000) },
  },
  "a pattern at the step limit": {
    schema: { properties: { a: { pattern: patterns["repeated classes"] } } },
    arguments: { a: "é".repeat(20_000) },
  },
  "names against patterns": {
    schema: { patternProperties: Object.fromEntries(list(50, (index) => [`.{${index + 900}}`, {}])) },
    arguments: object(1000, () => 1),
  },
  ...Object.fromEntries(
    Object.entries(repeatedSchemas).map(([name, schema]) => [name, { schema, arguments: { a: 1 } }]),
  ),
  "references that double": {
    schema: {
      $defs: {
        ...Object.fromEntries(
          list(40, (index) => [`d${index}`, { allOf: list(2, () => ({ $ref: `#/$defs/d${index + 1}` })) }]),
        ),
        d40: {},
      },
      $ref: "#/$defs/d0",
    },
    arguments: {},
  },
  "unique items": {
    schema: { properties: { a: { uniqueItems: true } } },
    arguments: { a: list(200_000, (index) => index) },
  },
  "enums of objects": {
    schema: { properties: { a: { items: { enum: list(2000, (index) => ({ a: { b: index } })) } } } },
    arguments: { a: list(20_000, () => ({ a: { b: -1 } })) },
  },
  "a shell text of 65 kB": { schema: {}, arguments: { command: "a $(b) && ".repeat(6500) } },
  "a nested shell text": { schema: {}, arguments: { command: "$(".repeat(10_000) } },
  "braces of a shell text": {
    schema: {},
    arguments: { command: "rm {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} ".repeat(50) },
  },
  "a shell text of 1 MB": { schema: {}, arguments: { command: "echo a; ".repeat(125_000) } },
  ...Object.fromEntries(
    Object.entries(policies)
      .filter(([name]) => name in patterns || name === "rules" || name === "globs")
      .map(([name, policy]) => [
        `a policy of ${name}`,
        { schema: {}, arguments: { a: "é".repeat(20_000), command: "rm -rf /a/b; ".repeat(200) }, policy },
      ]),
  ),
};

const cast = (line: (index: number) => string, bytesMax: number): Buffer =>
  Buffer.from(filled(bytesMax, line, '{"version":2,"width":80,"height":24}\n'));

const imports: Readonly<Record<string, () => Buffer>> = {
  "a bomb": () =>
    gzipSync(
      cast((index) => `[${index},"o","${"a".repeat(100_000)}"]\n`, 300_000_000),
      { level: 1 },
    ),
  "one long line": () => cast(() => `[1,"o","${"a".repeat(15_000_000)}"]\n`, 16_000_000),
  "a deep line": () => cast(() => `[1,"o",${"[".repeat(2_000_000)}\n`, 3_000_000),
  "short lines": () => cast((index) => `[${index},"o",""]\n`, 20_000_000),
  resizes: () => cast((index) => `[${index},"r","1000x1000"]\n`, 5_000_000),
};

/** `large`: a session with 60 MB of output and 5,000 events. */
export function requestsFor(large: string): ReadonlyMap<string, () => NastyRequest> {
  const requests = new Map<string, () => NastyRequest>();
  const at = (operation: OperationName): readonly [string, string] => {
    const [method = "", path = ""] = operations[operation].endpoint.split(" ");
    return [method, path.replace("{session}", large).replace(/\{\w+\}/, "x")];
  };
  for (const operation of Object.keys(operations) as OperationName[]) {
    const [method, path] = at(operation);
    if (method === "GET" || method === "DELETE" || "upload" in operations[operation]) continue;
    if (operation === "daemon.stop" || operation === "hosts.drain") continue;
    for (const [name, body] of Object.entries(fieldBodies(operation)))
      requests.set(`${operation}, ${name}`, () => ({ method, path, body }));
  }
  for (const [name, body] of Object.entries(bodies))
    requests.set(`policy.check, ${name}`, () => ({ method: "POST", path: "/v1/policy/check", body }));
  for (const [name, policy] of Object.entries(policies)) {
    requests.set(`policy.check of ${name}`, () => post("/v1/policy/check", { policy }));
    requests.set(`policy.replay of ${name}`, () => post(`/v1/sessions/${large}/policy/replay`, { policy }));
    requests.set(`sessions.create, a policy of ${name}`, () =>
      post("/v1/sessions", { command: ["true"], wire: { policy } }),
    );
    requests.set(`sessions.create, a sandbox of ${name}`, () =>
      post("/v1/sessions", { command: ["true"], sandbox: { settings: policy } }),
    );
  }
  for (const [name, schema] of Object.entries(repeatedSchemas))
    requests.set(`sessions.create, ${name}`, () =>
      post("/v1/sessions", { command: ["true"], eventSchemas: { a: schema } }),
    );
  for (const [name, body] of Object.entries(imports))
    requests.set(`sessions.import of ${name}`, () => ({ method: "POST", path: "/v1/sessions/import", body: body() }));
  const session = `/v1/sessions/${large}`;
  const further: Readonly<Record<string, () => NastyRequest>> = {
    "sessions.wait, a pattern that backtracks": () =>
      post(`${session}/wait`, { for: { type: "output", pattern: "(a|a?)+$x" }, from: 0, timeoutMs: 2000 }),
    "sessions.wait, a long pattern": () =>
      post(`${session}/wait`, {
        for: { type: "output", pattern: String.raw`[^\p{L}]{9,}`.repeat(80) },
        from: 0,
        timeoutMs: 2000,
      }),
    "sessions.wait, 64 markers": () =>
      post(`${session}/wait`, {
        for: { type: "ready", markers: list(64, (index) => "a".repeat(250) + index), outputBytesMax: 16_777_216 },
        from: 0,
        timeoutMs: 3000,
      }),
    "sessions.logs": () => get(`${session}/logs?bytesMax=16777216&from=0`),
    "sessions.logs, lines": () => get(`${session}/logs?tail=1000000&bytesMax=16777216`),
    "sessions.records": () => get(`${session}/records?bytesMax=4194304`),
    "sessions.output": () => get(`${session}/output`),
    "sessions.events": () => get(`${session}/events?limit=10000`),
    "sessions.changes": () => get(`${session}/changes?changesMax=10000`),
    "sessions.messages": () => get(`${session}/messages?last=10000`),
    "sessions.digest": () => get(`${session}/digest`),
    "sessions.screen": () => get(`${session}/screen?scrollback=true&ansi=true`),
    "sessions.search": () =>
      get(`/v1/search?words=${encodeURIComponent("a* OR b* OR ".repeat(80) + "c*")}&hitsMax=1000`),
    "sessions.search, a bad query": () => get(`/v1/search?words=${encodeURIComponent('("'.repeat(500))}`),
    "sessions.updates": () => get(`${session}/updates`),
    "sessions.follow": () => get(`${session}/follow?from=0`),
    "audit.list": () => get("/v1/audit?limit=1000"),
    "audit.append": () =>
      post("/v1/audit", {
        rows: list(100, (index) => ({
          type: "answer",
          session: "s",
          call: `c${index}`,
          timeMs: 1,
          effect: "allow",
          approver: "a".repeat(60),
        })),
      }),
    "audit.verify": () => post("/v1/audit/verify", {}),
    "files.put": () => ({ method: "POST", path: `${session}/files?name=a`, body: Buffer.alloc(UPLOAD_BYTES_MAX / 2) }),
    ...Object.fromEntries(
      ["asciicast-v3", "asciicast-v2", "raw", "text", "otlp-json"].map((format) => [
        `sessions.export as ${format}`,
        () => get(`${session}/export?format=${format}`),
      ]),
    ),
  };
  for (const [name, request] of Object.entries(further)) requests.set(name, request);
  const tools = "read screen search open list close machines wait status digest approve run send".split(" ");
  for (const tool of tools) {
    const arguments_ = { a: list(20_000, () => ({ b: 1 })), session: "x".repeat(500_000) };
    for (const [name, given] of Object.entries({
      width: arguments_,
      text: { session: large, text: "a".repeat(1_000_000) },
    }))
      requests.set(`MCP ${tool}, ${name}`, () =>
        post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: given } }),
      );
  }
  for (const [name, body] of Object.entries(bodies))
    requests.set(`MCP, ${name}`, () => ({ method: "POST", path: "/mcp", body }));
  return requests;
}

const TEXT_BYTES_MAX = 65_000;

/** What a client of an attachment may send: a text or bytes, so often. */
export const frames: Readonly<Record<string, { readonly frame: string | Uint8Array; readonly times: number }>> = {
  "depth of a frame": { frame: "[".repeat(TEXT_BYTES_MAX), times: 1 },
  "width of a frame": { frame: filled(TEXT_BYTES_MAX, (index) => `"k${index}":1,`, "{", '"z":1}'), times: 20 },
  resizes: { frame: '{"type":"resize","columns":1000,"rows":1000}', times: 500 },
  input: { frame: new Uint8Array(TEXT_BYTES_MAX), times: 16 },
  "short frames": { frame: new Uint8Array([0, 97]), times: 5000 },
  acknowledgements: { frame: '{"type":"ack","offset":1}', times: 5000 },
};
