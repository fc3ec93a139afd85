import type { FormEvent, ReactElement } from "react";
import { formText } from "../parts/form-text.ts";

/** The login page: which command to run, and a field for the link if the terminal is on another machine. */
export function Locked(): ReactElement {
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = formText(new FormData(event.currentTarget), "link");
    const code = given.slice(given.indexOf("#") + 1).trim();
    if (code !== "") location.href = `/login#${encodeURIComponent(code)}`;
  };
  return (
    <main className="page" id="main">
      <div className="empty">
        <h1>This browser is not logged in</h1>
        <p>Run this on the machine of the daemon. It opens a link that logs one browser in, within ten minutes:</p>
        <pre>
          <code>lectern open</code>
        </pre>
        <form className="form-line" onSubmit={onSubmit}>
          <label>
            <span className="visually-hidden">Login link</span>
            <input name="link" placeholder="or paste the link here" autoComplete="off" required />
          </label>
          <button type="submit" className="button primary">
            Log in
          </button>
        </form>
      </div>
    </main>
  );
}
