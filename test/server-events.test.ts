/** A session's records as server-sent events: form, resume, filters, heartbeat, slow readers. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, test } from "node:test";
import { tokens } from "./support/memory-service.ts";
import { startMemoryServer } from "./support/memory-server.ts";
import { until } from "./support/until.ts";

const memory = await startMemoryServer({ limits: { heartbeatMs: 20, stallMs: 100 } });
after(() => memory[Symbol.asyncDispose]());
const { service, url, port } = memory;

interface Event {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

const open = (session: string, query = "", headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/v1/sessions/${session}/follow${query}`, {
    headers: { authorization: `Bearer ${tokens.read}`, ...headers },
  });

/** The blocks of a whole stream that carry data. */
function eventsOf(text: string): Event[] {
  return text
    .split("\n\n")
    .filter((block) => block.includes("\ndata: "))
    .map((block) => {
      const fields = new Map(block.split("\n").map((line) => [line.split(": ", 1)[0]!, line.replace(/^\w+: /, "")]));
      return {
        id: fields.get("id")!,
        event: fields.get("event")!,
        data: JSON.parse(fields.get("data")!) as Record<string, unknown>,
      };
    });
}

const outputOf = (events: readonly Event[]): string =>
  Buffer.concat(events.map(({ data }) => Buffer.from((data["data"] as string | undefined) ?? "", "base64"))).toString();

function filled(name: string): ReturnType<typeof service.add> {
  const session = service.add(name);
  for (const text of ["abc", "d\ne", "f\u{1F600}g"]) session.print(text);
  session.resize(100, 30);
  session.print("end");
  session.finish();
  return session;
}

test("records come as events of their type with the offset to resume at, until the exit", async () => {
  const session = filled("form");
  const answer = await open("form", "?from=0");
  assert.equal(answer.headers.get("content-type"), "text/event-stream");
  const text = await answer.text();
  assert.ok(text.startsWith("retry: 1000\n\n"));
  const events = eventsOf(text);
  assert.deepEqual(
    events.map(({ event }) => event),
    ["output", "output", "output", "resize", "output", "exit"],
  );
  assert.deepEqual(events[0], {
    id: "3",
    event: "output",
    data: { type: "output", offset: 0, next: 3, timeUs: session.records[0]!.timeUs, data: "YWJj" },
  });
  assert.deepEqual(events[3]!.data["columns"], 100);
  assert.deepEqual(events[5]!.data["exit"], { reason: "exited", code: 0, signal: null });
});

test("a reader that resumes at any event id gets the rest, exactly", async () => {
  filled("resume");
  const all = eventsOf(await (await open("resume", "?from=0")).text());
  for (const [index, { id }] of all.slice(0, -1).entries()) {
    const rest = eventsOf(await (await open("resume", "?from=0", { "last-event-id": id })).text());
    assert.deepEqual(rest, all.slice(index + 1));
  }
});

test("a reader that has everything of an ended session is told not to come back", async () => {
  const session = filled("over");
  const answer = await open("over", "", { "last-event-id": String(session.end) });
  assert.equal(answer.status, 204);
});

test("a Last-Event-ID that is no offset is ignored, and one behind the end is refused", async () => {
  filled("odd");
  assert.equal(eventsOf(await (await open("odd", "?from=0", { "last-event-id": "x" })).text()).length, 6);
  assert.equal((await open("odd", "", { "last-event-id": "99999" })).status, 416);
});

test("only the wanted types come, and the id moves past the others", async () => {
  const session = filled("types");
  const text = await (await open("types", "?from=0&types=resize,mark")).text();
  assert.deepEqual(
    eventsOf(text).map(({ event }) => event),
    ["resize"],
  );
  assert.ok(text.endsWith(`id: ${session.end}\n\n`));
});

test("new records come as they are made, and a comment when there are none", async () => {
  const session = service.add("live");
  const answer = await open("live", "?from=0");
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const untilText = async (part: string): Promise<void> => {
    while (!text.includes(part)) text += (await reader.read()).value ?? assert.fail("the stream ended");
  };
  await untilText(": alive\n\n");
  session.print("now");
  await untilText("data: ");
  assert.equal(outputOf(eventsOf(text.replaceAll(": alive\n\n", ""))), "now");
  session.finish();
  await untilText("event: exit");
});

test("a reader that goes away gives its cursor back", async () => {
  const session = service.add("leave");
  const answer = await open("leave", "?from=0");
  assert.equal(session.cursors.size, 1);
  await answer.body!.cancel();
  await until(() => session.cursors.size === 0);
});

test("a reader that does not read holds nothing back and is ended", async () => {
  const session = service.add("stuck");
  const socket = connect(port, "127.0.0.1");
  const closed = new Promise((resolve) => void socket.once("close", resolve));
  socket.on("error", () => {});
  socket.write(
    `GET /v1/sessions/stuck/follow?from=0 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${tokens.read}\r\n\r\n`,
  );
  socket.pause();
  await until(() => session.cursors.size > 0);
  const [cursor] = session.cursors;
  const piece = Buffer.alloc(65_536, "x");
  while (session.end < 24 * 1024 * 1024) {
    session.print(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => session.cursors.size === 0);
  const stoppedAt = cursor!.offset;
  assert.ok(stoppedAt < session.end - 1024 * 1024, "the kernel took everything");
  session.print(piece);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(cursor!.offset, stoppedAt);
  socket.resume();
  await closed;
});
