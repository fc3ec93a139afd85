/** Which devices get notices, and whether this one does. */
import { useCallback, useState, type ReactElement } from "react";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { messageOf } from "../api.ts";
import { ModalDialog } from "../parts/dialog.tsx";
import { FormProblem } from "../parts/field.tsx";
import { notify } from "../parts/notice.ts";
import { useAnswer } from "../use-answer.ts";
import { closeDialog } from "./dialogs.ts";
import { readPushState, startPush, stopPush, testPush } from "./push.ts";

export function PushDialog(): ReactElement {
  const [news, setNews] = useState(0);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const state = useAnswer(
    useCallback(() => readPushState(), []),
    news,
  );
  const { devices = [], own, problem: lack } = state.value ?? {};
  const run = async (action: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    await action().catch((error: unknown) => setProblem(messageOf(error)));
    setBusy(false);
    setNews(news + 1);
  };
  return (
    <ModalDialog title="Notices on this device" onClose={closeDialog}>
      <div className="form">
        <p>
          When a session asks a question, a notification comes here, also while this page is closed. Its buttons answer.
          The text is encrypted for this browser; its push service sees only that something came.
        </p>
        {lack === undefined ? null : (
          <p className="push-lack" role="status">
            {lack}
          </p>
        )}
        {devices.length === 0 ? null : (
          <ul className="shares" aria-label="Devices">
            {devices.map(({ host, id, label }) => (
              <li key={id}>
                <span>
                  {escapeForDisplay(label) || "Device"} <small className="note">{host}</small>
                  {id === own ? <small className="note">, this one</small> : null}
                </span>
                <button type="button" className="button" disabled={isBusy} onClick={() => void run(() => stopPush(id))}>
                  Stop
                </button>
              </li>
            ))}
          </ul>
        )}
        <FormProblem text={problem ?? state.problem} />
        <footer className="form-foot">
          {own === undefined ? null : (
            <button
              type="button"
              className="button"
              disabled={isBusy}
              onClick={() => void run(async () => notify(await testPush(own)))}
            >
              Send a test
            </button>
          )}
          <button
            type="button"
            className="button primary"
            disabled={isBusy || lack !== undefined || own !== undefined}
            onClick={() => void run(startPush)}
          >
            {own === undefined ? "Notify this device" : "This device is notified"}
          </button>
        </footer>
      </div>
    </ModalDialog>
  );
}
