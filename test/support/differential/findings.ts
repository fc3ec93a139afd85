/** Makes an answer from a seed, gives it to the gateway, and compares what the libraries see with what was judged. */
import { readdirSync, readFileSync } from "node:fs";
import type { Dialect } from "../../../src/core/wire/turn.ts";
import type { BaseAnswer, PassedAnswer, SeenCall, ServerAnswer } from "./answer.ts";
import { oddAnswer, plainAnswer } from "./bytes.ts";
import { seenByLibraries, type SeenViews } from "./libraries.ts";
import { mutated } from "./mutations.ts";
import { randomAnswer } from "./random-answers.ts";
import { Random } from "./random.ts";
import { unjudgedIn } from "./seen-call.ts";
import { throughGateway } from "./through-gateway.ts";
import { vendorBodies, vendorStreams } from "./vendor-answers.ts";

const fixtures = new URL("../../fixtures/wire/", import.meta.url);

interface Fixture {
  readonly dialect: Dialect;
  readonly cases: readonly {
    readonly name: string;
    readonly stream: readonly unknown[];
    readonly expect: { readonly calls?: readonly unknown[] };
  }[];
}

/** The openai library makes lists as long as the largest index and looks at each place of them. */
const endless = "an index of 2^31 and one below zero";

/** The streams of the wire fixtures that have a call. The names of events are their types, as vendors send them. */
const fixtureStreams: readonly BaseAnswer[] = readdirSync(fixtures)
  .filter((name) => name.endsWith(".json"))
  .toSorted()
  .flatMap((name) => {
    const { cases, dialect } = JSON.parse(readFileSync(new URL(name, fixtures), "utf8")) as Fixture;
    const isNamed = dialect === "anthropic" || dialect === "openai-responses";
    return cases
      .filter(({ expect, name: title }) => title !== endless && (expect.calls ?? []).length > 0)
      .map(({ name: title, stream }) => ({
        dialect,
        name: title,
        isStream: true,
        events: stream.map((data) => {
          const type = isNamed ? (data as { readonly type?: unknown }).type : undefined;
          return { data, ...(typeof type === "string" && { event: type }) };
        }),
      }));
  });

const dialects: readonly Dialect[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

/** Each dialect as often as the others, and in it vendors' answers as often as the fixtures, and those as turns made by chance. */
function baseOf(random: Random): { readonly base: BaseAnswer; readonly others: readonly BaseAnswer[] } {
  const dialect = random.pick(dialects);
  const others = [...vendorStreams, ...vendorBodies, ...fixtureStreams].filter((answer) => answer.dialect === dialect);
  const kind = random.below(4);
  if (kind === 0) return { base: randomAnswer(dialect, random), others };
  const source = kind === 1 ? fixtureStreams : random.chance(0.3) ? vendorBodies : vendorStreams;
  return { base: random.pick(source.filter((answer) => answer.dialect === dialect)), others };
}

/** One comparison. `finding` says which library saw which call that nobody had judged; undefined if there is none. */
export interface Comparison {
  readonly base: BaseAnswer;
  readonly sent: ServerAnswer;
  readonly passed: PassedAnswer;
  readonly finding: string | undefined;
  /** Calls that the libraries saw, for the number of comparisons that meant something. */
  readonly seen: number;
}

/** The answer of a seed, with none to four changes, each call refused by a chance that the seed gives. */
export async function compareSeed(seed: number): Promise<Comparison> {
  const random = new Random(seed);
  const { base, others } = baseOf(random);
  const count = random.pick([0, 0, 1, 1, 1, 1, 2, 2, 3, 4]);
  const changed = mutated(base, random.pick(others), { count, random });
  const sent = random.chance(0.4) ? oddAnswer(changed, random, random.pick([0.3, 1])) : plainAnswer(changed);
  const refusal = random.pick([0, 0, 0, 0.5]);
  const passed = await throughGateway(sent, () => random.chance(refusal));
  return compare({ base: changed, sent, passed }, random.chance(0.1));
}

/** `executes`: whether `ai` executes the calls too. */
export async function compare(
  { base, passed, sent }: Pick<Comparison, "base" | "sent" | "passed">,
  executes: boolean,
): Promise<Comparison> {
  const views = await seenByLibraries(base.dialect, passed, { executes, isStream: base.isStream });
  return { base, sent, passed, ...findingIn(views, passed.allowed) };
}

/** The first call in any view that was not judged, in words. */
export function findingIn(views: SeenViews, allowed: readonly SeenCall[]): Pick<Comparison, "finding" | "seen"> {
  let seen = 0;
  let finding: string | undefined;
  for (const [view, calls] of Object.entries(views)) {
    seen += calls.length;
    const unjudged = unjudgedIn(calls, allowed);
    if (unjudged !== undefined)
      finding ??= `${view} sees ${JSON.stringify(unjudged)}; allowed were ${JSON.stringify(allowed)}`;
  }
  return { finding, seen };
}
