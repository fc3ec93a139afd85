/** A search of all sessions: those here, and those of each machine that answers. */
import type { LecternClient, OutputOf } from "../../client.ts";
import { waits } from "../../core/waits.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import { joinAddress } from "../../protocol/session-address.ts";
import { daemon } from "../api.ts";

export type Hit = OutputOf<"sessions.search">["hits"][number];

export interface FoundHits {
  /** Newest first; sessions of a machine with it in front. */
  readonly hits: readonly Hit[];
  /** Names of machines that did not answer. */
  readonly missing: readonly string[];
}

const HITS_MAX = 60;

export async function searchAll(
  words: string,
  machines: readonly Pick<MachineInfo, "name" | "state">[],
  signal: AbortSignal,
): Promise<FoundHits> {
  const ask = async (client: LecternClient, limit: AbortSignal): Promise<readonly Hit[]> =>
    (await client.call("sessions.search", { words, hitsMax: HITS_MAX }, { signal: limit })).hits;
  const askMachine = async ({ name, state }: Pick<MachineInfo, "name" | "state">): Promise<FoundHits> => {
    const nothing = { hits: [], missing: [name] };
    if (state !== "connected") return nothing;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(waits.answerMs)]);
    const hits = await ask(daemon().on(name), limit).catch(() => undefined);
    return hits === undefined ? nothing : { hits: hits.map((hit) => hitOn(name, hit)), missing: [] };
  };
  const [here, ...others] = await Promise.all([ask(daemon(), signal), ...machines.map(askMachine)]);
  const hits = [...here, ...others.flatMap((found) => found.hits)].toSorted((one, other) => other.timeUs - one.timeUs);
  return { hits: hits.slice(0, HITS_MAX), missing: others.flatMap(({ missing }) => missing) };
}

const hitOn = (machine: string, hit: Hit): Hit => ({
  ...hit,
  session: joinAddress({ machine, session: hit.session }),
  name: joinAddress({ machine, session: hit.name }),
});
