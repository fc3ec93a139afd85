/** An editor that runs an agent as a command: it writes requests, and keeps all that it gets. */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { AcpLines, isRequest, type RpcMessage } from "../../src/core/acp/acp-lines.ts";
import { until } from "./until.ts";

interface EditorOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
}

interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

export class AcpEditor {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly messages: RpcMessage[] = [];
  readonly sent: Buffer[] = [];
  readonly received: Buffer[] = [];
  errors = "";
  #ids = 0;

  constructor([program, ...words]: readonly [string, ...string[]], { environment, directory }: EditorOptions) {
    this.child = spawn(program, words, { cwd: directory, env: environment, stdio: ["pipe", "pipe", "pipe"] });
    const lines = new AcpLines();
    this.child.stdin.on("error", () => undefined);
    this.child.stderr.on("data", (chunk: Buffer) => (this.errors += chunk.toString()));
    this.child.stdout.on("data", (chunk: Buffer) => {
      this.received.push(chunk);
      for (const line of lines.feed(chunk)) if (line.type === "message") this.#take(line.message);
    });
  }

  #take(message: RpcMessage): void {
    this.messages.push(message);
    const { id = null, method } = message;
    // A person answers a question; the editor itself can do nothing else that an agent asks for.
    if (isRequest(message) && method !== "session/request_permission")
      this.send({ id, error: { code: -32_601, message: "Method not found" } });
  }

  write(text: string): void {
    this.sent.push(Buffer.from(text));
    this.child.stdin.write(text);
  }

  send(message: RpcMessage): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Resolves with the answer, whether it is a result or an error. */
  async request(method: string, params: object): Promise<Answer> {
    const id = this.#ids++;
    this.send({ id, method, params });
    const isAnswer = (message: RpcMessage): boolean => message.id === id && message.method === undefined;
    return (await this.message(isAnswer, `the answer to ${method}`)) as Answer;
  }

  async message(isWanted: (message: RpcMessage) => boolean, what: string): Promise<RpcMessage> {
    let found: RpcMessage | undefined;
    await until(() => (found = this.messages.find(isWanted)) !== undefined || this.#isOver, what);
    if (found === undefined) throw new Error(`The connection has ended before ${what}: ${this.errors}`);
    return found;
  }

  /** A conversation in this directory. */
  async begin(): Promise<string> {
    await this.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { result } = await this.request("session/new", { cwd: "/tmp", mcpServers: [] });
    return String(result?.["sessionId"]);
  }

  prompt(sessionId: string, text: string): Promise<Answer> {
    return this.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** The text of the agent's messages so far. */
  get text(): string {
    const updates = this.messages.filter(({ method }) => method === "session/update");
    return updates
      .map(({ params }) => (params as { readonly update: { readonly content?: { readonly text?: string } } }).update)
      .map(({ content }) => content?.text ?? "")
      .join("|");
  }

  /** The agent's question, once it is there. */
  question(): Promise<RpcMessage> {
    return this.message(({ method }) => method === "session/request_permission", "a question");
  }

  answer({ id = null }: RpcMessage, optionId: string): void {
    this.send({ id, result: { outcome: { outcome: "selected", optionId } } });
  }

  /** Closes standard input, as an editor does; resolves with the exit code. */
  async close(): Promise<number | null> {
    const ended = this.#ended();
    this.child.stdin.end();
    return await ended;
  }

  async kill(): Promise<void> {
    const ended = this.#ended();
    this.child.kill("SIGKILL");
    await ended;
  }

  get #isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async #ended(): Promise<number | null> {
    if (!this.#isOver) await once(this.child, "close");
    return this.child.exitCode;
  }
}
