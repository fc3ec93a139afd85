/** Runs one case on one way, and counts what the way did not do itself. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeRecordedAgent } from "../support/recorded-agent.ts";
import type { Case, CaseFile, Expected, OperationStep, Setup, Step } from "./case-file.ts";
import { differences, valueAt, withSaved } from "./matching.ts";
import { codesOf, type Fields, type Offer, type Programs, type Way } from "./way.ts";

/** What a way lacks for one step, as the files name it; empty if it can do all of it. */
export interface Holes {
  /** The operation or fields of its input: another way has to do the step. */
  readonly calls: readonly string[];
  /** Fields of the expected answer, which are not compared. */
  readonly answers: readonly string[];
}

/** What was counted in one case on one way. */
export interface Tally {
  readonly done: string[];
  /** By another way. */
  readonly replaced: string[];
  readonly notCompared: string[];
}

export function holesOf({ offers }: Way, step: OperationStep): Holes {
  const { operation, input = {}, save = {} } = step;
  const offer = offers[operation];
  if (offer === undefined) return { calls: [operation], answers: [] };
  const { takes, refuses, gives } = offer;
  const untaken = takes === undefined ? [] : Object.keys(input).filter((key) => !takes.includes(key));
  const refused = untaken.length === 0 ? refuses?.(input) : undefined;
  const isMissing = (key: string): boolean => gives !== undefined && !gives.includes(key);
  const unsaved = Object.values(save).map((path) => path.split(".")[0] ?? "");
  return {
    calls: [
      ...[...untaken, ...(refused === undefined ? [] : [refused])].map((key) => `${operation}(${key})`),
      ...unsaved.filter(isMissing).map((key) => `${operation}.${key}`),
    ],
    answers: expectedKeys(step.expect)
      .filter(isMissing)
      .map((key) => `${operation}.${key}`),
  };
}

function expectedKeys(expect: Expected | undefined): string[] {
  if (expect === undefined || expect.error !== undefined) return [];
  return typeof expect.answer === "object" && expect.answer !== null ? Object.keys(expect.answer) : [];
}

export const isOperation = (step: Step): step is OperationStep => "operation" in step;

/** Why a case does not run on a way; undefined if it does. */
export function whyNot(way: Way, { operations, without }: Case): string | undefined {
  const stated = without?.[way.name];
  if (stated !== undefined) return stated;
  const holes = operations.filter(isOperation).map((step) => holesOf(way, step).calls);
  if (!way.isShared) return holes.find((calls) => calls.length > 0)?.join(", ");
  return holes.every((calls) => calls.length > 0) ? "none of its operations" : undefined;
}

/** What the ways of a file lack, against what the file states: each must be in the other. */
export function wrongReasons({ file, without, cases }: CaseFile, ways: readonly Way[]): string[] {
  return ways.flatMap((way) => {
    const found = new Set(
      cases
        .filter((each) => each.without?.[way.name] === undefined)
        .flatMap(({ operations }) => operations.filter(isOperation))
        .flatMap((step) => Object.values(holesOf(way, step)).flat() as string[]),
    );
    const stated = (without[way.name] ?? []).flatMap(({ lacks }) => lacks);
    const problems = [
      ...[...found].filter((hole) => !stated.includes(hole)).map((hole) => `lacks ${hole}: state the reason`),
      ...stated.filter((hole) => !found.has(hole)).map((hole) => `does not lack ${hole} in any case: remove it`),
    ];
    return problems.map((problem) => `${file}: ${way.name} ${problem}`);
  });
}

interface Running {
  readonly way: Way;
  /** Does what the way lacks. */
  readonly standIn: Way;
  /** For the files of the case. */
  readonly directory: string;
}

/** Runs the steps in order. Throws an error that names the step that was not as expected. */
export async function runCase({ setup = {}, operations }: Case, { way, standIn, directory }: Running): Promise<Tally> {
  const tally: Tally = { done: [], replaced: [], notCompared: [] };
  const saved = new Map<string, unknown>([["directory", directory]]);
  await using programs = new AsyncDisposableStack();
  programs.defer(() => way.programs.clear());
  await prepare(setup, { programs: way.programs, directory, saved });
  for (const [index, step] of operations.entries()) {
    if (!isOperation(step)) {
      await waitFor(step.waitFor, way.programs);
      continue;
    }
    const { answers, calls } = holesOf(way, step);
    const isReplaced = calls.length > 0;
    const by = isReplaced ? standIn : way;
    (isReplaced ? tally.replaced : tally.done).push(step.operation);
    if (!isReplaced) tally.notCompared.push(...answers);
    const offer = by.offers[step.operation];
    assert.ok(offer, `${by.name} does not offer ${step.operation}`);
    const where = `step ${index + 1}, ${step.operation} by ${by.name}`;
    const expect = (isReplaced ? undefined : step.differs?.[way.name]?.expect) ?? step.expect;
    const answer = await outcomeOf(offer, { step, saved, expect, where });
    for (const [name, path] of Object.entries(step.save ?? {})) {
      const value = valueAt(answer, path);
      assert.notEqual(value, undefined, `${where}: no "${path}" to save in ${JSON.stringify(answer)}`);
      saved.set(name, value);
    }
  }
  return tally;
}

interface Asked {
  readonly step: OperationStep;
  readonly saved: Map<string, unknown>;
  readonly expect: Expected | undefined;
  readonly where: string;
}

/** The answer, once it is as expected; undefined for an expected error. */
async function outcomeOf(offer: Offer, asked: Asked): Promise<unknown> {
  const { step, saved, expect, where } = asked;
  const input = withSaved(step.input ?? {}, saved) as Fields;
  const isLast = (item: unknown): boolean =>
    step.until !== undefined && differences(item, withSaved(step.until, saved)).length === 0;
  let answer: unknown;
  try {
    answer = await offer.call({ input, isLast });
  } catch (error) {
    checkError(error, expect, asked);
    return undefined;
  }
  if (expect?.error !== undefined)
    throw new Error(`${where}: wanted the error ${expect.error}, was ${JSON.stringify(answer)}`);
  if (expect === undefined) return answer;
  const { gives } = offer;
  const wanted = withSaved(expect.answer, saved);
  const compared = gives === undefined || gives.length === 0 ? wanted : pick(wanted as Fields, gives);
  const found = gives?.length === 0 ? [] : differences(answer, compared);
  if (found.length > 0) throw new Error(`${where}:\n  ${found.join("\n  ")}`);
  return answer;
}

const pick = (fields: Fields, keys: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => keys.includes(key)));

function checkError(error: unknown, expect: Expected | undefined, { saved, where }: Asked): void {
  const codes = codesOf(error);
  if (codes === undefined || expect?.error === undefined)
    throw new Error(`${where}: ${String(error)}`, { cause: error });
  const { message } = error as Error;
  const names = withSaved(expect.names ?? [], saved) as string[];
  if (!codes.includes(expect.error))
    throw new Error(`${where}: the error is ${codes.join(" or ")}, wanted ${expect.error}: ${message}`);
  const missing = names.filter((name) => !message.includes(name));
  if (missing.length > 0) throw new Error(`${where}: the error does not name ${missing.join(", ")}: ${message}`);
}

interface Place {
  readonly programs: Programs;
  readonly directory: string;
  readonly saved: Map<string, unknown>;
}

async function prepare({ files = {}, recordedAgent, sessions = {} }: Setup, place: Place): Promise<void> {
  const { directory, programs, saved } = place;
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  if (recordedAgent !== undefined) writeRecordedAgent(directory, recordedAgent);
  for (const [name, { until, ...input }] of Object.entries(sessions)) {
    await programs.start({ name, workingDirectory: directory, ...(withSaved(input, saved) as Fields) });
    if (until !== undefined) await programs.untilOutput(name, until);
  }
}

async function waitFor(
  { session, output, exit }: { readonly session: string; readonly output?: string; readonly exit?: true },
  programs: Programs,
): Promise<void> {
  if (output !== undefined) await programs.untilOutput(session, output);
  if (exit === true) await programs.untilExit(session);
}
