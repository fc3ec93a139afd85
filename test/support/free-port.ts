/** Ports for servers that cannot take any free one and say which. */
import { once } from "node:events";
import { createServer } from "node:net";

/** The kernel gives connections, and servers that take any port, none of these: a port that is free now stays free, also while its server is away. */
const PORT_MIN = 10_000;
const PORT_MAX = 30_000;
const TRIES_MAX = 1000;

/** A port of 127.0.0.1 that is free now, with those at the given distances from it. */
export async function freePort(...distances: readonly number[]): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN));
    const wanted = [0, ...distances].map(async (distance) => await isFree(port + distance));
    if ((await Promise.all(wanted)).every(Boolean)) return port;
  }
  throw new Error(`No port of ${TRIES_MAX} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
