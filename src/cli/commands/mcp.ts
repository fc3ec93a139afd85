import { finished } from "node:stream/promises";
import { LecternClient } from "../../client/client.ts";
import type { Transport } from "../../client/transport.ts";
import type { McpCallsOf } from "../../server/mcp/mcp-server.ts";
import { isAway } from "../ask-again.ts";
import { defineCommand } from "../command.ts";
import { startPlaceOf, type CliContext } from "../context.ts";
import { buildVersion } from "../../daemon/version.ts";

type Caller = ReturnType<McpCallsOf>["caller"];

export const mcp = defineCommand({
  name: "mcp",
  summary: "Serve sessions as MCP tools on standard input and output",
  details: [
    "An agent starts it, for example after: claude mcp add lectern -- lectern mcp. For other agents see docs/mcp.md.",
    "Programs inherit its environment and working directory.",
    "The daemon serves the same tools over HTTP at /mcp, with a token.",
  ],
  arguments: [],
  options: {
    "read-only": { type: "flag", summary: "Serve only tools that read or wait" },
    session: { type: "text", placeholder: "SESSION", completes: "session", summary: "Only this session" },
  },
  examples: ["lectern mcp", "lectern mcp --read-only", "lectern mcp --session work"],
  async run({ options }, context) {
    const client = await context.client();
    const session =
      options.session === undefined ? null : (await client.call("sessions.get", { session: options.session })).id;
    const scope = options["read-only"] ? "read" : "write";
    const isLimited = session !== null || scope === "read";
    const caller = { scope, session } as const;
    const limited = async (): Promise<LecternClient> =>
      new LecternClient(withLimits(await context.transport(), caller));
    await serve(callsWith(isLimited ? await limited() : client, caller, context), context);
  },
});

/** Makes the daemon enforce the limits of a restricted server. */
function withLimits(transport: Transport, { scope, session }: Caller): Transport {
  const limits = { "lectern-scope": scope, ...(session === null ? {} : { "lectern-session": session }) };
  return {
    request: (given) => transport.request({ ...given, headers: { ...given.headers, ...limits } }),
    openSocket: (given) => transport.openSocket(given),
  };
}

/** Calls operations through a client. If the daemon has ended, it is started again, and operations of scope read are repeated. */
function callsWith(client: LecternClient, caller: Caller, context: CliContext): McpCallsOf {
  const callsOver = (over: LecternClient, startIn: StartPlace, signal: AbortSignal): ReturnType<McpCallsOf> => ({
    caller,
    startIn,
    call: async (name, input) => {
      try {
        return await over.call(name, input, { signal });
      } catch (error) {
        if (!isAway(error)) throw error;
        await context.client();
        const { operations } = await import("../../protocol/operations.ts");
        if (operations[name].scope !== "read") throw error;
        return await over.call(name, input, { signal });
      }
    },
    on: (machine, also) =>
      callsOver(over.on(machine), { workingDirectory: "~" }, AbortSignal.any([signal, ...(also ? [also] : [])])),
  });
  return (signal) => callsOver(client, startPlaceOf(context), signal);
}

type StartPlace = ReturnType<typeof startPlaceOf>;

async function serve(callsOf: McpCallsOf, { stdin, signal }: CliContext): Promise<void> {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const { createMcpServer } = await import("../../server/mcp/mcp-server.ts");
  const version = buildVersion();
  const server = serveStdio(() => createMcpServer({ version, callsOf }));
  // The MCP host closes standard input when it is done.
  await finished(stdin, { writable: false, signal }).catch(() => undefined);
  await server.close();
}
