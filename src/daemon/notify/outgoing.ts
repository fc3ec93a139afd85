/** A notice with its addresses: the page, and a link for each answer. */
import type { OutgoingNotice } from "../../core/notify/notice.ts";
import { AnswerLinks } from "./answer-links.ts";
import type { Channel } from "./channels/channel.ts";
import type { AnswerRow, NoticeRow } from "../store/notify-schema.ts";
import type { NotifyParts } from "./notify.ts";
import type { NotifyStore } from "./notify-store.ts";
import type { RowNow } from "./outbox.ts";

interface Leaving {
  readonly row: NoticeRow;
  readonly now: RowNow & { readonly type: "still" };
  readonly channel: Channel;
}

/** Without a public address there are no links, but for the page itself. */
export async function outgoingOf(
  { channel, now: { digest, notice }, row }: Leaving,
  { links, publicUrl }: { readonly links: AnswerLinks; readonly publicUrl: string | null },
): Promise<OutgoingNotice> {
  const base = channel.isPage === true ? "" : (publicUrl?.replace(/\/+$/, "") ?? null);
  const { question, session } = notice;
  const url = base === null ? null : session === null ? `${base}/` : `${base}/s/${session.id}`;
  if (question === null) return { ...notice, id: row.id, url, question };
  const by = channel.person ?? (channel.kind === channel.name ? channel.name : `${channel.kind} (${channel.name})`);
  const hasLinks = base !== null && channel.answers && digest !== null && row.session !== null;
  const tokens = hasLinks
    ? await links.linksFor({ session: row.session, digest, question, by })
    : new Map<string, string>();
  const options = question.options.map((option) => {
    const token = tokens.get(option.id);
    return { ...option, answerUrl: base === null || token === undefined ? null : `${base}/v1/answers/${token}` };
  });
  return { ...notice, id: row.id, url, question: { ...question, options } };
}

/** Links that answer as `lectern approve` does. */
export function linksOf(
  {
    approvals,
    onAnswered,
    registry,
    store,
  }: Pick<NotifyParts, "approvals" | "registry"> & {
    readonly store: NotifyStore;
    readonly onAnswered: (session: string) => void;
  },
  rows: readonly AnswerRow[],
): AnswerLinks {
  return new AnswerLinks(
    {
      store,
      nowMs: Date.now,
      answer: async ({ approval, by, digest, option, session }) => {
        const name = registry.get(session)?.stored.name ?? session;
        await approvals.answer({ session, name, id: approval, option, digest, by });
        onAnswered(session);
      },
      answered: async ({ approval, session }) => {
        await approvals.current(session);
        const found = approvals.find(session, approval);
        if (found?.answer == null) return undefined;
        const { by, option, timeUs } = found.answer;
        const label = found.options.find(({ id }) => id === option)?.label ?? "typed";
        return `Answered before: ${label} (${by === "input" ? "in the terminal" : by}, ${new Date(timeUs / 1000).toISOString().slice(11, 16)} UTC)`;
      },
    },
    rows,
  );
}
