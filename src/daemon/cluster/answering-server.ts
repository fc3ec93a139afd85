/**
 * Which server of a cluster answers. The client library keeps a socket for each server that accepts a connection and stays silent, as one that
 * is stopped does; so a server is asked here first, on a socket that is always closed.
 */
import { createConnection, type Socket } from "node:net";
import { LecternError } from "../../core/errors.ts";

const ANSWER_MS_MAX = 2000;
/** A server begins with a line of JSON about itself. */
const GREETING = "INFO ";
const DEFAULT_PORT = 4222;

/** The first of them that greets. Throws `DAEMON_UNREACHABLE` with what each did. */
export async function answeringServer(servers: readonly string[]): Promise<string> {
  const sockets: Socket[] = [];
  try {
    return await Promise.any(servers.map(async (server) => greeting(server, sockets)));
  } catch (cause) {
    const reasons =
      cause instanceof AggregateError ? cause.errors.map((error: Error) => error.message) : [String(cause)];
    const next = "check that the servers run, and the firewall between";
    throw new LecternError("DAEMON_UNREACHABLE", `Cannot reach the cluster: ${reasons.join("; ")}; ${next}`, { cause });
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function greeting(server: string, sockets: Socket[]): Promise<string> {
  const { hostname, port } = new URL(server);
  const socket = createConnection({
    host: hostname.replaceAll(/^\[|\]$/g, ""),
    port: port === "" ? DEFAULT_PORT : Number(port),
  });
  sockets.push(socket);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(
    () => reject(new Error(`${server} said nothing for ${ANSWER_MS_MAX / 1000} s`)),
    ANSWER_MS_MAX,
  );
  socket.once("data", (data) => {
    if (data.toString("latin1").startsWith(GREETING)) resolve(server);
    else reject(new Error(`${server} is not a nats-server`));
  });
  socket.on("error", (error) => reject(new Error(`${server}: ${error.message}`)));
  socket.once("close", () => reject(new Error(`${server} closed the connection`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
