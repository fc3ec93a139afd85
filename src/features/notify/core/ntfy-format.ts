/** A notice for ntfy: https://docs.ntfy.sh/publish, with answers as buttons. */
import type { LinkedOption, OutgoingNotice } from "./notice.ts";

/** What ntfy takes. */
const ACTIONS_MAX = 3;
const LABEL_CHARS_MAX = 60;
const BODY_BYTES_MAX = 4000;

const tags: Readonly<Record<OutgoingNotice["kind"], string>> = {
  blocked: "raised_hand",
  done: "white_check_mark",
  failed: "x",
  limit: "hourglass",
  away: "electric_plug",
  test: "bell",
};

export interface NtfyRequest {
  /** Without the ones for access. Values are Unicode text; those of `Actions` are ASCII. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function ntfyRequest(notice: OutgoingNotice): NtfyRequest {
  const { body, kind, priority, question, title, url } = notice;
  const actions = (question?.options ?? []).flatMap((option) => actionOf(option)).slice(0, ACTIONS_MAX);
  return {
    headers: {
      Title: title,
      Priority: String(priority),
      Tags: tags[kind],
      ...(url === null ? {} : { Click: url }),
      ...(actions.length === 0 ? {} : { Actions: ascii(JSON.stringify(actions)) }),
    },
    // It makes an attachment of a longer text, and a word of an empty one.
    body: body === "" ? title : cutBytes(body),
  };
}

const actionOf = ({ answerUrl, label }: LinkedOption): object[] =>
  answerUrl === null
    ? []
    : [{ action: "http", label: label.slice(0, LABEL_CHARS_MAX), url: answerUrl, method: "POST", clear: true }];

/** Only ASCII passes a header as it is. */
const ascii = (json: string): string =>
  json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

function cutBytes(text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= BODY_BYTES_MAX) return text;
  return `${new TextDecoder().decode(bytes.subarray(0, BODY_BYTES_MAX)).replace(/\ufffd$/, "")}…`;
}
