/** A small MCP server on standard input and output, for tests. */
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const server = new McpServer({ name: "tests", version: "1.0.0" });
server.registerTool("add", { description: "Adds", inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
  content: [{ type: "text", text: String(a + b) }],
}));
server.registerTool("fail", { description: "Fails" }, () => ({
  isError: true,
  content: [{ type: "text", text: `no ${process.env["SECRET_OF_CALLER"] ?? "secret"}` }],
}));
await server.connect(new StdioServerTransport());
