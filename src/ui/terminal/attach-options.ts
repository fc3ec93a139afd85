/** The options with which a terminal of the page attaches: how much history it draws, and its name as a writer. */
import type { AttachOptions, Session } from "../../client.ts";

/** A journal up to this size is drawn from its beginning, so that the screen is exact. */
const WHOLE_BYTES_MAX = 1024 * 1024;
export const RECONNECT_MS_MAX = 3000;

interface Wanted {
  /** Bytes of history of a longer journal; 0 draws only the current screen. */
  readonly tailBytes: number;
  readonly readOnly: boolean;
}

export const isDrawnWhole = ({ start, end }: Pick<Session, "start" | "end">, { tailBytes }: Wanted): boolean =>
  end - start <= Math.max(WHOLE_BYTES_MAX, tailBytes);

export function attachOptions(session: Pick<Session, "start" | "end">, wanted: Wanted): AttachOptions {
  const { tailBytes, readOnly } = wanted;
  const past = isDrawnWhole(session, wanted) ? { from: session.start } : tailBytes === 0 ? {} : { tailBytes };
  return { ...past, readOnly, reconnectMsMax: RECONNECT_MS_MAX, name: `a page on ${platformName()}` };
}

function platformName(): string {
  const { userAgentData, userAgent } = navigator as Navigator & {
    readonly userAgentData?: { readonly platform: string };
  };
  const known = /Android|iPhone|iPad|Windows|Macintosh|Linux/.exec(userAgent)?.[0];
  return (userAgentData?.platform || known) ?? "the web";
}
