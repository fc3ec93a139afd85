/** Which devices get notices, and whether this one does. */
import { useCallback, useState, type ReactElement } from "react";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { messageOf } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { ModalDialog } from "../parts/dialog.tsx";
import { FormProblem } from "../parts/field.tsx";
import { useAnswer } from "../use-answer.ts";
import { closeDialog } from "./dialogs.ts";
import { readPushState, startPush, stopPush, testPush } from "./push.ts";

export function PushDialog(): ReactElement {
  const [news, setNews] = useState(0);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [isTested, setTested] = useState(false);
  const state = useAnswer(
    useCallback(() => readPushState(), []),
    news,
  );
  const { devices = [], own, problem: lack } = state.value ?? {};
  const run = async (action: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    setTested(false);
    await action().catch((error: unknown) => setProblem(messageOf(error)));
    setBusy(false);
    setNews(news + 1);
  };
  return (
    <ModalDialog title="Notifications on this device" onClose={closeDialog}>
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
          <ul className="shares devices" aria-label="Devices">
            {devices.map(({ host, id, label }) => (
              <li key={id}>
                <span>
                  {escapeForDisplay(label) || "Device"}
                  <small className="note">{id === own ? `This device, by ${host}` : host}</small>
                </span>
                <Button disabled={isBusy} onClick={() => void run(() => stopPush(id))}>
                  Stop
                </Button>
              </li>
            ))}
          </ul>
        )}
        <FormProblem text={problem ?? state.problem} />
        {isTested ? (
          <p role="status">
            Sent. If nothing appears, allow notifications of this browser in the settings of the system.
          </p>
        ) : null}
        <footer className="form-foot">
          {own === undefined ? (
            <Button
              kind="primary"
              disabled={isBusy || lack !== undefined || state.value === undefined}
              onClick={() => void run(startPush)}
            >
              Notify this device
            </Button>
          ) : (
            <Button
              disabled={isBusy}
              onClick={() =>
                void run(async () => {
                  await testPush(own);
                  setTested(true);
                })
              }
            >
              Send a test
            </Button>
          )}
        </footer>
      </div>
    </ModalDialog>
  );
}
