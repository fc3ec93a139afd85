/** The thread's side of a `DatabaseThread`. */
import { parentPort } from "node:worker_threads";

type Answer<Request> = (request: Request) => unknown;

/** Says that the database is open, then answers each request with what `answer` returns or throws. "close" is the last one. */
export function serveRequests<Request extends { readonly type: string }>(answer: Answer<Request>): void {
  const port = parentPort;
  if (port === null) throw new Error("A database is served in a worker thread only");
  port.on("message", ({ id, request }: { readonly id: number; readonly request: Request }) => {
    try {
      port.postMessage({ id, result: answer(request) });
    } catch (error) {
      port.postMessage({ id, error: (error as Error).message });
    }
    if (request.type === "close") port.close();
  });
  port.postMessage({ id: 0, result: null });
}
