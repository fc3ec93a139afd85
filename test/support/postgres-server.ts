/** A PostgreSQL server with an empty database, on a unix socket in a directory of its own. Closing it ends it. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ended, started } from "./leftovers.ts";
import { until } from "./until.ts";

/** Where Debian installs the programs of a server, which are not on the PATH. */
const PROGRAMS = "/usr/lib/postgresql/*/bin";
/** Debian's nobody. A server refuses to run as root. */
const NOBODY = 65_534;

export class PostgresServer implements AsyncDisposable {
  readonly #directory: string;
  readonly #server: ChildProcess;

  private constructor(directory: string, server: ChildProcess) {
    this.#directory = directory;
    this.#server = server;
    started(this);
  }

  static async start(): Promise<PostgresServer> {
    const directory = mkdtempSync(join(tmpdir(), "lectern-postgres-"));
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(directory, NOBODY, NOBODY);
    const user = { cwd: directory, ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) };
    const programs = globSync(PROGRAMS).toSorted().at(-1) ?? "";
    const data = join(directory, "data");
    const settings = ["-D", data, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
    execFileSync(join(programs, "initdb"), settings, { ...user, stdio: ["ignore", "ignore", "pipe"] });
    const words = ["-D", data, "-k", directory, "-c", "listen_addresses=", "-c", "logging_collector=on", "-F"];
    const server = new PostgresServer(
      directory,
      spawn(join(programs, "postgres"), words, { ...user, stdio: "ignore" }),
    );
    await server.#untilReady();
    return server;
  }

  /** What starts psql on it, with nothing of the user's own. */
  get psql(): readonly [string, ...string[]] {
    const settings = ["--set=HISTFILE=/dev/null", "--pset=pager=off"];
    return ["psql", "--no-psqlrc", "--no-align", "--tuples-only", ...settings, "-h", this.#directory, "-U", "postgres"];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!ended(this)) return;
    if (this.#server.exitCode === null && this.#server.signalCode === null) {
      // Without waiting for its clients.
      this.#server.kill("SIGINT");
      await once(this.#server, "exit");
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #untilReady(): Promise<void> {
    const file = join(this.#directory, "data", "postmaster.pid");
    await until(() => {
      if (this.#server.exitCode !== null) throw new Error(`postgres has ended with ${this.#server.exitCode}`);
      return existsSync(file) && /^ready/m.test(readFileSync(file, "utf8"));
    }, "the database accepts connections");
  }
}
