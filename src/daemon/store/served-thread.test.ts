import assert from "node:assert/strict";
import { test } from "node:test";
import { ServedThread } from "./served-thread.ts";

/** A part that takes its turns until another part stops it. */
class Long {
  readonly #flag: { isSet: boolean };
  readonly #log: string[] = [];

  constructor(flag: { isSet: boolean }) {
    this.#flag = flag;
  }

  *run(name: string): Generator<undefined, string> {
    this.#log.push(`${name} begins`);
    while (!this.#flag.isSet) yield;
    this.#log.push(`${name} ends`);
    return name;
  }

  log(): readonly string[] {
    return this.#log;
  }

  close(): void {}
}

class Short {
  readonly #flag: { isSet: boolean };

  constructor(flag: { isSet: boolean }) {
    this.#flag = flag;
  }

  set(isSet: boolean): number {
    this.#flag.isSet = isSet;
    return 1;
  }

  async fail(message: string): Promise<void> {
    throw new Error(message);
  }

  close(): void {}
}

const flag = { isSet: false };
const parts = { long: (_: null) => new Long(flag), short: (_: null) => new Short(flag) };

/** Those parts in a thread. */
function startThread(): ServedThread<typeof parts> {
  const served = new URL("serve.ts", import.meta.url).href;
  const code = `import { serve } from ${JSON.stringify(served)};
    const flag = { isSet: false };
    ${erased(Long)}
    ${erased(Short)}
    serve({ long: () => new Long(flag), short: () => new Short(flag) });`;
  return new ServedThread(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
}

/** A class at runtime has no types. */
const erased = (made: new (...given: never[]) => object): string => String(made);

test("a method that takes long holds up its own part only", async () => {
  await using thread = startThread();
  const [long, short] = [
    await thread.open("long", null, { name: "L" }),
    await thread.open("short", null, { name: "S" }),
  ];
  const [first, second, log] = [long.run("first"), long.run("second"), long.log()];
  assert.equal(await short.set(true), 1);
  assert.deepEqual(await Promise.all([first, second]), ["first", "second"]);
  assert.deepEqual(await log, ["first begins", "first ends", "second begins", "second ends"]);
});

test("an error names the part, and has its code", async () => {
  await using thread = startThread();
  const short = await thread.open("short", null, { name: "the part", errorCode: "JOURNAL_WRITE_FAILED" });
  await assert.rejects(short.fail("no space"), {
    code: "JOURNAL_WRITE_FAILED",
    message: "Cannot use the part: no space",
  });
});

test("a part is closed after all that was asked before, once is enough, and it can be opened again", async () => {
  await using thread = startThread();
  const errors = { name: "the part" };
  const short = await thread.open("short", null, errors);
  const long = await thread.open("long", null, errors);
  const running = long.run("first");
  const closed = long.close();
  await short.set(true);
  assert.equal(await running, "first");
  await closed;
  await assert.rejects(long.log(), { message: "Cannot use the part: it is closed" });
  await long.close();
  assert.deepEqual(await (await thread.open("long", null, errors)).log(), []);
});

test("a thread that has ended rejects what was asked and not answered, and everything after it but close", async () => {
  const thread = startThread();
  const long = await thread.open("long", null, { name: "the part" });
  const unanswered = assert.rejects(long.run("first"), { message: "Cannot use the part: it is closed" });
  await thread[Symbol.asyncDispose]();
  await unanswered;
  await assert.rejects(long.log(), { message: "Cannot use the part: it is closed" });
  await long.close();
});

test("a thread that cannot start says why to everyone who asks it", async () => {
  const thread = new ServedThread<typeof parts>(new URL("no-such-worker.ts", import.meta.url));
  await assert.rejects(thread.open("long", null, { name: "the part" }), /Cannot use the part: .*no-such-worker/);
  await assert.rejects(thread.open("short", null, { name: "the other" }), /Cannot use the other: .*no-such-worker/);
  assert.equal(thread.isEnded, true);
});
