/** The thread's side of a `RequestThread`. */
import { parentPort } from "node:worker_threads";

type Answer<Request> = (request: Request) => unknown;

/**
 * Says that the thread is ready, with what it has to say about its `opening`, then answers each request with what `answer` returns, resolves with, throws or rejects with.
 * Requests come to it in the order in which they were sent. "close" is the last one.
 */
export function serveRequests<Request extends { readonly type: string }>(
  answer: Answer<Request>,
  opening: unknown = null,
): void {
  const port = parentPort;
  if (port === null) throw new Error("Requests are served in a worker thread only");
  const serve = async (id: number, request: Request): Promise<void> => {
    try {
      port.postMessage({ id, result: await answer(request) });
    } catch (error) {
      port.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
    }
    if (request.type === "close") port.close();
  };
  port.on("message", ({ id, request }: { readonly id: number; readonly request: Request }) => void serve(id, request));
  port.postMessage({ id: 0, result: opening });
}
