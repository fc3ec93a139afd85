/**
 * The cases of `test/conformance/cases` on the ways to call the daemon: on each way those that bring an operation or an error code that the way has not
 * met, and every other case on one of its ways in turn.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { readCaseFiles, readUncoveredOperations, type Case } from "../conformance/case-file.ts";
import { operationNames, type OperationName } from "../../src/protocol/operations.ts";
import { reachOf, type Reach } from "../conformance/reach.ts";
import { isOperation, runCase, whyNot, wrongReasons, type Tally } from "../conformance/run-case.ts";
import type { Way } from "../conformance/way.ts";
import { cliWay } from "../conformance/ways/cli.ts";
import { clientWay } from "../conformance/ways/client.ts";
import { httpWay } from "../conformance/ways/http.ts";
import { localWay } from "../conformance/ways/local.ts";
import { mcpWay } from "../conformance/ways/mcp.ts";
import { websocketWay } from "../conformance/ways/websocket.ts";
import { SharedHome } from "./cli-home.ts";

/** `npm run test:long` sets it: each case on every way. */
const hasAll = process.env["LECTERN_CONFORMANCE"] === "all";
const shared = new SharedHome();
const files = readCaseFiles();
const reach: Reach = await reachOf(await shared.empty());
const standIn = clientWay(reach);
const ways: readonly Way[] = [
  httpWay(reach),
  websocketWay(reach),
  await mcpWay(reach),
  cliWay(reach),
  standIn,
  localWay(reach),
];
after(async () => await Promise.all(ways.map((way) => way[Symbol.asyncDispose]())));

test("each file states what a way does not have, and nothing that it has", () => {
  assert.deepEqual(
    files.flatMap((file) => wrongReasons(file, ways)),
    [],
  );
});

/** The operations that cases call, whoever does. */
const called = new Set(
  files.flatMap(({ cases }) =>
    cases.flatMap(({ operations }) => operations.filter(isOperation).map(({ operation }) => operation)),
  ),
);

test("each operation of the table is in a case, or in the list of the others", () => {
  assert.deepEqual(
    new Set(operationNames.filter((name) => !called.has(name))),
    new Set(Object.keys(readUncoveredOperations())),
  );
});

const tallies = new Map(ways.map(({ name }) => [name, { cases: 0, notRun: 0, tallies: [] as Tally[] }]));

/** What a way may do wrong by itself: send an operation, and show an error. */
const kindsOf = (each: Case): string[] =>
  each.operations.filter(isOperation).flatMap(({ operation, expect }) => [operation, expect?.error ?? operation]);

const allCases = files.flatMap(({ cases: ofFile, file }) => ofFile.map((each) => ({ each, file })));

for (const way of ways) {
  const met = new Set<string>();
  for (const [index, { each, file }] of allCases.entries()) {
    const able = ways.filter((other) => whyNot(other, each) === undefined);
    const count = tallies.get(way.name)!;
    const kinds = kindsOf(each);
    const isInTurn = able[index % able.length] === way;
    if (!able.includes(way) || !(hasAll || isInTurn || kinds.some((kind) => !met.has(kind)))) {
      count.notRun += 1;
      continue;
    }
    for (const kind of kinds) met.add(kind);
    test(`${way.name}, ${file}: ${each.title}`, async () => {
      const { directory } = await shared.empty();
      count.tallies.push(await runCase(each, { way, standIn, directory }));
      count.cases += 1;
    });
  }
}

test("what each way did is counted, and each operation that it offers was called by it", (context) => {
  for (const [name, { cases, notRun, tallies: counted }] of tallies) {
    const sum = (key: keyof Tally): number => counted.reduce((total, tally) => total + tally[key].length, 0);
    context.diagnostic(
      `${name}: ${cases} cases, ${notRun} not run; ${sum("done")} operations, ${sum("replaced")} by another way, ${sum("notCompared")} fields not compared`,
    );
    const done = new Set(counted.flatMap(({ done: names }) => names));
    const offered = Object.keys(ways.find((way) => way.name === name)!.offers);
    assert.deepEqual(
      offered.filter((operation) => called.has(operation as OperationName) && !done.has(operation)),
      [],
      name,
    );
  }
});
