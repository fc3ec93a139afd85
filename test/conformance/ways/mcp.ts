/** The MCP tools, called by the official client over streamable HTTP. A tool is not an operation: this maps each operation to the tool that has it. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ErrorCode } from "../../../src/core/errors.ts";
import type { OperationName } from "../../../src/protocol/operations.ts";
import { daemonPrograms, type Reach } from "../reach.ts";
import { WayError, type Fields, type Offer, type Way } from "../way.ts";

interface Tool {
  readonly tool: string;
  readonly takes: readonly string[];
  readonly gives: readonly string[];
  readonly refuses?: Offer["refuses"];
  /** The arguments of the tool for an input of the operation. Default: the same. */
  readonly toArguments?: (input: Fields) => Fields;
  /** The answer of the operation for one of the tool. Default: the same. */
  readonly fromAnswer?: (answer: Fields) => Fields;
}

/** The tools name the session by `session`, and how its program ended in words. */
const sessionOf = ({ session, exit, ...rest }: Fields): Fields => ({ ...rest, id: session, exit: exitOf(exit) });

function exitOf(text: unknown): Fields | null {
  const [kind, value] = typeof text === "string" ? text.split(" ") : [];
  if (kind === "code") return { reason: "exited", code: Number(value) };
  return kind === "signal" ? { reason: "signaled", signal: value } : null;
}

/** `state: summary`. */
const statusOf = (text: unknown): Fields | null =>
  typeof text === "string" ? { state: text.split(":", 1)[0], summary: text.slice(text.indexOf(":") + 2) } : null;

/** The condition is flat, and its kind a word. */
function waitArguments({ for: condition, ...rest }: Fields): Fields {
  const { type, name, ...more } = condition as Fields;
  return { ...rest, ...more, for: type, ...(type === "event" && { event: name }) };
}

const tools: { readonly [Name in OperationName]?: Tool } = {
  "sessions.create": {
    tool: "open",
    takes: ["command", "name", "workingDirectory", "columns", "rows", "summaries"],
    gives: ["id", "name", "state", "exit"],
    // The case waits for what it needs.
    toArguments: (input) => ({ ...input, timeoutMs: 0 }),
    fromAnswer: sessionOf,
  },
  "sessions.list": {
    tool: "list",
    takes: ["state"],
    gives: ["sessions"],
    fromAnswer: ({ sessions }) => ({
      sessions: (sessions as Fields[]).map((each) => ({ ...sessionOf(each), status: statusOf(each["status"]) })),
    }),
  },
  "machines.list": { tool: "machines", takes: [], gives: ["machines"] },
  "sessions.kill": {
    tool: "close",
    takes: ["session", "graceMs"],
    gives: ["id", "state", "exit"],
    fromAnswer: sessionOf,
  },
  "sessions.input": {
    tool: "send",
    takes: ["session", "text", "enter", "paste", "secret", "key"],
    gives: ["offset", "next", "already"],
  },
  "sessions.keys": { tool: "send", takes: ["session", "keys"], gives: ["offset", "next"] },
  "sessions.exec": {
    tool: "run",
    takes: ["session", "command", "timeoutMs", "outputBytesMax", "raw", "inside"],
    gives: ["ran", "ended", "exitCode", "exact", "reason", "asks", "omitted", "offset", "next", "output"],
  },
  "sessions.wait": {
    tool: "wait",
    takes: ["session", "for", "from", "timeoutMs"],
    gives: ["reason", "ready", "match", "event", "session"],
    toArguments: waitArguments,
    fromAnswer: ({ reason, asks, match, event, status, exit }) => ({
      reason,
      ready: reason === "ready" ? { asks } : null,
      match,
      event,
      session: { status: statusOf(status), exit: exitOf(exit) },
    }),
  },
  "sessions.logs": {
    tool: "read",
    takes: ["session", "from", "bytesMax", "raw"],
    gives: ["text", "from", "next"],
    fromAnswer: ({ output, ...rest }) => ({ ...rest, text: output }),
  },
  "sessions.screen": {
    tool: "screen",
    takes: ["session", "scrollback"],
    gives: ["text", "columns", "rows", "title", "cursor", "isAlternate", "offset"],
    fromAnswer: ({ screen, ...rest }) => ({ ...rest, text: screen }),
  },
  "sessions.status": {
    tool: "status",
    takes: ["session"],
    gives: ["status", "approvals"],
    fromAnswer: ({ state, summary, agent, approvals }) => ({
      status: { state, summary, agent },
      approvals: (approvals as Fields[]).map(({ approval, ...rest }) => ({ ...rest, id: approval })),
    }),
  },
  "approvals.answer": {
    tool: "approve",
    takes: ["session", "approval", "option", "digest"],
    gives: ["id", "state", "answer"],
    fromAnswer: ({ approval, state, answer }) => ({ id: approval, state, answer: { option: answer } }),
  },
  "sessions.search": {
    tool: "search",
    takes: ["words", "session", "role", "hitsMax"],
    gives: ["hits"],
    toArguments: ({ hitsMax, ...rest }) => ({ ...rest, ...(hitsMax !== undefined && { limit: hitsMax }) }),
  },
  "sessions.digest": { tool: "digest", takes: ["session", "turn"], gives: ["state", "agent", "offset"] },
};

export async function mcpWay({ home, url, token }: Reach): Promise<Way> {
  const client = new Client({ name: "conformance", version: "1.0.0" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  const offers = Object.entries(tools).map(([name, tool]) => [name, offerOf(client, tool)] as const);
  return {
    name: "mcp",
    offers: Object.fromEntries(offers),
    programs: daemonPrograms(home.client),
    isShared: true,
    [Symbol.asyncDispose]: async () => await client.close(),
  };
}

const same = (fields: Fields): Fields => fields;

function offerOf(client: Client, { tool, takes, gives, refuses, toArguments = same, fromAnswer = same }: Tool): Offer {
  return {
    takes,
    gives,
    ...(refuses && { refuses }),
    call: async ({ input }) => {
      const answer = await client.callTool({ name: tool, arguments: toArguments(input) });
      const [first] = answer.content as readonly { readonly text: string }[];
      if (answer.isError === true) throw errorOf(first?.text ?? "");
      return fromAnswer(answer.structuredContent as Fields);
    },
  };
}

/** `CODE: message`, then what to do next. What the schema of a tool refuses is refused by the protocol, before Lectern sees it. */
function errorOf(text: string): WayError {
  const [, code, message] = /^([A-Z_]+): ([\s\S]*?)(?:\nNext: .*)?$/.exec(text) ?? [];
  if (code !== undefined && message !== undefined) return new WayError([code as ErrorCode], message);
  return new WayError(["INVALID_INPUT"], text);
}
