/** What a push message says to the page's service worker, as JSON that fits into one record. Pure. */
import type { LinkedOption, OutgoingNotice } from "./notice.ts";

/** An answer as a button of a notification. */
export interface PushAnswer {
  readonly id: string;
  readonly label: string;
  /** A path of the page's own origin; a POST there answers once. */
  readonly path: string;
}

export interface PushMessage {
  readonly type: "show" | "close";
  /** A newer notification takes the place of an older one with the same tag. */
  readonly tag: string;
  readonly title: string;
  readonly body: string;
  /** Where a click leads: a path of the page's own origin. */
  readonly path: string;
  readonly answers: readonly PushAnswer[];
}

const LABEL_CHARS_MAX = 60;
/** A browser shows fewer; the worker takes as many as it does. */
const ANSWERS_MAX = 4;

/**
 * The message for a notice, with as much of its body as fits. `pushMessage(notice, 3993).tag; // the id of the session`
 */
export function pushMessage(notice: OutgoingNotice, bytesMax: number): PushMessage {
  const { question, session } = notice;
  const path = session === null ? "/" : pathTo(session.id);
  const answers = byUse(question?.options ?? []).flatMap(({ answerUrl, id, label }) =>
    answerUrl === null ? [] : [{ id, label: label.slice(0, LABEL_CHARS_MAX), path: pathOf(answerUrl) }],
  );
  const whole: PushMessage = {
    type: "show",
    tag: session?.id ?? notice.id,
    title: notice.title,
    body: notice.body,
    path,
    answers: answers.slice(0, ANSWERS_MAX),
  };
  const over = bytesOf(whole) - bytesMax;
  if (over <= 0) return whole;
  let { body } = whole;
  for (let cut = whole; ;) {
    if (bytesOf(cut) <= bytesMax || body === "") return cut;
    body = body.slice(0, Math.floor(body.length * 0.9));
    cut = { ...whole, body: `${body}…` };
  }
}

/** Most browsers show two buttons: the first option that allows, and the first that denies, come first. */
function byUse(options: readonly LinkedOption[]): readonly LinkedOption[] {
  const first = [options.find(({ effect }) => effect === "allow"), options.find(({ effect }) => effect === "deny")];
  const chosen = first.filter((option) => option !== undefined);
  return [...chosen, ...options.filter((option) => !chosen.includes(option))];
}

/** Takes the notification about a question of a session away: somebody has answered elsewhere. */
export const closingMessage = (session: string, title: string): PushMessage => ({
  type: "close",
  tag: session,
  title,
  body: "Answered elsewhere",
  path: pathTo(session),
  answers: [],
});

const pathTo = (session: string): string => `/s/${session}`;

/** Of an address, or of a path alone. */
const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/]*/i, "");

/** As UTF-8. */
function bytesOf(message: PushMessage): number {
  let bytes = 0;
  for (const character of JSON.stringify(message)) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x8_00 ? 2 : code < 0x1_00_00 ? 3 : 4;
  }
  return bytes;
}
