/**
 * The program that asks the daemon in many ways from inside a session: plain JavaScript, so that any Node runs it. It reads rows from a file
 * and writes what came of each.
 */
export interface InsideRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * `raw`: the bytes are written by hand, in HTTP/1.0; `second`: behind a request that is allowed, on the same connection; `chunked`: the body
   * in pieces; `upgrade`: a WebSocket. Default: a plain request.
   */
  readonly as?: "raw" | "second" | "chunked" | "upgrade";
}

export const insideRequests = `
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
const [socketPath, rowsFile, outFile] = process.argv.slice(2);
const base = { host: "lectern", "content-type": "application/json", accept: "application/json, text/event-stream" };
const ask = (row, agent) => new Promise((resolve) => {
  const headers = { ...base, ...row.headers };
  if (row.as === "upgrade") Object.assign(headers, { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==", "sec-websocket-protocol": "lectern.v1" });
  const sent = request({ socketPath, method: row.method, path: row.path, headers, agent }, async (incoming) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    resolve({ status: incoming.statusCode, text });
  });
  sent.on("upgrade", (_, socket) => { socket.destroy(); resolve({ status: 101, text: "" }); });
  sent.on("error", (error) => resolve({ status: 0, text: error.message }));
  const body = row.body === undefined ? "" : JSON.stringify(row.body);
  if (row.as === "chunked") for (const letter of body) sent.write(letter);
  sent.end(row.as === "chunked" || body === "" ? undefined : body);
});
const raw = ({ method, path, body = {} }) => new Promise((resolve) => {
  const text = JSON.stringify(body);
  const socket = connect(socketPath);
  let said = "";
  socket.on("data", (chunk) => (said += chunk));
  socket.on("error", (error) => resolve({ status: 0, text: error.message }));
  socket.on("close", () => resolve({ status: Number(said.split(" ")[1]), text: said }));
  socket.end(method + " " + path + " HTTP/1.0\\r\\nHost: lectern\\r\\nContent-Type: application/json\\r\\nContent-Length: " + text.length + "\\r\\n\\r\\n" + text);
});
const results = [];
for (const row of JSON.parse(readFileSync(rowsFile, "utf8"))) {
  if (row.as === "raw") results.push(await raw(row));
  else if (row.as === "second") {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await ask({ method: "GET", path: "/v1/sessions" }, agent);
    results.push(await ask(row, agent));
    agent.destroy();
  } else results.push(await ask(row));
}
writeFileSync(outFile, JSON.stringify(results));
process.exit();
`;
