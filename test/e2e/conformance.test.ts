/** The cases of `test/conformance/cases`, each on every way to call the daemon. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { readCaseFiles, readUncoveredOperations } from "../conformance/case-file.ts";
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
import { FileHome } from "./cli-home.ts";

/** `npm run test:long` sets it. Otherwise the typed client, which sends what `http` sends, has those cases that call an operation for the first time. */
const hasAll = process.env["LECTERN_CONFORMANCE"] === "all";
const shared = new FileHome();
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

for (const way of ways) {
  const met = new Set<string>();
  for (const { cases, file } of files) {
    for (const each of cases) {
      const count = tallies.get(way.name)!;
      const names = each.operations.filter(isOperation).map(({ operation }) => operation);
      const isRepeated = way === standIn && !hasAll && names.every((name) => met.has(name));
      if (isRepeated || whyNot(way, each) !== undefined) {
        count.notRun += 1;
        continue;
      }
      for (const name of names) met.add(name);
      test(`${way.name}, ${file}: ${each.title}`, async () => {
        const { directory } = await shared.empty();
        count.tallies.push(await runCase(each, { way, standIn, directory }));
        count.cases += 1;
      });
    }
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
