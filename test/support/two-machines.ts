/** A daemon of this process, "here", that reaches a daemon of its own process as the machine "box". Both are real. */
import { LecternClient } from "../../src/client/client.ts";
import type { Transport } from "../../src/client/transport.ts";
import { unixTransport } from "../../src/client/unix-transport.ts";
import { startServer, type RunningServer } from "../../src/server/server.ts";
import { createLogger } from "../../src/server/log.ts";
import type { Scope } from "../../src/protocol/operations.ts";
import { CliHome } from "../e2e/cli-home.ts";
import { SocketMachines } from "./socket-machines.ts";
import { TemporaryDaemon } from "./temporary-daemon.ts";

export class TwoMachines implements AsyncDisposable {
  readonly here: TemporaryDaemon;
  readonly box: CliHome;
  readonly machines: SocketMachines;
  readonly server: RunningServer;
  /** Of the daemon here, over its unix socket. */
  readonly transport: Transport;
  readonly client: LecternClient;
  /** `http://127.0.0.1:PORT`, here. */
  readonly url: string;
  /** Lines of the log here. */
  readonly log: string[];

  private constructor(parts: Pick<TwoMachines, "here" | "box" | "machines" | "server" | "log">) {
    ({ here: this.here, box: this.box, machines: this.machines, server: this.server, log: this.log } = parts);
    this.transport = unixTransport(this.here.paths.daemonSocket);
    this.client = new LecternClient(this.transport);
    this.url = this.server.listeners.find(({ kind }) => kind === "tcp")?.url ?? "";
  }

  static async start({ pageDirectory }: { readonly pageDirectory?: string } = {}): Promise<TwoMachines> {
    const box = new CliHome();
    await box.startDaemon("--no-tcp");
    const machines = new SocketMachines();
    machines.add("box", box.paths.daemonSocket);
    const here = await TemporaryDaemon.start(undefined, { machines });
    const log: string[] = [];
    const server = await startServer({
      service: here.running.service,
      logger: createLogger({ write: (line) => log.push(line) }, "info"),
      listeners: [
        { kind: "unix", path: here.paths.daemonSocket },
        { kind: "tcp", host: "127.0.0.1", port: 0 },
      ],
      pageDirectory,
    });
    return new TwoMachines({ here, box, machines, server, log });
  }

  /** The text of a token of the daemon here. */
  async token(scope: Scope, session?: string): Promise<string> {
    return (await this.client.call("tokens.create", { scope, ...(session !== undefined && { session }) })).token;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    await this.here[Symbol.asyncDispose]();
    await this.box[Symbol.asyncDispose]();
  }
}
