/**
 * Links that answer one question once, for people who are not at this machine.
 *
 * Law of a link: its token is only in the notice; here is its hash. It is bound to one option of one question by the digest of what was sent,
 * is used up by the first POST, whatever that does, and lasts for 15 minutes. It goes the same way as `lectern approve`.
 */
import { createHash, randomBytes } from "node:crypto";
import { LecternError } from "../../../core/errors.ts";
import type { NoticeQuestion, OutgoingNotice } from "../core/notice.ts";
import type { AnswerPage } from "../../../daemon/service.ts";
import type { AnswerRow, NoticeRow } from "../../../daemon/store/notify-schema.ts";
import type { Channel } from "./channels/channel.ts";
import type { NotifyStore } from "./notify-store.ts";
import type { NotifyParts } from "./notify.ts";
import type { RowNow } from "./outbox.ts";

type AnswerEnd = AnswerPage & { type: "end" };

const TOKEN_BYTES = 32;
const ANSWERED = "Answered: ";
const LIFE_MS = 15 * 60_000;
/** Links that are kept; beyond, the oldest ones are forgotten and say so. */
const ANSWERS_MAX = 10_000;
/** Requests with tokens that do not exist, at once and again each second: they are guesses. */
const GUESSES_MAX = 30;

export interface LinkedQuestion {
  readonly session: string;
  readonly digest: string;
  readonly question: NoticeQuestion;
  /** Who answers by it. */
  readonly by: string;
}

export interface AnswerLinksOptions {
  readonly store: Pick<NotifyStore, "putAnswers">;
  /** Answers as `lectern approve` does. */
  readonly answer: (row: AnswerRow) => Promise<void>;
  /** Who answered a question that is not open any more, and how, in words; undefined if nobody did. */
  readonly answered: (row: AnswerRow) => Promise<string | undefined>;
  readonly nowMs: () => number;
}

export class AnswerLinks {
  readonly #options: AnswerLinksOptions;
  /** By the hash of the token, the oldest first. */
  readonly #rows = new Map<string, AnswerRow>();
  #guesses = GUESSES_MAX;
  #guessMs = 0;

  constructor(options: AnswerLinksOptions, rows: readonly AnswerRow[]) {
    this.#options = options;
    for (const row of rows) this.#rows.set(row.hash, row);
  }

  /** Tokens by option, durable when it resolves. An option that allows has none if the question is not in the notice in full. */
  async linksFor({ by, digest, question, session }: LinkedQuestion): Promise<ReadonlyMap<string, string>> {
    const tokens = new Map<string, string>();
    const rows: AnswerRow[] = [];
    const expiresMs = this.#options.nowMs() + LIFE_MS;
    for (const { effect, id, label } of question.options) {
      if (effect !== "deny" && !question.isWhole) continue;
      const token = randomBytes(TOKEN_BYTES).toString("base64url");
      tokens.set(id, token);
      const given = { session, approval: question.id, digest, option: id, label, question: question.text, by };
      rows.push({ hash: hashOf(token), ...given, expiresMs, result: null });
    }
    if (rows.length > 0) await this.#options.store.putAnswers(rows);
    for (const row of rows) this.#rows.set(row.hash, row);
    for (const [hash] of this.#rows) {
      if (this.#rows.size <= ANSWERS_MAX) break;
      this.#rows.delete(hash);
    }
    return tokens;
  }

  /** What a GET shows. It changes nothing: programs that preview links open them. */
  async show(token: string): Promise<AnswerPage> {
    const row = this.#rows.get(hashOf(token));
    return (row === undefined ? this.#guessed() : await this.#over(row)) ?? ask(row);
  }

  /** What a POST does. */
  async use(token: string): Promise<AnswerPage> {
    const hash = hashOf(token);
    const row = this.#rows.get(hash);
    if (row === undefined) return this.#guessed();
    if (row.result !== null) return { type: "end", status: 409, text: row.result };
    // Before anything is awaited: a second tap finds it used.
    await this.#settle(row, "It is being answered");
    const over = await this.#over(row);
    if (over !== undefined) {
      await this.#settle(row, over.text);
      return over;
    }
    try {
      await this.#options.answer(row);
      const text = `${ANSWERED}${row.label} (${row.by}, ${timeOf(this.#options.nowMs())})`;
      await this.#settle(row, text);
      return { type: "end", status: 200, text };
    } catch (error) {
      const text = this.#answeredBy(row) ?? (await this.#options.answered(row)) ?? refusalOf(error);
      await this.#settle(row, text);
      return { type: "end", status: 409, text };
    }
  }

  async #over(row: AnswerRow): Promise<AnswerEnd | undefined> {
    if (row.result !== null) return { type: "end", status: 409, text: row.result };
    const answered = this.#answeredBy(row) ?? (await this.#options.answered(row));
    if (answered !== undefined) return { type: "end", status: 409, text: answered };
    if (this.#options.nowMs() < row.expiresMs) return undefined;
    const text = `This link has expired: it lasts ${LIFE_MS / 60_000} minutes. Answer in Lectern`;
    return { type: "end", status: 410, text };
  }

  /** What another link of the same question has done: an agent whose dialog only goes does not show who answered it. */
  #answeredBy({ approval, session }: AnswerRow): string | undefined {
    for (const row of this.#rows.values())
      if (row.approval === approval && row.session === session && row.result?.startsWith(ANSWERED) === true)
        return row.result;
    return undefined;
  }

  async #settle(row: AnswerRow, result: string): Promise<void> {
    const used = { ...row, result };
    this.#rows.set(row.hash, used);
    await this.#options.store.putAnswers([used]);
  }

  #guessed(): AnswerPage {
    const nowMs = this.#options.nowMs();
    this.#guesses = Math.min(GUESSES_MAX, this.#guesses + Math.floor((nowMs - this.#guessMs) / 1000));
    this.#guessMs = nowMs;
    if (this.#guesses <= 0) return { type: "end", status: 429, text: "Too many unknown links: wait a minute" };
    this.#guesses -= 1;
    return { type: "end", status: 404, text: "This link is unknown: it was used long ago, or was not copied in full" };
  }
}

const ask = (row: AnswerRow | undefined): AnswerPage => ({
  type: "ask",
  question: row?.question ?? "",
  label: row?.label ?? "",
});

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(11, 16)} UTC`;

/** For somebody on a phone, who has no command line. */
function refusalOf(error: unknown): string {
  if (!(error instanceof LecternError)) return "Nothing was answered: Lectern has failed; see its log";
  if (error.code === "NOT_FOUND") return "Nothing was answered: the question was answered or withdrawn before";
  if (error.code === "CONFLICT" && /has changed/.test(error.message))
    return "Nothing was answered: the question has changed since this notice";
  return `Nothing was answered: ${error.message}`;
}

interface Leaving {
  readonly row: NoticeRow;
  readonly now: RowNow & { readonly type: "still" };
  readonly channel: Channel;
}

/** A notice with its addresses: the page, and a link for each answer. Without a public address only the page itself has links. */
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
