/** The end of a turn without any marker: programs answer in pieces, and the kernel says when they wait again. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gapsOf, turnPrograms, TurnRun, type Turn } from "../support/turns.ts";

const TURNS = 40;

describe("forty answers in pieces with gaps of up to 300 ms end when they are whole", { concurrency: 5 }, () => {
  for (const [name, program] of Object.entries(turnPrograms)) {
    test(`in ${name}`, async () => {
      await using run = new TurnRun(program);
      await run.ready();
      const turns: Turn[] = [];
      while (turns.length < TURNS) turns.push(await run.turn(turns.length, gapsOf(turns.length)));
      assert.equal(turns.filter(({ right }) => right).length, TURNS);
    });
  }
});
