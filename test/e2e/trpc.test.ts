/** The operation table over tRPC: its real server and client, in front of a real daemon. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import {
  createTRPCClient,
  createWSClient,
  httpBatchLink,
  httpSubscriptionLink,
  splitLink,
  wsLink,
  type TRPCClient,
  type TRPCLink,
} from "@trpc/client";
import { initTRPC, TRPCError } from "@trpc/server";
import { createHTTPServer, type CreateHTTPHandlerOptions } from "@trpc/server/adapters/standalone";
import { applyWSSHandler } from "@trpc/server/adapters/ws";
import { EventSource } from "undici";
import { WebSocketServer } from "ws";
import { lecternRouter, type LecternRouter } from "../../src/trpc.ts";
import { SharedHome } from "./cli-home.ts";

const home = await new SharedHome().empty();

interface Served extends AsyncDisposable {
  /** Without its scheme. */
  readonly address: string;
}

async function serve(
  router: LecternRouter,
  more: Partial<CreateHTTPHandlerOptions<LecternRouter>> = {},
): Promise<Served> {
  const server = createHTTPServer({ router, ...more });
  const sockets = new WebSocketServer({ server });
  applyWSSHandler({ wss: sockets, router });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

type Client = TRPCClient<LecternRouter>;

const overEvents = ({ address }: Served): TRPCLink<LecternRouter> =>
  splitLink({
    condition: ({ type }) => type === "subscription",
    true: httpSubscriptionLink({ url: `http://${address}`, EventSource }),
    false: httpBatchLink({ url: `http://${address}` }),
  });

/** The output of a session as a page with xterm.js would get it, until `isEnough`. */
async function read(client: Client, session: string, isEnough: (text: string) => boolean): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  const subscription = client.sessions.follow.subscribe(
    { session, from: 0, types: ["output"] },
    {
      onData: ({ data }) => {
        text += Buffer.from(data.data ?? "", "base64").toString();
        if (isEnough(text)) resolve(text);
      },
      onError: reject,
    },
  );
  try {
    return await promise;
  } finally {
    subscription.unsubscribe();
  }
}

const links = {
  "server-sent events": (served: Served) => ({ link: overEvents(served), close: () => undefined }),
  WebSocket: ({ address }: Served) => {
    const socket = createWSClient({ url: `ws://${address}` });
    return { link: wsLink<LecternRouter>({ client: socket }), close: () => socket.close() };
  },
};

for (const [name, open] of Object.entries(links)) {
  test(`over ${name}: a session is started, typed into and followed, and its messages are read`, async () => {
    await using served = await serve(lecternRouter(home.client, { scope: "write" }));
    const { link, close } = open(served);
    const client = createTRPCClient<LecternRouter>({ links: [link] });
    const { id } = await client.sessions.create.mutate({ command: ["bash", "--norc"] });
    await client.sessions.input.mutate({ session: id, text: "echo $((6*7))", enter: true });
    assert.match(await read(client, id, (text) => text.includes("42")), /echo \$\(\(6\*7\)\)[\s\S]*42/);
    const { exitCode, output } = await client.sessions.exec.mutate({ session: id, command: "echo twice; false" });
    assert.deepEqual([exitCode, output], [1, "twice\n"]);
    const { messages } = await client.sessions.messages.query({ session: id });
    assert.ok(messages.some(({ shell }) => shell?.command === "echo twice; false"));
    await client.sessions.kill.mutate({ session: id });

    const { promise: completed, resolve, reject } = Promise.withResolvers<void>();
    const kinds = new Set<string>();
    client.sessions.updates.subscribe(
      { session: id },
      { onData: ({ data }) => kinds.add(data.kind), onComplete: resolve, onError: reject },
    );
    await completed;
    assert.ok(kinds.has("message") && kinds.has("status"), [...kinds].join());
    await close();
  });
}

test("a subscription goes on at the last item when its connection breaks", async () => {
  const { id } = await home.client.call("sessions.create", { command: ["cat"] });
  await using served = await serve(lecternRouter(home.client));
  const response = await fetch(
    `http://${served.address}/sessions.follow?input=${encodeURIComponent(JSON.stringify({ session: id, from: 0, lastEventId: "7" }))}`,
    { headers: { accept: "text/event-stream" }, signal: AbortSignal.timeout(60_000) },
  );
  const started = await home.client.call("sessions.get", { session: id });
  assert.ok(started.end > 7, "the mark of its start is longer");
  await home.client.call("sessions.kill", { session: id });
  const { end } = await home.client.call("sessions.get", { session: id });
  const text = await response.text();
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, offset]) => Number(offset));
  assert.ok(ids.length > 0 && ids.every((offset) => offset > 7), text);
  assert.equal(ids.at(-1), end);
});

test("errors have the code of Lectern, and what is beyond the scope is refused", async () => {
  await using served = await serve(lecternRouter(home.client));
  const client = createTRPCClient<LecternRouter>({ links: [overEvents(served)] });
  const failure = async (call: Promise<unknown>): Promise<unknown> =>
    await call.then(
      () => assert.fail("it was accepted"),
      ({ data }: { data: { code: string; lectern: { code: string } | null; stack?: string } }) => [
        data.code,
        data.lectern?.code,
        data.stack,
      ],
    );
  assert.deepEqual(await failure(client.sessions.get.query({ session: "nobody" })), [
    "NOT_FOUND",
    "SESSION_NOT_FOUND",
    undefined,
  ]);
  assert.deepEqual(await failure(client.sessions.create.mutate({ command: ["bash"] })), [
    "FORBIDDEN",
    "FORBIDDEN",
    undefined,
  ]);
  const wrong = { session: "one", tail: -1 };
  assert.deepEqual(await failure(client.sessions.logs.query(wrong)), ["BAD_REQUEST", undefined, undefined]);
  const { promise, reject, resolve } = Promise.withResolvers<unknown>();
  client.sessions.updates.subscribe({ session: "nobody" }, { onError: reject, onComplete: () => resolve(null) });
  assert.deepEqual(await failure(promise), ["NOT_FOUND", "SESSION_NOT_FOUND", undefined]);
});

test("a procedure of the user decides who may call, also inside of a router of theirs", async () => {
  const t = initTRPC.context<{ readonly name: string | undefined }>().create();
  const signedIn = t.procedure.use(({ ctx, next }) => {
    if (ctx.name === undefined) throw new TRPCError({ code: "UNAUTHORIZED" });
    return next();
  });
  const router = t.router({ terminals: lecternRouter(home.client, { procedure: signedIn }) });
  await assert.rejects(t.createCallerFactory(router)({ name: undefined }).terminals.sessions.list({}), {
    code: "UNAUTHORIZED",
  });
  const { sessions } = await t.createCallerFactory(router)({ name: "ada" }).terminals.sessions.list({});
  assert.ok(Array.isArray(sessions));
});
