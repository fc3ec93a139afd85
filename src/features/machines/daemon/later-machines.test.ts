import assert from "node:assert/strict";
import { test } from "node:test";
import type { MachineInfo } from "../../../protocol/machines.ts";
import { LaterMachines } from "./later-machines.ts";
import type { MachineSource } from "../../../machines/machines.ts";

const row: MachineInfo = {
  name: "box",
  link: "ssh",
  address: "me@box",
  state: "unasked",
  reason: null,
  sinceMs: 0,
  version: null,
};

/** A source with one machine, and how many listen to it. */
class Source implements MachineSource {
  listeners = 0;
  ready = () => Promise.resolve();
  list = () => [row];
  transport = () => undefined;
  subscribe = (): Disposable => {
    this.listeners += 1;
    return { [Symbol.dispose]: () => void (this.listeners -= 1) };
  };
}

test("nothing is loaded before there is a machine; then once, and listeners are told", async () => {
  const source = new Source();
  let exists = false;
  let loads = 0;
  let told = 0;
  const later = new LaterMachines({
    exists: () => exists,
    load: () => {
      loads += 1;
      return Promise.resolve(source);
    },
    onError: assert.ifError,
  });
  {
    using _listening = later.subscribe(() => (told += 1));
    await later.ready();
    assert.deepEqual([loads, later.list()], [0, []]);
    exists = true;
    await Promise.all([later.ready(), later.ready()]);
    assert.deepEqual([loads, told, source.listeners, later.list()], [1, 1, 1, [row]]);
  }
  assert.equal(source.listeners, 0);
});

test("a source that cannot be loaded is tried again with the next use", async () => {
  const source = new Source();
  let loads = 0;
  const later = new LaterMachines({
    exists: () => true,
    load: () => {
      loads += 1;
      return loads === 1 ? Promise.reject(new Error("no")) : Promise.resolve(source);
    },
    onError: assert.ifError,
  });
  await assert.rejects(later.ready(), /no/);
  await later.ready();
  assert.deepEqual(later.list(), [row]);
});
