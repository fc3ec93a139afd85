import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { AnswerBody } from "./answer-body.ts";

const take =
  (taken: string[]) =>
  (chunk: Buffer): undefined =>
    void taken.push(chunk.toString());

test("AnswerBody gives what came before it was taken, and then each chunk in order, to the end", async () => {
  const source = new PassThrough();
  const body = new AnswerBody(source);
  source.write("a");
  await body.begun;
  source.write("b");
  const taken: string[] = [];
  const ended = body.each(take(taken));
  source.end("c");
  await ended;
  assert.equal(taken.join(""), "abc");
});

test("AnswerBody waits while its taker waits, and holds no more than its source does", async () => {
  const source = new PassThrough({ highWaterMark: 10 });
  const body = new AnswerBody(source);
  const { promise: read, resolve } = Promise.withResolvers<void>();
  const taken: string[] = [];
  const ended = body.each((chunk) => {
    taken.push(chunk.toString());
    return taken.length === 1 ? read : undefined;
  });
  source.write("first");
  await body.begun;
  let written = 0;
  while (source.write("more!")) written += 1;
  assert.deepEqual([taken.join(""), written < 10], ["first", true]);
  resolve();
  await once(source, "drain");
  source.end();
  await ended;
  assert.equal(taken.join(""), `first${"more!".repeat(written + 1)}`);
});

test("AnswerBody rejects with the reason for which it was stopped, and with what its taker throws", async () => {
  const stopped = new AnswerBody(new PassThrough());
  const ended = stopped.each(() => undefined);
  stopped.stop(new Error("too slow"));
  await assert.rejects(ended, /too slow/);
  const source = new PassThrough();
  const refusing = new AnswerBody(source).each(() => {
    throw new Error("too much");
  });
  source.write("a");
  await assert.rejects(refusing, /too much/);
  assert.ok(source.destroyed);
});

test("AnswerBody says that it broke before its first chunk, and that it was closed before its end", async () => {
  const broken = new PassThrough();
  const { begun } = new AnswerBody(broken);
  broken.destroy(new Error("reset"));
  await assert.rejects(begun, /reset/);
  const closed = new PassThrough();
  const ended = new AnswerBody(closed).each(() => undefined);
  closed.destroy();
  await assert.rejects(ended, /was closed/);
});

test("AnswerBody reads a short rest after enough, and breaks a long one off", async () => {
  for (const [rest, isBroken] of [
    ["a short rest", false],
    ["x".repeat(100_000), true],
  ] as const) {
    const source = new PassThrough();
    const body = new AnswerBody(source);
    const taken: string[] = [];
    const ended = body.each((chunk) => {
      taken.push(chunk.toString());
      body.enough();
      return undefined;
    });
    source.write("turn");
    await ended;
    const closed = once(source, "close");
    source.end(rest);
    await closed;
    assert.deepEqual([taken, source.readableEnded], [["turn"], !isBroken]);
  }
});

test("AnswerBody rejects with what its taker throws at a small body that has ended before, and waits for its taker there", async () => {
  const ended = async (): Promise<AnswerBody> => {
    const source = new PassThrough();
    const body = new AnswerBody(source);
    source.end("small");
    await once(source, "end");
    return body;
  };
  const refusing = await ended();
  const thrown = refusing.each(() => {
    throw new Error("too much");
  });
  await assert.rejects(thrown, /too much/);
  const slow = await ended();
  const { promise: written, reject } = Promise.withResolvers<void>();
  const taking = slow.each(() => written);
  reject(new Error("the reader went away"));
  await assert.rejects(taking, /went away/);
});
