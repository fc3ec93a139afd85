/** A running server over a `MemoryService` on a free port, with its log as lines. */
import { createLogger } from "../../src/server/log.ts";
import type { ServerLimits } from "../../src/server/limits.ts";
import { startServer, type ListenerOptions, type RunningServer } from "../../src/server/server.ts";
import { MemoryService } from "./memory-service.ts";

export interface MemoryServer extends AsyncDisposable {
  readonly service: MemoryService;
  readonly server: RunningServer;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  readonly logLines: readonly string[];
}

export async function startMemoryServer(
  options: {
    readonly limits?: Partial<ServerLimits>;
    readonly also?: readonly ListenerOptions[];
    readonly pageDirectory?: string;
  } = {},
): Promise<MemoryServer> {
  const service = new MemoryService();
  const logLines: string[] = [];
  const logger = createLogger({ write: (line) => logLines.push(line) }, "debug");
  const listeners: ListenerOptions[] = [{ kind: "tcp", host: "127.0.0.1", port: 0 }, ...(options.also ?? [])];
  const server = await startServer({
    service,
    logger,
    listeners,
    limits: options.limits ?? {},
    pageDirectory: options.pageDirectory,
  });
  const [first] = server.listeners;
  if (first?.kind !== "tcp") throw new TypeError("The first listener is TCP");
  const { url, port } = first;
  return { service, server, url, port, logLines, [Symbol.asyncDispose]: () => server.close() };
}
