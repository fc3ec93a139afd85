/** "Resume" of a session that has ended: the offer, the request, and the dialog for a refusal. */
import { useState, type ReactElement } from "react";
import type { InputOf, Session } from "../../client.ts";
import { LecternError } from "../../core/errors.ts";
import { splitAddress } from "../../protocol/session-address.ts";
import { daemon, messageOf, sessionFrom } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { ModalDialog } from "../parts/dialog.tsx";
import { Link } from "../parts/link.tsx";
import { notify } from "../parts/notice.ts";
import { navigate, sessionPath } from "../router.ts";
import { useStore } from "../store.ts";
import { access, canAct } from "./access.ts";
import { candidatesOf, canResume, referenceOf, type ResumeRefusal } from "./continued.ts";
import { closeDialog, openDialog } from "./dialogs.ts";
import { isLive } from "./session-actions.ts";
import { learnSession, sessionList } from "./session-list.ts";

type ResumeChoice = Omit<InputOf<"sessions.resume">, "session">;

/** Opens the new session, or the dialog with the reason of a refusal. */
export async function resumeSession(session: Session, choice: ResumeChoice = {}): Promise<void> {
  const { id, name } = session;
  notify(`Resuming ${name}`);
  try {
    const answer = await daemon().call("sessions.resume", { session: id, ...choice });
    const resumed = sessionFrom(splitAddress(id).machine, answer);
    learnSession(resumed);
    if (openDialog.get().kind === "resume") closeDialog();
    navigate(sessionPath(resumed.name));
  } catch (error) {
    if (error instanceof LecternError && error.code === "CONFLICT") {
      const refusal = { message: error.message, candidates: candidatesOf(error.details) };
      openDialog.set({ kind: "resume", session, refusal });
    } else notify(messageOf(error), "problem");
  }
}

interface ResumeOfferProps {
  readonly session: Session;
  readonly className: string;
}

/** Where a session says that it ended: a button, or a link to the session that continues it. */
export function ResumeOffer({ session, className }: ResumeOfferProps): ReactElement | null {
  const given = useStore(access);
  const { views } = useStore(sessionList);
  const [isBusy, setBusy] = useState(false);
  // A shared session shows no other one.
  if (isLive(session) || given.session !== null) return null;
  const next = views.find((view) => view.session.id === session.continuedBy)?.session;
  if (next !== undefined) {
    return (
      <Link to={sessionPath(referenceOf(next))} className={className}>
        Continued in {next.name}
      </Link>
    );
  }
  if (!canAct(given) || !canResume(session)) return null;
  const resume = (): void => {
    setBusy(true);
    void resumeSession(session).finally(() => setBusy(false));
  };
  return (
    <button type="button" className={className} disabled={isBusy} onClick={resume}>
      Resume
    </button>
  );
}

interface ResumeDialogProps {
  readonly session: Session;
  readonly refusal: ResumeRefusal;
}

/** The reason of a refusal, and what can be done: name one of the conversations, or run the command again. */
export function ResumeDialog({ session, refusal }: ResumeDialogProps): ReactElement {
  const [isBusy, setBusy] = useState(false);
  const run = (choice: ResumeChoice): void => {
    setBusy(true);
    void resumeSession(session, choice).finally(() => setBusy(false));
  };
  const { candidates, message } = refusal;
  return (
    <ModalDialog title={`${session.name} was not resumed`} onClose={closeDialog}>
      <p className="resume-reason">{message}</p>
      {candidates.length === 0 ? null : (
        <ul className="resume-candidates">
          {candidates.map((conversation) => (
            <li key={conversation}>
              <Button disabled={isBusy} onClick={() => run({ conversation })}>
                Resume {conversation}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <footer className="form-foot">
        <Button onClick={closeDialog}>Close</Button>
        {candidates.length > 0 ? null : (
          <Button kind="primary" disabled={isBusy} onClick={() => run({ restart: true })}>
            Start anew
          </Button>
        )}
      </footer>
    </ModalDialog>
  );
}
