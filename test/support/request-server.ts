/** A server that answers each request as a test says, once all of the request has come. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface RequestServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: IncomingMessage[];
}

export async function serverOf(
  answer: (response: ServerResponse, incoming: IncomingMessage) => void,
): Promise<RequestServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((incoming, response) => {
    requests.push(incoming);
    incoming.resume();
    incoming.once("end", () => answer(response, incoming));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
