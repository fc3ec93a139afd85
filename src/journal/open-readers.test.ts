import assert from "node:assert/strict";
import { test } from "node:test";
import { OpenReaders } from "./open-readers.ts";

class Holder {
  forgotten = 0;
  closeFile(): void {
    this.forgotten += 1;
  }
}

test("beyond the bound the one that did not read gives its file back", () => {
  const places = new OpenReaders(2);
  const [first, second, third] = [new Holder(), new Holder(), new Holder()];
  places.add(first);
  places.add(second);
  places.touch(first);
  places.add(third);
  assert.deepEqual(
    [first, second, third].map(({ forgotten }) => forgotten),
    [0, 1, 0],
  );
  assert.equal(places.size, 2);
});

test("where all have read the one that came first gives its file back", () => {
  const places = new OpenReaders(2);
  const holders = [new Holder(), new Holder(), new Holder()];
  for (const holder of holders) {
    places.add(holder);
    places.touch(holder);
  }
  const forgotten = holders.map((holder) => holder.forgotten);
  assert.deepEqual(forgotten, [1, 0, 0]);
});

test("one that is removed is not asked, one that is added twice counts once", () => {
  const places = new OpenReaders(1);
  const [first, second] = [new Holder(), new Holder()];
  places.add(first);
  places.add(first);
  places.remove(first);
  places.add(second);
  assert.equal(first.forgotten, 0);
});
