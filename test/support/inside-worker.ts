/** A session whose program does from inside what a test asks for, in ways that programs use to get away from their parents. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CliHome } from "../e2e/cli-home.ts";
import { bodyOf } from "./model-requests.ts";
import { until } from "./until.ts";

/**
 * For a line that begins with "!" a shell runs the rest, and for one with "@" the program itself asks the daemon what that file says; any other asks the
 * model and prints the text and the names of the tools.
 */
const program = `
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { ask as askDaemon } from "./request.mjs";
const ask = async (line) => {
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
    method: "POST", headers: { "content-type": "application/json", "x-api-key": "key" },
    body: JSON.stringify({ ...${JSON.stringify(bodyOf("anthropic", false))}, messages: [{ role: "user", content: line }] }),
  });
  const { content } = await response.json();
  console.log(content.map((block) => block.text ?? "call of " + block.name).join(" | "));
};
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  if (line.startsWith("!")) spawn("bash", [line.slice(1)], { stdio: "ignore" });
  else if (line.startsWith("@")) askDaemon(...JSON.parse(readFileSync(line.slice(1), "utf8")));
  else ask(line);
}
`;

/** METHOD PATH BODY OUT [TOKEN]: one request over the daemon's socket; status and answer go into a file. */
const request = (socketPath: string): string => `
import { renameSync, writeFileSync } from "node:fs";
// An import reads all that the module exports, which loads the client of WebSockets.
const { request } = process.getBuiltinModule("node:http");
export function ask(method, path, body, out, token, done = () => {}) {
const finish = (text) => { writeFileSync(out + ".new", text); renameSync(out + ".new", out); done(); };
const headers = { host: "lectern", "content-type": "application/json", accept: "application/json, text/event-stream" };
if (token) headers.authorization = "Bearer " + token;
if (path.includes("/attach")) Object.assign(headers, { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==", "sec-websocket-protocol": "lectern.v1" });
const sent = request({ socketPath: ${JSON.stringify(socketPath)}, method, path, headers }, async (incoming) => {
  let text = "";
  for await (const chunk of incoming) text += chunk;
  finish(incoming.statusCode + " " + text);
});
sent.on("upgrade", (_, socket) => { socket.destroy(); finish("101 "); });
sent.on("error", (error) => finish("0 " + error.message));
sent.end(method === "GET" || method === "DELETE" ? undefined : body);
}
if (process.argv[1].endsWith("/request.mjs")) ask(...process.argv.slice(2), () => process.exit());
`;

/** Waits until the shell that started it has ended, so that it has another parent, and becomes the given command. */
const orphan = `launcher=$1; shift; while kill -0 "$launcher" 2> /dev/null; do sleep 0.02; done; exec "$@"`;

/** How a call is made; `$CALL` are its words. */
export const ways = {
  "a child": `$CALL`,
  "a job that outlives its shell": `nohup $CALL > /dev/null 2>&1 &`,
  "a child in a kernel session of its own with an empty environment": `env -i PATH="$PATH" setsid -w $CALL`,
  "a double fork with an empty environment": `env -i PATH="$PATH" bash orphan.sh $$ $CALL &`,
  "a double fork in a kernel session of its own": `setsid bash orphan.sh $$ $CALL &`,
} as const;

export interface InsideAnswer {
  readonly status: number;
  readonly text: string;
}

export class InsideWorker {
  readonly #home: CliHome;
  readonly #session: string;
  #calls = 0;

  private constructor(home: CliHome, session: string) {
    this.#home = home;
    this.#session = session;
  }

  /** Starts the program with these options of `lectern run`. */
  static async start(home: CliHome, session: string, ...options: readonly string[]): Promise<InsideWorker> {
    const file = (name: string): string => join(home.directory, name);
    writeFileSync(file("worker.mjs"), program);
    writeFileSync(file("request.mjs"), request(home.paths.daemonSocket));
    writeFileSync(file("orphan.sh"), orphan);
    await home.ok("run", "-d", "-n", session, ...options, "--", process.execPath, file("worker.mjs"));
    const ready = { type: "output", pattern: "ready" } as const;
    assert.equal((await home.client.call("sessions.wait", { session, for: ready, from: 0 })).reason, "output");
    return new InsideWorker(home, session);
  }

  /** One request over the daemon's socket, of the program itself or of a process that it starts in that way. */
  async request(
    method: string,
    path: string,
    body: unknown,
    { token = "", way }: { readonly way?: string; readonly token?: string } = {},
  ): Promise<InsideAnswer> {
    const given = [method, path, JSON.stringify(body)];
    const words = [process.execPath, "request.mjs", ...given, "$OUT", token];
    const call = words.map((word) => (word === "$OUT" ? word : `'${word}'`)).join(" ");
    const text = await (way === undefined
      ? this.#act("@", (out) => JSON.stringify([...given, out, token]), `${method} ${path}`)
      : this.#script(way.replace("$CALL", () => call)));
    return { status: Number.parseInt(text, 10), text };
  }

  /** A command line of the program, in which `$L` is `lectern`: what it printed, and its exit code at the end. */
  async shell(command: string): Promise<string> {
    return await this.#script(`{ ${command}; echo "code $?"; } > $OUT.new 2>&1; mv $OUT.new $OUT`);
  }

  /** Runs a script inside that writes the file `$OUT`; its text. */
  async #script(text: string): Promise<string> {
    const { directory, launcherEnvironment } = this.#home;
    const script = (out: string): string =>
      `cd ${directory}; L="${launcherEnvironment.L}"; ${text.replaceAll("$OUT", out)}\n`;
    return await this.#act("!", script, text);
  }

  /** Types a line for a file with this text, and waits for what is written into the other one. */
  async #act(sign: "!" | "@", textFor: (out: string) => string, what: string): Promise<string> {
    const name = join(this.#home.directory, `${this.#session}-${++this.#calls}`);
    writeFileSync(name, textFor(`${name}.out`));
    await this.#home.client.call("sessions.input", { session: this.#session, text: `${sign}${name}\r` });
    const out = (): string | undefined => {
      try {
        return readFileSync(`${name}.out`, "utf8");
      } catch {
        return undefined;
      }
    };
    await until(() => out() !== undefined, `an answer to ${what}`);
    return out() ?? "";
  }
}
