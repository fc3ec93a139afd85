/** A gateway before a model server that gives every request the same answer. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { TemporaryGateway } from "./temporary-gateway.ts";

export interface FixedAnswer {
  /** The content type. */
  readonly type: string;
  readonly body: string;
  /** Default 200. */
  readonly status?: number;
  /** Of the gateway. Default: every call is allowed. */
  readonly policy?: string;
}

/** `requests` gets the method and the path of each request that reaches the server. */
export async function behind(
  { body, policy, status = 200, type }: FixedAnswer,
  use: (gateway: TemporaryGateway, requests: readonly string[]) => Promise<void>,
): Promise<void> {
  const requests: string[] = [];
  const server = createServer((incoming, response) => {
    incoming.resume();
    incoming.once("end", () => {
      requests.push(`${incoming.method} ${incoming.url}`);
      response.writeHead(status, { "content-type": type }).end(body);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const upstream = { retry: { attemptsMax: 1 } };
    await using gateway = await TemporaryGateway.start(url, { upstream, ...(policy !== undefined && { policy }) });
    await use(gateway, requests);
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}
