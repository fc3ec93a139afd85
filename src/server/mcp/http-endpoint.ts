/** MCP over streamable HTTP. The guard has let the request in; each request gets a server of its own, bound to its caller. */
import { createMcpHandler } from "@modelcontextprotocol/server";
import { LecternClient } from "../../client/client.ts";
import { LecternError } from "../../core/errors.ts";
import { describeIssues, sentenceOf } from "../../protocol/input-issues.ts";
import { operations } from "../../protocol/operations.ts";
import { splitAddress } from "../../protocol/session-address.ts";
import type { CallContext, DaemonService } from "../../daemon/service.ts";
import { authorize, authorizeAway } from "../access.ts";
import { readBody } from "../body.ts";
import type { ServerLimits } from "../limits.ts";
import { Outlet } from "../outlet.ts";
import { parseBody } from "../parse-body.ts";
import { securityHeaders, type AdmittedExchange } from "../reply.ts";
import { createMcpServer } from "./mcp-server.ts";
import type { McpCalls } from "./tool.ts";

/** Answers one POST. A client that goes away ends its waits; commands that run in sessions go on. */
export async function answerMcp(
  exchange: AdmittedExchange,
  { service, limits }: { readonly service: DaemonService; readonly limits: ServerLimits },
): Promise<void> {
  const { incoming, outgoing, caller, signal } = exchange;
  const body = await readBody(incoming, { bytesMax: limits.bodyBytesMax, deadlineMs: limits.bodyMs });
  const parsedBody = parseBody(body);
  const { version } = await service.handlers["daemon.info"]({}, { caller, signal });
  const callsOf = (request: AbortSignal): McpCalls =>
    serviceCalls(service, { caller, signal: AbortSignal.any([signal, request]) });
  const handler = createMcpHandler(() => createMcpServer({ version, callsOf }), {
    // A long wait needs its heartbeats, and one body of JSON has none.
    responseMode: "sse",
    keepAliveMs: limits.heartbeatMs,
  });
  try {
    const request = new Request("http://lectern/mcp", {
      method: "POST",
      headers: headersOf(incoming.rawHeaders),
      signal,
    });
    const response = await handler.fetch(request, { parsedBody });
    outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), ...securityHeaders });
    const outlet = new Outlet(outgoing, limits.stallMs);
    for await (const chunk of response.body ?? []) if (signal.aborted || !(await outlet.write(chunk))) break;
    outgoing.end();
  } finally {
    await handler.close();
  }
}

/** The operations of the daemon for one caller, each checked as over HTTP. */
function serviceCalls(service: DaemonService, context: CallContext): McpCalls {
  const { caller } = context;
  return {
    caller,
    startIn: undefined,
    call: async (name, given) => {
      const { machine, session } = splitAddress("session" in given ? String(given.session) : "");
      if (machine !== undefined) return await machineCalls(service, context, machine).call(name, { ...given, session });
      const schema = operations[name].input;
      const parsed = schema.safeParse(given);
      if (!parsed.success)
        throw new LecternError("INVALID_INPUT", sentenceOf(describeIssues(parsed.error, given, schema)));
      const input = authorize({ caller, name, input: parsed.data }, service);
      // The table pairs each name with its handler and its input; the compiler cannot follow that through a variable.
      const handler = service.handlers[name] as (input: unknown, context: CallContext) => Promise<never>;
      return await handler(input, context);
    },
    on: (machine, signal) =>
      machineCalls(
        service,
        { caller, signal: AbortSignal.any([context.signal, ...(signal ? [signal] : [])]) },
        machine,
      ),
  };
}

/** The operations of another machine for one caller, with the rights that the caller has there. */
function machineCalls(service: DaemonService, { caller, signal }: CallContext, machine: string): McpCalls {
  return {
    caller,
    startIn: undefined,
    call: async (name, input) => {
      authorizeAway({ caller, name, machine, readOnly: false }, service);
      const client = new LecternClient(await service.machineTransport(machine, caller.scope));
      return await client.call(name, input, { signal });
    },
  };
}

/** What the protocol reads; credentials stay here. */
function headersOf(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    if (name === "accept" || name === "content-type" || name.startsWith("mcp-"))
      headers.append(name, rawHeaders[index + 1] ?? "");
  }
  return headers;
}
