import assert from "node:assert/strict";
import { test } from "node:test";
import { systemCallFilter } from "./system-call-filter.ts";

const ALLOWED = "allowed";
const X64 = 0xc000_003e;

interface Call {
  readonly number: number;
  readonly architecture?: number;
  /** 64 bits each. */
  readonly arguments?: readonly bigint[];
}

/** Runs the program as the kernel does. */
function result(filter: Uint8Array, { number, architecture = X64, arguments: words = [] }: Call): string {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, architecture, true);
  words.forEach((word, index) => data.setBigUint64(16 + 8 * index, word, true));
  const program = new DataView(filter.buffer);
  let loaded = 0;
  for (let at = 0; at * 8 < filter.length; at += 1) {
    const [code, jumpTrue, jumpFalse, value] = [
      program.getUint16(at * 8, true),
      program.getUint8(at * 8 + 2),
      program.getUint8(at * 8 + 3),
      program.getUint32(at * 8 + 4, true),
    ] as const;
    if (code === 0x20) loaded = data.getUint32(value, true);
    else if (code === 0x15) at += loaded === value ? jumpTrue : jumpFalse;
    else if (code === 0x35) at += loaded >= value ? jumpTrue : jumpFalse;
    else if (code === 0x45) at += (loaded & value) === 0 ? jumpFalse : jumpTrue;
    else if (code === 0x06) {
      if (value === 0x7fff_0000) return ALLOWED;
      return value === 0x8000_0000 ? "killed" : `errno ${value & 0xffff}`;
    } else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("the program ran over its end");
}

const filter = systemCallFilter("x64") ?? new Uint8Array();
const onX64 = (number: number, ...words: bigint[]): string => result(filter, { number, arguments: words });

test("ordinary system calls pass", () => {
  for (const number of [0, 1, 2, 9, 39, 57, 59, 101, 257, 334, 439])
    assert.equal(onX64(number), ALLOWED, String(number));
});

test("typing into the terminal is refused, whatever the high half of the request is", () => {
  assert.equal(onX64(16, 0n, 0x5412n), "errno 1");
  assert.equal(onX64(16, 0n, 0x1_0000_5412n), "errno 1");
  assert.equal(onX64(16, 0n, 0x541cn), "errno 1");
  assert.equal(onX64(16, 0n, 0x5413n), ALLOWED);
});

test("no new user namespace, and programs that ask for clone3 fall back to clone", () => {
  assert.equal(onX64(56, 0x1000_0011n), "errno 1");
  assert.equal(onX64(56, 0x11n), ALLOWED);
  assert.equal(onX64(272, 0x1000_0000n), "errno 1");
  assert.equal(onX64(435), "errno 38");
});

test("only sockets that a network namespace separates can be made", () => {
  for (const family of [1n, 2n, 10n, 16n]) assert.equal(onX64(41, family), ALLOWED);
  for (const family of [17n, 38n, 40n]) assert.equal(onX64(41, family), "errno 97");
});

test("the system calls of other ABIs are not let through under the numbers of this one", () => {
  assert.equal(result(filter, { number: 16, architecture: 0x4000_0003 }), "killed");
  assert.equal(onX64(0x4000_0000 + 16, 0n, 0x5412n), "errno 38");
});

test("a processor that is not known has no filter", () => {
  assert.equal(systemCallFilter("riscv64"), undefined);
  assert.ok(systemCallFilter("arm64") !== undefined);
});
