/** The attachment that the first script opens before the page is drawn, until the terminal takes it. */
import { waits } from "../../core/waits.ts";
import type { Attachment, Session } from "../../client.ts";
import { daemon } from "../api.ts";
import { attachOptions } from "./attach-options.ts";

export interface EarlyAttachment {
  /** As it was when the attachment was opened. */
  readonly session: Session;
  readonly attachment: Attachment;
}

let early: Promise<EarlyAttachment | undefined> | undefined;

export function openEarlyAttachment(session: Promise<Session>): void {
  early = session.then(attach).catch(() => undefined);
  setTimeout(() => void takeEarlyAttachment(null), waits.arrivalMs);
}

/** The attachment to this session, only once; undefined if there is none. An attachment to another session is closed. */
export async function takeEarlyAttachment(session: string | null): Promise<EarlyAttachment | undefined> {
  const taken = early;
  early = undefined;
  const found = await taken;
  if (found?.session.id === session) return found;
  found?.attachment.detach();
  return undefined;
}

async function attach(session: Session): Promise<EarlyAttachment> {
  const options = attachOptions(session, { tailBytes: 0, readOnly: false });
  return { session, attachment: await daemon().attach(session.id, options) };
}
