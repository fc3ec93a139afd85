/** A real sshd of this user on loopback, with keys made for it; and the machines behind it, each with a home of its own. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { lecternCommand } from "./launcher.ts";
import { ended, started } from "./leftovers.ts";
import { until } from "./until.ts";

const SSHD = "/usr/sbin/sshd";

export class SshServer implements AsyncDisposable {
  readonly directory: string;
  readonly port: number;
  #server: ChildProcess;

  private constructor(directory: string, port: number, server: ChildProcess) {
    this.directory = directory;
    this.port = port;
    this.#server = server;
    started(this);
  }

  static async start(): Promise<SshServer> {
    const directory = mkdtempSync(join(tmpdir(), "lsh-"));
    for (const key of ["host", "user", "stranger"]) {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", key, "-f", join(directory, key)]);
    }
    copyFileSync(join(directory, "user.pub"), join(directory, "authorized_keys"));
    chmodSync(join(directory, "authorized_keys"), 0o600);
    // sshd separates privileges in this directory, which the service makes when it starts.
    if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    const port = await freePort();
    writeFileSync(
      join(directory, "known_hosts"),
      `[127.0.0.1]:${port} ${readFileSync(join(directory, "host.pub"), "utf8")}`,
    );
    const server = new SshServer(directory, port, run(directory, port));
    await server.#untilListening();
    return server;
  }

  /** The home directory of the user there. */
  get home(): string {
    return homeIn(this.directory);
  }

  get pid(): number {
    return this.#server.pid ?? 0;
  }

  /** Arguments of `lectern hosts add NAME` that lead to a machine here, whose `lectern` has its home in `home`. */
  hostArguments(home: string, { key = "user" }: { readonly key?: "user" | "stranger" } = {}): string[] {
    const program = join(this.directory, `lectern-${home.replaceAll("/", "_")}`);
    const line = `LECTERN_HOME=${home} exec ${lecternCommand} "$@"`;
    writeFileSync(program, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    return [`${userInfo().username}@127.0.0.1`, ...this.options(key), "--program", program];
  }

  /** `-o` and its values: with these, ssh uses nothing of the user's own. */
  options(key: "user" | "stranger" = "user"): string[] {
    const values = {
      Port: String(this.port),
      IdentityFile: join(this.directory, key),
      IdentitiesOnly: "yes",
      IdentityAgent: "none",
      UserKnownHostsFile: join(this.directory, "known_hosts"),
      GlobalKnownHostsFile: "/dev/null",
      StrictHostKeyChecking: "yes",
    };
    return Object.entries(values).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  }

  /** Ends the server and every connection to it, as a machine that loses its power. */
  async kill(): Promise<void> {
    for (const pid of [this.pid, ...descendants(this.pid)]) signal(pid, "SIGKILL");
    if (this.#server.exitCode === null && this.#server.signalCode === null) await once(this.#server, "exit");
  }

  /** Stops every connection without closing it, as a network that is cut; `resume` ends that. */
  hang(): void {
    for (const pid of [this.pid, ...descendants(this.pid)]) signal(pid, "SIGSTOP");
  }

  resume(): void {
    for (const pid of [this.pid, ...descendants(this.pid)]) signal(pid, "SIGCONT");
  }

  /** Ends the connections; the server takes new ones. */
  cut(): void {
    for (const pid of descendants(this.pid)) signal(pid, "SIGKILL");
  }

  async restart(): Promise<void> {
    this.#server = run(this.directory, this.port);
    await this.#untilListening();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!ended(this)) return;
    this.resume();
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #untilListening(): Promise<void> {
    await until(async () => {
      if (this.#server.exitCode !== null) throw new Error(`sshd: ${readFileSync(join(this.directory, "log"), "utf8")}`);
      return await isListening(this.port);
    }, "sshd listens");
  }
}

const homeIn = (directory: string): string => join(directory, "home");

function run(directory: string, port: number): ChildProcess {
  const home = homeIn(directory);
  mkdirSync(home, { recursive: true });
  const settings = {
    ListenAddress: "127.0.0.1",
    Port: String(port),
    HostKey: join(directory, "host"),
    AuthorizedKeysFile: join(directory, "authorized_keys"),
    PidFile: "none",
    PasswordAuthentication: "no",
    KbdInteractiveAuthentication: "no",
    UsePAM: "no",
    // The directory is below /tmp, which everybody may write to.
    StrictModes: "no",
    PermitRootLogin: "prohibit-password",
    MaxStartups: "100",
    // Login shells read the start-up files of the user there, whose own may take seconds.
    SetEnv: `HOME=${home}`,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  return spawn(SSHD, ["-D", "-f", "/dev/null", "-E", join(directory, "log"), ...options], { stdio: "ignore" });
}

function isListening(port: number): Promise<boolean> {
  const { promise, resolve: end } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => end(true));
  socket.on("error", () => end(false));
  return promise.finally(() => socket.destroy());
}

function descendants(pid: number): number[] {
  const children = (() => {
    try {
      return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
    } catch {
      return [];
    }
  })();
  // Programs that a login has started and that have left it, such as a daemon, are no connection.
  return children.flatMap((child) => (isSshd(child) ? [child, ...descendants(child)] : []));
}

function isSshd(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("sshd");
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
