/** The files on their way to a session, and the button that chooses some: on a phone there is no drop. */
import "./files.css";
import { useId, type ReactElement } from "react";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { IconButton } from "../parts/icon-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { useStore } from "../store.ts";
import { uploads } from "./upload.ts";

export function Uploads({ session }: { readonly session: string }): ReactElement | null {
  const own = useStore(uploads).filter((upload) => upload.session === session);
  if (own.length === 0) return null;
  return (
    <ul className="uploads" aria-label="Files on their way">
      {own.map(({ id, name, share, cancel }) => (
        <li key={id}>
          <span className="truncate">{escapeForDisplay(name)}</span>
          <progress value={share} max={1} aria-label={`Sent of ${name}`} />
          <IconButton label={`Cancel ${name}`} icon="close" onClick={cancel} />
        </li>
      ))}
    </ul>
  );
}

export function FileButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }): ReactElement {
  const id = useId();
  return (
    <label className="file-button icon-button" htmlFor={id} title="Add files">
      <Icon name="clip" />
      <span className="visually-hidden">Add files</span>
      <input
        id={id}
        type="file"
        multiple
        className="visually-hidden"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file can be chosen again.
          target.value = "";
        }}
      />
    </label>
  );
}
