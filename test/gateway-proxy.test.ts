/** Model servers behind a proxy of the network. */
import assert from "node:assert/strict";
import { createServer, request, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { test } from "node:test";
import { bodyOf, pathOf, post, turnIn } from "./support/model-requests.ts";
import { ScriptedModel } from "./support/scripted-model/scripted-model.ts";
import { TemporaryGateway } from "./support/temporary-gateway.ts";
import { certificate, privateKey } from "./support/test-certificate.ts";

/** Passes plain requests on and makes tunnels, and writes down who asked for what. */
class SmallProxy implements AsyncDisposable {
  readonly asked: string[] = [];
  readonly #sockets = new Set<Duplex>();
  readonly #server: Server;

  private constructor(refuse: number | undefined) {
    this.#server = createServer((incoming, response) => {
      this.asked.push(`${incoming.method} ${incoming.url}`);
      const { headers, method = "GET", url = "" } = incoming;
      const sent = request(url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      incoming.pipe(sent);
    });
    this.#server.on("connect", (incoming, socket: Duplex) => {
      this.asked.push(`CONNECT ${incoming.url} ${incoming.headers["proxy-authorization"] ?? ""}`.trim());
      if (refuse !== undefined) return void socket.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
      const [host = "", port] = (incoming.url ?? "").split(":");
      const tunnel = connect(Number(port), host, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      for (const one of [socket, tunnel]) {
        this.#sockets.add(one);
        one.on("error", () => undefined);
      }
      socket.pipe(tunnel).pipe(socket);
    });
  }

  static async start(refuse?: number): Promise<SmallProxy> {
    const proxy = new SmallProxy(refuse);
    await new Promise<void>((done) => proxy.#server.listen(0, "127.0.0.1", done));
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

const ask = async (gateway: TemporaryGateway): Promise<string> => {
  const response = await post(`${gateway.url("anthropic")}/v1/messages`, bodyOf("anthropic"));
  const { turn } = await turnIn("anthropic", response);
  return turn.error === null ? turn.text : `${turn.error.type}: ${turn.error.message}`;
};

test("a plain model server is asked through the proxy, and one that NO_PROXY names is not", async () => {
  await using model = await ScriptedModel.start({ turns: [{ say: "Hello", times: "always" }] });
  await using proxy = await SmallProxy.start();
  const settings = { http: `http://${proxy.address}`, https: "", except: "" };
  await using gateway = await TemporaryGateway.start(model.url, { proxy: settings });
  assert.equal(await ask(gateway), "Hello");
  assert.deepEqual(proxy.asked, [`POST ${model.url}/v1/messages`]);
  await using direct = await TemporaryGateway.start(model.url, {
    proxy: { ...settings, except: "x.example, 127.0.0.1" },
  });
  assert.equal(await ask(direct), "Hello");
  assert.equal(proxy.asked.length, 1);
});

test("a model server with TLS is reached through a tunnel, and the proxy gets its password", async () => {
  const server = createSecureServer({ key: privateKey, cert: certificate }, (incoming, response) => {
    incoming.resume();
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"id":"m","model":"m","stop_reason":"end_turn","content":[{"type":"text","text":"Through"}]}');
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    const { port } = server.address() as AddressInfo;
    await using proxy = await SmallProxy.start();
    await using gateway = await TemporaryGateway.start(`https://localhost:${port}`, {
      proxy: { http: "", https: `http://me:secret@${proxy.address}`, except: "" },
      upstream: { certificates: certificate },
    });
    assert.equal(await ask(gateway), "Through");
    assert.deepEqual(proxy.asked, [`CONNECT localhost:${port} Basic ${Buffer.from("me:secret").toString("base64")}`]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a proxy that refuses and one that is not there are clear errors", async () => {
  await using proxy = await SmallProxy.start(407);
  const noRetry = { retry: { attemptsMax: 1 } };
  const through = (https: string): Promise<TemporaryGateway> =>
    TemporaryGateway.start("https://localhost:1", { proxy: { http: "", https, except: "" }, upstream: noRetry });
  await using refused = await through(`http://${proxy.address}`);
  assert.match(await ask(refused), /^upstream_unreachable: .*proxy of the network did not let .* \(407\)$/);
  await using nobody = await through("http://127.0.0.1:1");
  assert.match(await ask(nobody), /^upstream_unreachable: .*\(ECONNREFUSED\)$/);
});

test("what is meant for OpenAI goes to ChatGPT if it has an account of it, and nothing else does", async () => {
  await using proxy = await SmallProxy.start(407);
  const asked = async (upstream: string, headers: Readonly<Record<string, string>>): Promise<string | undefined> => {
    await using gateway = await TemporaryGateway.start(upstream, {
      proxy: { http: "", https: `http://${proxy.address}`, except: "" },
      upstream: { retry: { attemptsMax: 1 } },
    });
    const url = `${gateway.url("openai")}${pathOf("openai-responses")}`;
    await (await post(url, bodyOf("openai-responses"), { headers })).text();
    return proxy.asked.at(-1);
  };
  const account = { "chatgpt-account-id": "a1" };
  assert.equal(await asked("https://api.openai.com", account), "CONNECT chatgpt.com:443");
  assert.equal(await asked("https://api.openai.com", {}), "CONNECT api.openai.com:443");
  assert.equal(await asked("https://models.example", account), "CONNECT models.example:443");
});
