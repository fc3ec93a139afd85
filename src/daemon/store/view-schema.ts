/** What the views reported, as rows. All of it can be made again from the journals: a file that is lost or old is made anew. */
import { keyOfHour } from "../../core/usage/usage-hours.ts";
import { orderOf } from "../../core/chat/message.ts";
import { keyOfChange, type ChangeKind, type ViewChange } from "../../core/views/change.ts";

/** Rises when the rows or the reducers behind them change: what an older version wrote is dropped and made again from the journals. */
export const VIEWS_VERSION = 12;

/** One row for each thing that was told, with its last change. `ordinal`, then `id`, orders the things of one kind. */
export const viewSchemaSql = `
  CREATE TABLE IF NOT EXISTS changes (
    id INTEGER PRIMARY KEY, session TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, ordinal REAL NOT NULL,
    offset INTEGER NOT NULL, time_us INTEGER NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL, change TEXT NOT NULL,
    UNIQUE (session, kind, key)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS usage_by_hour ON changes (ordinal) WHERE kind = 'usage-hour';
  CREATE INDEX IF NOT EXISTS changes_by_offset ON changes (session, offset);
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (text, content = 'changes', content_rowid = 'id', tokenize = "unicode61 remove_diacritics 2 tokenchars '_'");
  CREATE TABLE IF NOT EXISTS checkpoints (session TEXT PRIMARY KEY, offset INTEGER NOT NULL, checkpoint TEXT NOT NULL) STRICT;
`;

export interface ChangeRow {
  /** `usage-hour`: of a change of the usage, the sum of its hour. */
  readonly kind: ChangeKind | "usage-hour";
  readonly key: string;
  readonly ordinal: number;
  readonly offset: number;
  readonly timeUs: number;
  /** For a message its role, else the kind. */
  readonly role: string;
  /** What a search looks at. */
  readonly text: string;
  readonly change: string;
}

/** What has changed since an offset, in the order of the changes. */
export interface ChangeQuery {
  readonly session: string;
  /** Only what changed there or later. */
  readonly from: number;
  readonly kinds: readonly ChangeKind[];
  readonly changesMax: number;
}

/** Things as they are now, in the order of their kind: messages as they were said, statuses as they were told. */
export interface ThingQuery extends ChangeQuery {
  /** Only the last so many of the order. */
  readonly last: number | null;
}

export interface SearchQuery {
  readonly words: string;
  readonly session: string | null;
  readonly role: string | null;
  readonly sinceUs: number | null;
  readonly hitsMax: number;
}

export interface SearchHit {
  readonly session: string;
  readonly kind: ChangeKind;
  readonly key: string;
  readonly role: string;
  readonly offset: number;
  readonly timeUs: number;
  /** A part of the text; the words that were looked for stand between U+0002 and U+0003. */
  readonly snippet: string;
}

/**
 * A status that is told again is the last one again. When it began does not order it: it may have begun before the one that it
 * replaced, as when a dialog was drawn before it was seen to be read.
 */
export const isMovedToEnd = ({ kind }: Pick<ChangeRow, "kind">): boolean => kind === "status";

/** The rows of a change: one, and for the usage another one for its hour. */
export function toRows(change: ViewChange): ChangeRow[] {
  const row = toRow(change);
  if (change.kind !== "usage" || change.hour === undefined) return [row];
  const { hour, offset, timeUs } = change;
  const place = { key: keyOfHour(hour), ordinal: hour.hourUs, offset, timeUs, role: "usage-hour", text: "" };
  return [row, { ...place, kind: "usage-hour", change: JSON.stringify(hour) }];
}

function toRow(change: ViewChange): ChangeRow {
  const { kind, offset, timeUs } = change;
  const base = { kind, key: keyOfChange(change), offset, timeUs, role: kind as string, change: JSON.stringify(change) };
  switch (change.kind) {
    case "status":
      // Lectern's own words: nobody looks for them.
      return { ...base, ordinal: offset, text: "" };
    case "message": {
      const { role, text: said, shell } = change.message;
      // A message that was withdrawn has neither, so that nothing of it is found.
      const text = [shell?.command ?? "", said].filter(Boolean).join("\n");
      return { ...base, ordinal: orderOf(change.message), role, text };
    }
    case "approval": {
      const { timeUs: ordinal, question, details } = change.approval;
      return { ...base, ordinal, text: `${question}\n${details}` };
    }
    case "event": {
      const { carrier, offset: ordinal, name } = change.event;
      // A summary repeats what is found in the messages.
      if (carrier === "derived") return { ...base, ordinal, text: name };
      const body = change.event.valid ? JSON.stringify(change.event.payload) : change.event.text;
      return { ...base, ordinal, text: `${name} ${body}` };
    }
    case "usage":
    case "intents":
    case "conversation":
      return { ...base, ordinal: 0, text: "" };
  }
}
