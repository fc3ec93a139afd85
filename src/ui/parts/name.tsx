import type { ReactElement } from "react";

/** Shorter names are cut at their end. */
const CUT_CHARS_MIN = 20;
const END_CHARS = 8;

/** A name that is cut in the middle if its place is too narrow: names of one prompt or branch differ at their end. */
export function Name({ text }: { readonly text: string }): ReactElement {
  if (text.length < CUT_CHARS_MIN) return <span className="truncate">{text}</span>;
  return (
    <span className="name" title={text}>
      <span className="truncate">{text.slice(0, -END_CHARS)}</span>
      <span>{text.slice(-END_CHARS)}</span>
    </span>
  );
}
