/** The operation table as one page of HTML: no script, no outside resource, readable in light and dark. */
import { escapeHtml } from "../core/text/escape.ts";
import { errorTable } from "../core/errors.ts";
import type { Operation } from "../protocol/operations.ts";
import { describeOperations, type OperationDescription } from "./openapi.ts";
import { sourceOf } from "./plain-style.ts";
import type { JsonSchema } from "./schema-examples.ts";

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8d8de, #3a3a44); --soft: light-dark(#f5f5f8, #1d1d23); --quiet: light-dark(#5a5a66, #a5a5b3); --key: light-dark(#1d4f91, #8ab8f5); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 6rem; max-width: 60rem; font: 1rem/1.55 system-ui, sans-serif; color: light-dark(#1a1a1f, #e8e8ee); background: light-dark(#fff, #131317); }
h1 { margin: 0; } h2 { margin: 3rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 1.15rem; }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; } pre { overflow-x: auto; padding: 0.75rem 1rem; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; } th, td { padding: 0.35rem 0.75rem 0.35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); } th { font-weight: 600; color: var(--quiet); font-size: 0.85rem; }
a { color: var(--key); } .address { color: var(--quiet); } .method { color: var(--key); font-weight: 600; } summary { cursor: pointer; color: var(--quiet); margin-top: 0.75rem; }
nav { columns: 16rem; margin-top: 1rem; } nav a { display: block; }
`;

const contentSecurityPolicy = `default-src 'none'; style-src ${sourceOf(style)}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

/** `host` is the address of a TCP listener for the examples; undefined for a unix socket. */
export function docsPage(host: string | undefined): { html: string; contentSecurityPolicy: string } {
  const described = describeOperations();
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Lectern API</title><style>${style}</style></head>
<body><h1>Lectern API</h1>
<p>Each operation takes one flat object: path parameters are in the path, the rest is in the query (GET, DELETE) or in a JSON body. Errors are problem documents (RFC 9457) with a <code>code</code> of the <a href="#errors">error table</a>. The same for machines: <a href="/openapi.json">openapi.json</a>.</p>
<nav>${described.map(({ name }) => `<a href="#${name}">${name}</a>`).join("")}</nav>
${described.map((operation) => section(operation, host)).join("\n")}
<h2 id="errors">Errors</h2>
<table><tr><th>code</th><th>status</th><th>exit code of the CLI</th><th>meaning</th></tr>${errorRows()}</table>
</body></html>
`;
  return { html, contentSecurityPolicy };
}

function section(operation: OperationDescription, host: string | undefined): string {
  const { name, row, route, body, output } = operation;
  return `<h2 id="${name}">${name}</h2>
<p>${escapeHtml(row.summary)}</p>
<p class="address"><span class="method">${route.method}</span> <code>${escapeHtml(route.path)}</code>, scope ${row.scope}, ${answerText(row)}${exposures(row)}</p>
${inputTable(operation)}
<pre>${escapeHtml(example(operation, host))}</pre>
${body === undefined ? "" : details("Schema of the body", body)}${output === undefined ? "" : details(row.stream === undefined ? "Schema of the answer" : "Schema of an item", output)}`;
}

const transportTexts = { sse: "server-sent events", websocket: "a WebSocket", bytes: "bytes" } as const;

const answerText = ({ stream }: Operation): string =>
  stream === undefined
    ? "answers with JSON"
    : `streams over ${stream.transports.map((transport) => transportTexts[transport]).join(" or ")}`;

const exposures = ({ cli = [], mcp = [] }: Operation): string =>
  [
    ...cli.map((command) => `, <code>lectern ${command}</code>`),
    ...mcp.map((tool) => `, MCP tool <code>${tool}</code>`),
  ].join("");

interface Row {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

function inputTable({ parameters, body }: OperationDescription): string {
  const required = new Set((body?.["required"] as string[] | undefined) ?? []);
  const inBody = Object.entries((body?.["properties"] as Record<string, JsonSchema> | undefined) ?? {});
  const rows: Row[] = [
    ...parameters.map(({ name, in: place, required: wanted, schema }) => ({ name, place, required: wanted, schema })),
    ...inBody.map(([name, schema]) => ({ name, place: "body", required: required.has(name), schema })),
  ];
  if (rows.length === 0) return "<p>Takes nothing.</p>";
  const lines = rows.map(
    ({ name, place, required: wanted, schema }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${place}${wanted ? ", required" : ""}</td><td>${escapeHtml(typeText(schema))}</td></tr>`,
  );
  return `<table><tr><th>input</th><th>where</th><th>what</th></tr>${lines.join("")}</table>`;
}

/** A schema in a few words. */
function typeText(schema: JsonSchema): string {
  const { type, description, default: preset, minimum, maximum, maxLength, pattern } = schema;
  const values = schema["enum"] as readonly unknown[] | undefined;
  const options = (schema["anyOf"] ?? schema["oneOf"]) as readonly JsonSchema[] | undefined;
  const base = values
    ? values.map((value) => JSON.stringify(value)).join(" | ")
    : (options?.map((option) => typeText(option)).join(" or ") ?? (typeof type === "string" ? type : "value"));
  const notes = [
    typeof minimum === "number" && minimum > Number.MIN_SAFE_INTEGER ? `at least ${minimum}` : "",
    typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER ? `at most ${maximum}` : "",
    typeof maxLength === "number" ? `at most ${maxLength} characters` : "",
    typeof pattern === "string" ? `matches ${pattern}` : "",
    preset === undefined ? "" : `default ${JSON.stringify(preset)}`,
    typeof description === "string" ? description : "",
  ];
  return [base, ...notes.filter((note) => note !== "")].join(", ");
}

const details = (title: string, schema: JsonSchema): string =>
  `<details><summary>${title}</summary><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`;

function example({ name, row, route, parameters, body }: OperationDescription, host: string | undefined): string {
  const where =
    host === undefined ? `curl --unix-socket "$LECTERN_SOCKET"` : `curl -H "Authorization: Bearer $LECTERN_TOKEN"`;
  const base = host === undefined ? "http://lectern" : `http://${host}`;
  const path = route.path.replace("{session}", "build").replace("{token}", "ID");
  const required = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const query = required.length > 0 ? `?${required.map((parameter) => `${parameter.name}=...`).join("&")}` : "";
  if (row.stream?.item === "frames") {
    const socket = host === undefined ? "ws+unix:$LECTERN_SOCKET:" : `ws://${host}`;
    return `new WebSocket("${socket}${path}", ["lectern.v1"${host === undefined ? "" : ", `lectern.bearer.${token}`"}])`;
  }
  const method = route.method === "GET" ? "" : ` -X ${route.method}`;
  const stream = row.stream === undefined ? "" : " -N";
  const data =
    row.upload === "file"
      ? ` -H "Content-Type: application/octet-stream" --data-binary @FILE`
      : row.upload !== undefined
        ? ` -H "Content-Type: application/x-asciicast" --data-binary @demo.cast`
        : body === undefined
          ? ""
          : ` --json '${JSON.stringify(examples[name] ?? {})}'`;
  return `${where}${method}${stream}${data} ${base}${path}${query}`;
}

const examples: Readonly<Record<string, unknown>> = {
  "sessions.create": { command: ["bash"], name: "build" },
  "sessions.update": { labels: { project: "web" } },
  "sessions.input": { text: "make test", enter: true },
  "sessions.keys": { keys: ["C-c", "Up", "Enter"] },
  "sessions.resize": { columns: 120, rows: 40 },
  "sessions.signal": { signal: "INT" },
  "sessions.wait": { for: { type: "output", pattern: "passed|failed" }, timeoutMs: 60_000 },
  "sessions.converse": { text: "make test\n", for: { type: "ready" }, from: 0 },
  "tokens.create": { scope: "read", label: "dashboard" },
};

const errorRows = (): string =>
  Object.entries(errorTable)
    .map(
      ([code, { status, exitCode, title }]) =>
        `<tr><td><code>${code}</code></td><td>${status}</td><td>${exitCode}</td><td>${title}</td></tr>`,
    )
    .join("");
