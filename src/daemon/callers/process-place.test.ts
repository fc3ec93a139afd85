import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOf, type ProcessFacts, type SessionMarks } from "./process-place.ts";

/** `parent session startTicks`, and then the environment; null for one that cannot be read. */
type Row = readonly [facts: string, environment: readonly string[] | null];

interface Exceptions {
  readonly states?: Readonly<Record<number, string>>;
  /** Of a process that is not in here, the command line is "sh". */
  readonly commands?: Readonly<Record<number, readonly string[]>>;
}

function factsOf(table: Readonly<Record<number, Row>>, { commands = {}, states = {} }: Exceptions): ProcessFacts {
  return {
    stat: (pid) => {
      const [parent, session, startTicks] = (table[pid]?.[0] ?? "").split(" ").map(Number);
      if (parent === undefined || session === undefined || startTicks === undefined) return undefined;
      return {
        name: "x",
        state: states[pid] ?? "S",
        parent,
        group: pid,
        session,
        foregroundGroup: -1,
        startTicks,
        image: null,
      };
    },
    environment: (pid) => table[pid]?.[1] ?? undefined,
    arguments: (pid) => commands[pid] ?? ["sh"],
  };
}

/** Host 50 runs session "s" with the program 100, which started at tick 10. */
const marks: SessionMarks = {
  ledBy: (pid, startTicks) => (pid === 100 && startTicks === 10 ? "s" : undefined),
  ofKernelSession: (leader) => (leader === 100 ? "s" : undefined),
  isHost: (pid) => pid === 50,
  namedIn: (environment) => (environment.includes("IN=s") ? "s" : environment.includes("IN=gone") ? null : undefined),
};

const system = { 1: ["0 1 0", null], 50: ["1 50 5", []], 100: ["50 100 10", []] } as const;

const told = (pid: number, table: Readonly<Record<number, Row>>, exceptions: Exceptions = {}) => {
  const place = placeOf(pid, factsOf({ ...system, ...table }, exceptions), marks);
  return place === undefined ? "outside" : `${place.session} by ${place.evidence}`;
};

test("a process of a terminal outside is outside, also below a login of another user", () => {
  assert.equal(told(300, { 200: ["1 200 2", null], 250: ["200 250 3", []], 300: ["250 250 20", ["A=b"]] }), "outside");
});

test("the program of a session and all below it are inside", () => {
  assert.equal(told(100, {}), "s by ancestor");
  assert.equal(told(300, { 200: ["100 200 11", []], 300: ["200 200 12", []] }), "s by ancestor");
});

test("an ancestor that has ended while it was read proves nothing of what is below it", () => {
  const table = { 200: ["100 200 11", []], 300: ["200 200 12", []] } as const;
  assert.equal(told(300, table, { commands: { 200: [] } }), "s by unreadable");
});

test("the command lines are those up to the program of the session", () => {
  const table = { ...system, 200: ["100 200 11", []], 300: ["200 200 12", []] } as const;
  const commands = { 1: ["init"], 50: ["host"], 100: ["bash"], 200: ["claude"], 300: ["curl", "-s"] };
  assert.deepEqual(placeOf(300, factsOf(table, { commands }), marks)?.commands, [["curl", "-s"], ["claude"], ["bash"]]);
});

test("a process without its parents is known by the kernel's session, or by its own or a parent's environment", () => {
  assert.equal(told(300, { 300: ["1 100 12", []] }), "s by kernel-session");
  assert.equal(told(300, { 300: ["1 300 12", ["IN=s"]] }), "s by environment");
  assert.equal(told(400, { 300: ["1 300 12", ["IN=s"]], 400: ["300 300 13", []] }), "s by environment");
  assert.equal(told(300, { 300: ["1 300 12", ["IN=gone"]] }), "null by environment");
});

test("a child of a pty host is inside before it is known which session it is", () => {
  assert.equal(told(101, { 101: ["50 101 11", []] }), "null by pty-host");
});

test("a pid that was used again is not the program of the session", () => {
  assert.equal(told(300, { 100: ["1 7 40", []], 300: ["100 7 41", []] }), "outside");
});

test("a parent that is younger than its child is not believed", () => {
  assert.equal(told(300, { 200: ["1 200 99", []], 300: ["200 300 20", []] }), "null by unreadable");
});

test("what cannot be read counts as inside", () => {
  assert.equal(told(300, {}), "null by unreadable");
  assert.equal(told(300, { 300: ["1 300 12", null] }), "null by unreadable");
  assert.equal(told(300, { 300: ["1 300 12", []] }, { states: { 300: "Z" } }), "null by unreadable");
});

test("a parent that the system hides ends the chain", () => {
  assert.equal(told(300, { 250: ["200 250 3", []], 300: ["250 250 20", []] }), "outside");
});

test("a chain that is too long to follow counts as inside", () => {
  const table = Object.fromEntries(
    Array.from({ length: 1100 }, (_, index) => [1000 + index, [`${index === 0 ? 1 : 999 + index} 9 20`, []] as Row]),
  );
  assert.equal(told(2099, table), "null by unreadable");
});
