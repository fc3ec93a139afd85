/** `lectern acp` with clients that do not keep to the protocol: each request is answered, and the next one works. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { startAcp } from "../support/acp-client.ts";
import { SharedHome, type CliHome } from "./cli-home.ts";

const shared = new SharedHome();

interface Answer {
  readonly id: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Lines as they are, and answers in the order in which they come. */
class RawClient implements AsyncDisposable {
  readonly #process: ReturnType<typeof startAcp>;
  readonly #lines: AsyncIterator<string>;
  stderr = "";

  constructor(home: CliHome, ...words: readonly string[]) {
    this.#process = startAcp(home, words);
    this.#process.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  send(line: string): void {
    this.#process.stdin.write(`${line}\n`);
  }

  /** The next answer; notifications are left out. */
  async answer(): Promise<Answer> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      assert.notEqual(done, true, `the connection was closed: ${this.stderr}`);
      const message = JSON.parse(value) as Answer & { readonly method?: string };
      if (message.method === undefined) return message;
    }
  }

  async ask(id: unknown, method: string, params: unknown = {}): Promise<Answer> {
    this.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return await this.answer();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin.end();
    if (this.#process.exitCode === null) await once(this.#process, "close");
  }
}

const codeOf = ({ error }: Answer): number | undefined => error?.code;
const prompt = (sessionId: unknown, text: string) => ({ sessionId, prompt: [{ type: "text", text }] });

test("what is not a request of the protocol is refused by its code, and the connection goes on", async () => {
  const home = await shared.empty();
  await using client = new RawClient(home, "--", "bash", "--norc", "--noprofile");
  assert.equal(codeOf(await client.ask(0, "session/list")), -32_600, "before initialize");
  const { result } = await client.ask(1, "initialize", { protocolVersion: 2, info: { name: "v2", version: "1" } });
  assert.equal(result?.["protocolVersion"], 1, "a client of v2 is offered v1");
  client.send("this is noise");
  assert.equal(codeOf(await client.answer()), -32_700);
  client.send("[]");
  assert.equal(codeOf(await client.answer()), -32_600);
  assert.equal(codeOf(await client.ask(2, "session/teleport")), -32_601);
  assert.equal(codeOf(await client.ask(3, "authenticate", { methodId: "none" })), -32_601);
  assert.equal(codeOf(await client.ask(4, "session/prompt", prompt("none", "x"))), -32_002);
  assert.equal(codeOf(await client.ask(5, "session/load", { sessionId: "none", cwd: "/", mcpServers: [] })), -32_002);
  assert.equal(codeOf(await client.ask(6, "session/new", { cwd: 7 })), -32_602);
  assert.equal(codeOf(await client.ask(7, "session/list", { cursor: "none" })), -32_602);
  const made = await client.ask("eight", "session/new", { cwd: home.directory, mcpServers: [] });
  const id = made.result?.["sessionId"];
  const huge = await client.ask(9, "session/prompt", prompt(id, "x".repeat(16 * 1024 * 1024)));
  assert.deepEqual([huge.id, codeOf(huge)], [9, -32_602]);
  assert.match(huge.error?.message ?? "", /a prompt has at most 262144/);
  assert.equal(codeOf(await client.ask(10, "session/prompt", { sessionId: id, prompt: [] })), -32_602);
  client.send(JSON.stringify({ jsonrpc: "2.0", method: "session/unknown" }));
  const done = await client.ask(11, "session/prompt", prompt(id, "echo fine"));
  assert.deepEqual([done.id, done.result], [11, { stopReason: "end_turn" }]);
});

test("an id that is used twice is refused while its first request has no answer, and is fine afterwards", async () => {
  const home = await shared.empty();
  await using client = new RawClient(home, "--", "bash", "--norc", "--noprofile");
  await client.ask(1, "initialize", { protocolVersion: 1 });
  const id = (await client.ask(2, "session/new", { cwd: home.directory, mcpServers: [] })).result?.["sessionId"];
  client.send(
    JSON.stringify({ jsonrpc: "2.0", id: 3, method: "session/prompt", params: prompt(id, "sleep 0.5; echo one") }),
  );
  const twice = await client.ask(3, "session/prompt", prompt(id, "echo two"));
  assert.equal(codeOf(twice), -32_600);
  assert.deepEqual((await client.answer()).result, { stopReason: "end_turn" });
  assert.deepEqual((await client.ask(3, "session/prompt", prompt(id, "echo three"))).result, {
    stopReason: "end_turn",
  });
  const logs = await home.ok("logs", String(id));
  assert.match(logs, /\none[\s\S]*\nthree/);
  assert.doesNotMatch(logs, /two/);
});

test("without a program a new session is refused with the next step, and a secret of a client is in no log", async () => {
  const home = await shared.empty();
  await using client = new RawClient(home);
  await client.ask(1, "initialize", { protocolVersion: 1, _meta: { token: "sk-secret" } });
  const servers = [{ name: "files", command: "x", args: [], env: [{ name: "KEY", value: "sk-secret" }] }];
  const refused = await client.ask(2, "session/new", { cwd: home.directory, mcpServers: servers });
  assert.equal(codeOf(refused), -32_602);
  assert.match(refused.error?.message ?? "", /lectern acp -- claude/);
  assert.doesNotMatch(client.stderr, /sk-secret/);
});
