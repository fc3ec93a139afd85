/** Links that let others read one session. */
import { useCallback, useState, type ReactElement } from "react";
import type { Session } from "../../client.ts";
import { shareLabel, shareLink } from "../../protocol/share.ts";
import { daemon, messageOf } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { ModalDialog } from "../parts/dialog.tsx";
import { FormProblem } from "../parts/field.tsx";
import { notify } from "../parts/notice.ts";
import { useAnswer } from "../use-answer.ts";
import { closeDialog } from "./dialogs.ts";
import { act } from "./session-actions.ts";

const DAY_SECONDS = 86_400;
const lifetimes: readonly (readonly [seconds: number, words: string])[] = [
  [3600, "1 hour"],
  [DAY_SECONDS, "1 day"],
  [7 * DAY_SECONDS, "7 days"],
];

export function ShareDialog({ session }: { readonly session: Session }): ReactElement {
  const [news, setNews] = useState(0);
  const [seconds, setSeconds] = useState(DAY_SECONDS);
  const [link, setLink] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const ask = useCallback((signal: AbortSignal) => daemon().call("tokens.list", {}, { signal }), []);
  const label = shareLabel(session.name);
  const shares = (useAnswer(ask, news).value?.tokens ?? []).filter(
    (token) => token.session === session.id && token.scope === "read" && token.label.startsWith(shareLabel("")),
  );
  const share = async (): Promise<void> => {
    try {
      const input = { scope: "read", session: session.id, label, expiresInSeconds: seconds } as const;
      setLink(shareLink(location.origin, (await daemon().call("tokens.create", input)).token));
      setNews(news + 1);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const stop = async (token: string): Promise<void> => {
    await act("The link no longer works", () => daemon().call("tokens.revoke", { token }));
    setLink(undefined);
    setNews(news + 1);
  };
  return (
    <ModalDialog title={`Share ${session.name}`} onClose={closeDialog}>
      <div className="form">
        <p>
          Whoever opens the link reads this session in a browser: its terminal, conversation and recording. Nothing can
          be typed or answered, and no other session is seen.
        </p>
        <label className="field">
          <span>Works for</span>
          <select value={seconds} onChange={({ target }) => setSeconds(Number(target.value))}>
            {lifetimes.map(([each, words]) => (
              <option key={each} value={each}>
                {words}
              </option>
            ))}
          </select>
        </label>
        {link === undefined ? null : (
          <label className="field">
            <span>Link, shown only now</span>
            <input className="code" readOnly value={link} onFocus={({ target }) => target.select()} />
          </label>
        )}
        {shares.length === 0 ? null : (
          <ul className="shares" aria-label="Links of this session">
            {shares.map(({ id, expiresAt }) => (
              <li key={id}>
                <span className="note">
                  {expiresAt === null ? "Without an end" : `Until ${new Date(expiresAt).toLocaleString()}`}
                </span>
                <Button onClick={() => void stop(id)}>Stop sharing</Button>
              </li>
            ))}
          </ul>
        )}
        <FormProblem text={problem} />
        <footer className="form-foot">
          {link === undefined ? null : (
            <Button
              onClick={() =>
                void navigator.clipboard.writeText(link).then(
                  () => notify("Copied the link"),
                  () => notify("This browser does not copy here: copy the link from its field", "problem"),
                )
              }
            >
              Copy
            </Button>
          )}
          <Button kind="primary" onClick={() => void share()}>
            {link === undefined ? "Make a link" : "Make another link"}
          </Button>
        </footer>
      </div>
    </ModalDialog>
  );
}
