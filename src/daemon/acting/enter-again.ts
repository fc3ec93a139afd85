/**
 * Enter once more for a text that stands in the box as it was typed: an agent that had no processor read Enter together with the paste, and
 * took it for a part of that (Gemini CLI for 40 ms). Not if it has worked since: then it took the text and put it back, and would do it twice.
 */
import { holdsPrompt, isSameReader, type Reader } from "../../core/acting/draft.ts";
import type { ViewChange } from "../../core/views/change.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { KeptViews } from "../store/view-store.ts";
import type { EntryViews } from "../views/entry-views.ts";
import { isAtPrompt } from "./type-prompt.ts";
import { readingNow, typeFor } from "./targets.ts";
import { inputKey } from "./typed-inputs.ts";

/** How often Enter is pressed behind one text. */
const ENTERS_MAX = 3;

/** Of the status, between Enter and the end of a turn. */
const STATUSES_MAX = 1000;

interface Left {
  readonly entry: SessionEntry;
  readonly views: EntryViews;
  /** A person at a keyboard took over. */
  readonly lost: AbortSignal;
  readonly key: string;
  readonly text: string;
  /** How often Enter was pressed. */
  readonly enters: number;
  /** Who read the text, if that is known. */
  readonly reader: Reader | undefined;
  /** Of the status, since Enter. */
  readonly changes: readonly ViewChange[];
}

/** The journal up to `enterEnd` has it. Null if it was not pressed. */
export async function enterAgain({
  entry,
  views,
  lost,
  key,
  text,
  enters,
  reader,
  changes,
}: Left): Promise<{ readonly enteredUs: number; readonly enterEnd: number } | null> {
  if (enters >= ENTERS_MAX || changes.some(hasWorked)) return null;
  const draft = await views.view.draft();
  const isSame = reader === undefined || isSameReader(reader, draft.reader);
  const isStill = isAtPrompt(entry) && isSame && draft.place === "box" && holdsPrompt(draft, text);
  if (!isStill || lost.aborted) return null;
  const enteredUs = Date.now() * 1000;
  const { reads } = readingNow(entry, draft.reader);
  const own = inputKey(key, `enter${enters + 1}`);
  const enter = await typeFor(entry, { bytes: Buffer.from("\r"), reader: reads, key: own });
  return "why" in enter ? null : { enteredUs, enterEnd: enter.next };
}

/** Changes of the status behind an offset, the newest of them. */
export async function statusesOf(
  { id: session }: Pick<SessionEntry, "id">,
  store: Pick<KeptViews, "list">,
  from: number,
): Promise<ViewChange[]> {
  return await store.list({ session, from, kinds: ["status"], last: STATUSES_MAX, changesMax: STATUSES_MAX });
}

/** That something was entered, and no answer to it was seen, is not the agent's word. */
export function hasWorked(change: ViewChange): boolean {
  if (change.kind !== "status" || !["working", "blocked"].includes(change.status.state)) return false;
  return change.status.evidence.some(({ isDecisive, signal }) => isDecisive && signal !== "input");
}
