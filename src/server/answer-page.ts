/**
 * One-time answer links: `/v1/answers/TOKEN`. A GET asks once more, because programs that preview links open them; the POST of its form, or of a
 * button of ntfy, answers. There is no cookie and no script, so where a request comes from does not matter: the token is all.
 */
import { sendPage, sendPlain, type HttpExchange } from "./reply.ts";
import type { AnswerPage, DaemonService } from "../daemon/service.ts";
import { escapeHtml } from "../core/text/escape.ts";
import { plainStyle, sourceOf } from "./plain-style.ts";
import { readBody } from "./body.ts";
import type { ServerLimits } from "./limits.ts";

const BODY_BYTES_MAX = 4096;
/** Its own form, and nothing else. */
const POLICY = `default-src 'none'; style-src ${sourceOf(plainStyle)}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;

interface AnswerServer {
  readonly service: Pick<DaemonService, "answerLink">;
  readonly limits: Pick<ServerLimits, "bodyMs">;
}

export async function answerLink(exchange: HttpExchange, { limits, service }: AnswerServer): Promise<void> {
  const { incoming } = exchange;
  const token = (incoming.url ?? "").split("?", 1)[0]?.split("/").at(-1) ?? "";
  const isUse = incoming.method === "POST";
  // What a form or a button sends along says nothing.
  if (isUse) await readBody(incoming, { bytesMax: BODY_BYTES_MAX, deadlineMs: limits.bodyMs });
  const page = await service.answerLink(token, isUse);
  const wantsPage = /\btext\/html\b/.test(incoming.headers.accept ?? "");
  const status = page.type === "ask" ? 200 : page.status;
  if (wantsPage) sendPage(exchange, htmlOf(page), POLICY, status);
  else
    sendPlain(
      exchange,
      status,
      `${page.type === "ask" ? `${page.question}\nSend a POST to answer: ${page.label}` : page.text}\n`,
    );
}

function htmlOf(page: AnswerPage): string {
  const content =
    page.type === "end"
      ? `<p>${escapeHtml(page.text)}</p>`
      : `<p>${escapeHtml(page.question)}</p><form method="post"><button>${escapeHtml(page.label)}</button></form>`;
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Lectern</title><style>${plainStyle}</style>`;
  return `<!doctype html><html lang="en">${head}${content}</html>\n`;
}
