/** The head of a view: its name, what is to be said about it, and at the end of the line its tools. */
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

/** What is typed leaves what matches; "/" goes to it from anywhere. */
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
