/** The standing of a session; its evidence is loaded and shown on hover and focus. */
import { useId, useRef, useState, type ReactElement } from "react";
import { escapeForDisplay } from "../../core/text/escape.ts";
import type { SessionStatus } from "../../core/status/status.ts";
import { daemon } from "../api.ts";
import { limitNow } from "./summary.ts";
import { StandingMark } from "./standing-mark.tsx";
import type { Standing } from "./attention.ts";

interface EvidenceProps {
  readonly session: string;
  readonly standing: Standing;
}

const SHOWN_MAX = 6;

export function EvidencePanel({ session, standing }: EvidenceProps): ReactElement {
  const [status, setStatus] = useState<SessionStatus | null>(null);
  const panel = useRef<HTMLDivElement>(null);
  const mark = useRef<HTMLButtonElement>(null);
  const id = useId();
  const show = async (): Promise<void> => {
    // Without an answer, only the mark is shown.
    const known = await daemon()
      .call("sessions.status", { session })
      .catch(() => undefined);
    const box = mark.current?.getBoundingClientRect();
    if (known?.status == null || box === undefined || panel.current === null) return;
    setStatus(known.status);
    panel.current.style.top = `${Math.min(box.bottom + 6, innerHeight - 200)}px`;
    panel.current.style.left = `${Math.max(8, Math.min(box.left, innerWidth - 340))}px`;
    if (mark.current?.matches(":hover, :focus-visible") === true) panel.current.showPopover();
  };
  const hide = (): void => panel.current?.hidePopover();
  return (
    <>
      <button
        ref={mark}
        type="button"
        className="evidence-mark"
        aria-describedby={id}
        onMouseEnter={() => void show()}
        onMouseLeave={hide}
        onFocus={() => void show()}
        onBlur={hide}
      >
        <StandingMark standing={standing} />
      </button>
      <div ref={panel} id={id} className="evidence panel" popover="manual">
        {status === null ? null : <EvidenceList status={status} />}
      </div>
    </>
  );
}

/** The summary of a limit has the time of the daemon's clock in UTC. */
function summaryOf({ limit, state, summary }: SessionStatus): string {
  if (limit !== undefined) return limitNow(limit);
  return summary === "" ? state : escapeForDisplay(summary);
}

function EvidenceList({ status }: { readonly status: SessionStatus }): ReactElement {
  return (
    <>
      <p className="evidence-words">{summaryOf(status)}</p>
      <dl>
        {status.evidence.slice(0, SHOWN_MAX).map(({ signal, says, text, isDecisive, offset }) => (
          <div key={`${signal}${says}${offset}${text}`} data-decisive={isDecisive}>
            <dt>
              {signal}: {says}
            </dt>
            <dd>{escapeForDisplay(text)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
