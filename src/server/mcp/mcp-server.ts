/** The tools of a caller as an MCP server of the official SDK. One server is one caller's: nothing is shared between two. */
import { McpServer } from "@modelcontextprotocol/server";
import type { ErrorCode } from "../../core/errors.ts";
import { toLecternError } from "../../protocol/errors.ts";
import { answerText, type McpCalls, type McpTool } from "./tool.ts";
import { includesScope, operations, operationsOfTool, type Scope } from "../../protocol/operations.ts";
import type { Caller } from "../../daemon/service.ts";
import { mayUse } from "../access.ts";
import { prompt } from "./prompt-tool.ts";
import { read, screen, search } from "./reading-tools.ts";
import { close, list, machines, open } from "./session-tools.ts";
import { approve, digest, status, wait } from "./status-tools.ts";
import { run, send } from "./typing-tools.ts";

const tools: readonly McpTool[] = [
  open,
  run,
  send,
  prompt,
  read,
  screen,
  wait,
  status,
  digest,
  approve,
  search,
  list,
  machines,
  close,
];

/** The calls of one request, which end with its signal. */
export type McpCallsOf = (signal: AbortSignal) => McpCalls;

const instructions = [
  "Lectern runs programs in real terminals that stay: shells, REPLs, builds, other agents.",
  "Usual order: `open` a shell once, `run` commands in it, `close` it at the end.",
  "Each answer has a `hint` with the next step. Offsets (`next`) only grow: give one as `from` to get what came after it.",
].join(" ");

const nextSteps: Partial<Record<ErrorCode, string>> = {
  COMMAND_NOT_EXECUTABLE: "`open` another program",
  COMMAND_NOT_FOUND: "check the name of the program; to use a shell's syntax, `open` bash and `run` it there",
  CONFLICT: "look at the `status` and the `screen` of the session, `wait` for its end, then try again",
  DAEMON_UNREACHABLE: "try again in a moment; programs in sessions go on",
  FORBIDDEN: "ask your user to do this, or for a token or a session that may",
  HOST_UNREACHABLE: "try again in a moment",
  INVALID_INPUT: "correct the arguments and try again",
  LIMIT_EXCEEDED: "do less at a time, then try again",
  MACHINE_AWAY: "go on with other machines; look at `machines` later",
  MACHINE_NOT_FOUND: "look at `machines` for their names",
  NAME_TAKEN: "use the session of that name, or choose another name",
  NOT_FOUND: "look at the `status` of the session for what there is",
  OFFSET_BEYOND_END: "`read` without from",
  SESSION_ENDED: "`read` its output, or `open` another session",
  SESSION_NOT_FOUND: "`list` the sessions, or `open` one",
  TOO_LARGE: "send less at a time",
  WORKING_DIRECTORY_NOT_FOUND: "give a directory that exists",
};

export interface McpServerSettings {
  readonly version: string;
  readonly callsOf: McpCallsOf;
}

export function createMcpServer({ version, callsOf }: McpServerSettings): McpServer {
  const server = new McpServer({ name: "lectern", title: "Lectern", version }, { instructions });
  const { caller } = callsOf(new AbortController().signal);
  for (const tool of toolsFor(caller)) {
    const isReading = scopeOf(tool) === "read";
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: tool.input,
        outputSchema: tool.output,
        annotations: { readOnlyHint: isReading, destructiveHint: tool.isDestructive, openWorldHint: false },
      },
      async (input, { mcpReq }) => await answer(tool, input, callsOf(mcpReq.signal)),
    );
  }
  return server;
}

interface Answer {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** An error is an answer too: its text says what to do next. */
async function answer(tool: McpTool, input: unknown, calls: McpCalls): Promise<Answer> {
  try {
    const data = await tool.run(input, calls);
    return { content: [{ type: "text", text: answerText(data) }], structuredContent: { ...data } };
  } catch (thrown) {
    const { code, message } = toLecternError(thrown);
    const step = nextSteps[code];
    const text = step === undefined ? `${code}: ${message}` : `${code}: ${message}\nNext: ${step}`;
    return { content: [{ type: "text", text }], isError: true };
  }
}

const scopeOf = ({ name }: McpTool): Scope =>
  operationsOfTool(name)
    .map((operation) => operations[operation].scope)
    .reduce((one, other) => (includesScope(one, other) ? one : other));

/** The tools that a caller may use at all; each call is checked again. */
export const toolsFor = (caller: Caller): readonly McpTool[] =>
  tools.filter((tool) => mayUse(caller, scopeOf(tool)) && (caller.session === null || !tool.needsAllSessions));
