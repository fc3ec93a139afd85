/**
 * The gateway against the vendors' libraries: a call that one of them gives to its user, and that the gate did not judge with the same
 * name and the same arguments, is a failure.
 *
 * By default 2,000 answers. More, and others:
 *
 *     LECTERN_DIFFERENTIAL_STREAMS=50000 LECTERN_DIFFERENTIAL_SEED=2001 node --test test/wire-differential.test.ts
 *
 * A finding names its seed: `LECTERN_DIFFERENTIAL_STREAMS=1 LECTERN_DIFFERENTIAL_SEED=<seed>` repeats it and prints the answer.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainAnswer } from "./support/differential/bytes.ts";
import { compare, compareSeed, findingIn } from "./support/differential/findings.ts";
import { seenByLibraries } from "./support/differential/libraries.ts";
import { throughGateway } from "./support/differential/through-gateway.ts";
import { vendorBodies, vendorStreams } from "./support/differential/vendor-answers.ts";

const streams = Number(process.env["LECTERN_DIFFERENTIAL_STREAMS"] ?? 2000);
const firstSeed = Number(process.env["LECTERN_DIFFERENTIAL_SEED"] ?? 1);
// The AI SDK prints warnings about models that it does not know.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
const FINDINGS_MAX = 20;

test("answers in the shapes of the vendors pass unchanged, and each library sees the calls that were judged", async () => {
  for (const base of [...vendorStreams, ...vendorBodies]) {
    const sent = plainAnswer(base);
    const passed = await throughGateway(sent, () => false);
    const name = `${base.dialect}: ${base.name}`;
    assert.ok(Buffer.concat(sent.chunks).equals(passed.body), name);
    assert.ok(passed.allowed.length > 0 && passed.allowed.length === passed.calls, name);
    const { finding, seen } = await compare({ base, sent, passed }, true);
    assert.equal(finding, undefined, name);
    // No library reads the chunks of Code Assist, or a list of chunks.
    assert.equal(seen > 0, !/Code Assist|as a list/.test(base.name), name);
  }
});

test(
  "answers that are changed in any way show no library a call that was not judged",
  { timeout: 3_600_000 },
  async () => {
    const findings: string[] = [];
    let withCalls = 0;
    for (let seed = firstSeed; seed < firstSeed + streams && findings.length < FINDINGS_MAX; seed += 1) {
      const { base, finding, passed, seen, sent } = await compareSeed(seed);
      if (seen > 0) withCalls += 1;
      if (finding === undefined) continue;
      findings.push(`seed ${seed}, ${base.dialect} ${base.isStream ? "stream" : "body"} "${base.name}": ${finding}`);
      if (streams === 1) findings.push(textOf(sent.chunks), textOf([passed.body]));
    }
    assert.deepEqual(findings, []);
    // What is refused as a whole shows nothing: the comparison means something only for those that show a call.
    assert.ok(streams < 100 || withCalls > streams / 10, `only ${withCalls} of ${streams} show a call`);
  },
);

test("the comparison finds a call that passes without a decision, with other arguments, or twice", async () => {
  for (const base of vendorStreams.filter(({ name }) => !name.includes("Code Assist"))) {
    const sent = plainAnswer(base);
    const passed = await throughGateway(sent, () => false);
    const [call, ...rest] = passed.allowed;
    const holes = [
      rest,
      [{ name: "other", input: call?.input }, ...rest],
      [{ name: call?.name ?? "", input: { planted: true } }, ...rest],
    ];
    const views = await seenByLibraries(base.dialect, passed, { executes: false, isStream: true });
    for (const judged of holes) {
      assert.match(findingIn(views, judged).finding ?? "", / sees /, `${base.dialect}: ${base.name}`);
    }
  }
});

const textOf = (chunks: readonly Uint8Array[]): string => Buffer.concat(chunks).toString();
