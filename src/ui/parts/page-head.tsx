/** The head of a view: title, summary, and tools at the end of the line. */
import type { ReactElement, ReactNode } from "react";
import { Icon } from "./icon.tsx";

interface PageHeadProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly tools?: ReactNode;
}

export function PageHead({ title, children, tools }: PageHeadProps): ReactElement {
  return (
    <div className="page-head">
      <h1>{title}</h1>
      {children}
      {tools === undefined ? null : <div className="page-tools">{tools}</div>}
    </div>
  );
}

interface FilterFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A filter field, which gets the focus with "/". */
export function FilterField({ label, value, onChange }: FilterFieldProps): ReactElement {
  return (
    <label className="filter">
      <Icon name="search" />
      <span className="visually-hidden">{label}</span>
      <input
        type="search"
        placeholder="Filter"
        value={value}
        onChange={({ target }) => onChange(target.value)}
        data-shortcut="/"
      />
    </label>
  );
}
