/** A notice as a webhook: https://www.standardwebhooks.com, the envelope and what is signed. */
import type { OutgoingNotice } from "./notice.ts";

/** What a receiver gets as JSON, and a command on its standard input. */
export function webhookBody(notice: OutgoingNotice): string {
  const { agent, body, id, kind, node, priority, question, session, timeMs, title, url } = notice;
  const type = kind === "away" ? "machine.away" : kind === "test" ? "notify.test" : `session.${kind}`;
  const data = { session, node, agent, title, body, priority, url, question };
  return JSON.stringify({ id, type, timestamp: new Date(timeMs).toISOString(), data });
}

/** The text whose HMAC-SHA256, with the bytes of the secret, is the signature. */
export const signedText = (id: string, timestampS: number, body: string): string => `${id}.${timestampS}.${body}`;

/** The base64 text of a secret `whsec_...`; undefined if it does not have this form. */
export const secretBase64 = (secret: string): string | undefined =>
  /^whsec_([A-Za-z0-9+/]{32,}={0,2})$/.exec(secret)?.[1];
