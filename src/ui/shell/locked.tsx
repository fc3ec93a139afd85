import type { FormEvent, ReactElement } from "react";
import { formText } from "../parts/form-text.ts";

/** Shown to a browser that has no cookie: what to type, and a place for the link where the terminal is somewhere else. */
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
        <h1>This browser is not let in yet</h1>
        <p>Type this where the daemon runs. It opens a link that is good for one browser and 30 seconds:</p>
        <pre>
          <code>lectern open</code>
        </pre>
        <form className="form-line" onSubmit={onSubmit}>
          <label>
            <span className="visually-hidden">Login link</span>
            <input name="link" placeholder="or paste the link here" autoComplete="off" required />
          </label>
          <button type="submit" className="button primary">
            Let me in
          </button>
        </form>
      </div>
    </main>
  );
}
