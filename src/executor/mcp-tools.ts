/** Tools of MCP servers, over standard input and output. Their schemas are checked like those of our own. */
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { LecternError } from "../core/errors.ts";
import { parseJson } from "../core/json/parse-json.ts";
import { asList, asObject, asText, fieldsOf, objectsIn, type JsonObject } from "../core/wire/shape.ts";
import { failed, succeeded, type Tool, type ToolRun, type ToolOutcome } from "./tool.ts";

/** As other MCP hosts write them in their configuration. */
export interface ToolServerSettings {
  readonly command: string;
  readonly args?: readonly string[];
  /** Beside a few harmless ones (PATH, HOME): a server does not get our keys. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface McpServers extends AsyncDisposable {
  /** Named `mcp__SERVER__TOOL`. */
  readonly tools: readonly Tool[];
}

export interface McpOptions {
  readonly version: string;
  readonly workingDirectory: string;
  readonly signal: AbortSignal;
  /** A call without an answer for so long has failed. Default 300,000. */
  readonly timeoutMs?: number;
}

/** Tools of one server; further ones are an error. */
const TOOLS_MAX = 512;
const NAME_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** Outputs are text for a model. A schema of a server for them is not compiled: its patterns could take for ever. */
const anyOutput: NonNullable<ClientOptions["jsonSchemaValidator"]> = {
  // The type of the value is what the caller takes it for.
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Reads `{"mcpServers": {...}}`. Throws `INVALID_INPUT` naming the file. */
export function readMcpConfig(text: string, file: string): Readonly<Record<string, ToolServerSettings>> {
  const refuse = (why: string): never => {
    throw new LecternError("INVALID_INPUT", `Cannot read the MCP servers of "${file}": ${why}`);
  };
  const servers = asObject(fieldsOf(tryParse(text))["mcpServers"]) ?? refuse('wanted {"mcpServers": {...}}');
  for (const [name, value] of Object.entries(servers)) {
    const { args = [], command, env = {} } = fieldsOf(value);
    if (!/^[A-Za-z0-9-]{1,32}$/.test(name)) refuse(`"${name}" is no name: letters, digits and dashes, at most 32`);
    const isFine =
      typeof command === "string" &&
      Array.isArray(args) &&
      args.every((word) => typeof word === "string") &&
      Object.values(asObject(env) ?? { wrong: 0 }).every((word) => typeof word === "string");
    if (!isFine) refuse(`"${name}" needs a command, and may have args and env of texts`);
  }
  // Each was looked at above.
  return servers as Readonly<Record<string, ToolServerSettings>>;
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof LecternError) return undefined;
    throw error;
  }
}

/** Starts the servers and asks for their tools. Throws `NOT_AVAILABLE` naming the one that does not answer. */
export async function connectMcpServers(
  servers: Readonly<Record<string, ToolServerSettings>>,
  options: McpOptions,
): Promise<McpServers> {
  const clients: Client[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.close()));
  };
  try {
    const tools = await Promise.all(
      Object.entries(servers).map(async ([name, settings]) => {
        const client = new Client({ name: "lectern", version: options.version }, { jsonSchemaValidator: anyOutput });
        clients.push(client);
        return toolsOf(name, settings, { ...options, client });
      }),
    );
    return { tools: tools.flat(), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function toolsOf(
  server: string,
  { args = [], command, env = {} }: ToolServerSettings,
  { client, signal, timeoutMs = 300_000, workingDirectory }: McpOptions & { readonly client: Client },
): Promise<Tool[]> {
  const tools: Tool[] = [];
  try {
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      env: { ...env },
      cwd: workingDirectory,
      stderr: "ignore",
    });
    await client.connect(transport, { signal });
    for (let cursor: string | undefined; ;) {
      const page = await client.listTools({ cursor }, { signal });
      for (const { description = "", inputSchema, name } of page.tools) {
        if (tools.length >= TOOLS_MAX) throw new Error(`it has more than ${TOOLS_MAX} tools`);
        const full = `mcp__${server}__${name}`;
        // The model's API refuses a request with a name that it cannot take.
        if (!NAME_PATTERN.test(full)) continue;
        const call = { client, name, timeoutMs };
        tools.push({ name: full, description, schema: inputSchema, run: (run) => callTool(call, run) });
      }
      cursor = page.nextCursor;
      if (cursor === undefined) return tools;
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new LecternError("NOT_AVAILABLE", `Cannot use the MCP server "${server}": ${why}`, { cause });
  }
}

async function callTool(
  { client, name, timeoutMs }: { readonly client: Client; readonly name: string; readonly timeoutMs: number },
  { arguments: given, output, signal }: ToolRun,
): Promise<ToolOutcome> {
  const answer = await client.callTool({ name, arguments: { ...given } }, { signal, timeout: timeoutMs });
  for (const item of objectsIn(answer["content"])) output.feedText(`${shown(item)}\n`);
  if (asList(answer["content"]).length === 0 && answer["structuredContent"] !== undefined) {
    output.feedText(JSON.stringify(answer["structuredContent"]));
  }
  return answer["isError"] === true ? failed("The tool says that it failed") : succeeded();
}

/** Models of all four dialects take text as a result; what is none is named. */
function shown(item: JsonObject): string {
  if (typeof item["text"] === "string") return item["text"];
  const resource = asObject(item["resource"]);
  if (typeof resource?.["text"] === "string") return resource["text"];
  const kind = asText(item["mimeType"]) ?? asText(resource?.["mimeType"]) ?? "an unknown type";
  return `[${asText(item["type"]) ?? "something"} of ${kind}]`;
}
