/** `lectern acp` as an editor runs it: a process, and the protocol's own client on its pipes. */
import assert from "node:assert/strict";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  client,
  ndJsonStream,
  type ClientConnection,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { CliHome } from "../e2e/cli-home.ts";
import { launcher } from "./launcher.ts";
import { until } from "./until.ts";

type Answer = (request: RequestPermissionRequest, signal: AbortSignal) => Promise<RequestPermissionResponse>;

export class AcpClient implements AsyncDisposable {
  readonly process: ChildProcessWithoutNullStreams;
  readonly connection: ClientConnection;
  readonly updates: SessionUpdate[] = [];
  readonly questions: RequestPermissionRequest[] = [];
  /** How the person at the editor answers; by default not at all. */
  answer: Answer = async () => await new Promise<never>(() => undefined);
  stderr = "";

  private constructor(home: CliHome, words: readonly string[]) {
    this.process = startAcp(home, words);
    this.process.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    const { stdin, stdout } = this.process;
    this.connection = client({ name: "test" })
      .onRequest("session/request_permission", async ({ params, signal }) => {
        this.questions.push(params);
        return await this.answer(params, signal);
      })
      .onNotification("session/update", ({ params }) => void this.updates.push(params.update))
      .connect(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>));
  }

  static async start(home: CliHome, ...words: readonly string[]): Promise<AcpClient> {
    const started = new AcpClient(home, words);
    const { protocolVersion } = await started.agent.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { session: { notices: {} } },
    });
    assert.equal(protocolVersion, 1);
    return started;
  }

  get agent(): ClientConnection["agent"] {
    return this.connection.agent;
  }

  async prompt(sessionId: string, text: string): Promise<string> {
    const { stopReason } = await this.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    return stopReason;
  }

  /** What a client shows of one side of the conversation. */
  said(kind: "user_message_chunk" | "agent_message_chunk"): string {
    const texts = this.updates.map((update) =>
      update.sessionUpdate === kind && update.content.type === "text" ? update.content.text : "",
    );
    return texts.join("");
  }

  async question(): Promise<RequestPermissionRequest> {
    await until(() => this.questions.length > 0, "a request for permission");
    const [question] = this.questions;
    assert.ok(question);
    return question;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connection.close();
    this.process.stdin.end();
    if (this.process.exitCode === null)
      await new Promise((resolve) => {
        this.process.once("close", resolve);
      });
  }
}

export const startAcp = (home: CliHome, words: readonly string[]): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [launcher, "acp", ...words], { cwd: home.directory, env: home.environment });
