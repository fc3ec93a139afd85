import { useId, type ReactElement } from "react";

/** What the patterns of all fields say; a browser shows it with what does not match. */
const NAME_WORDS = "Letters, digits, dots, underscores and dashes; first a letter or digit";

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  /** Of a name. */
  readonly pattern?: string;
  readonly defaultValue?: string;
  /** With `onChange`, the caller holds the value. */
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  /** Suggestions. */
  readonly list?: readonly string[];
  readonly isRequired?: boolean;
  readonly isCode?: boolean;
}

/** A labelled text field with an optional hint. */
export function Field(props: FieldProps): ReactElement {
  const { name, label, hint, placeholder, pattern, list, isRequired = false, isCode = false } = props;
  const id = useId();
  const held = props.onChange === undefined ? { defaultValue: props.defaultValue } : { value: props.value ?? "" };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        className={isCode ? "code" : undefined}
        placeholder={placeholder}
        pattern={pattern}
        title={pattern === undefined ? undefined : NAME_WORDS}
        required={isRequired}
        list={list === undefined ? undefined : `${id}-list`}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={({ target }) => props.onChange?.(target.value)}
        {...held}
      />
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="note">
          {hint}
        </p>
      )}
      {list === undefined ? null : (
        <datalist id={`${id}-list`}>
          {list.map((value) => (
            <option key={value} value={value} aria-label={value} />
          ))}
        </datalist>
      )}
    </div>
  );
}

/** The end of a long form may be out of view. */
const showWhole = (element: HTMLElement | null): void => element?.scrollIntoView({ block: "nearest" });

export function FormProblem({ text }: { readonly text: string | undefined }): ReactElement | null {
  return text === undefined ? null : (
    <p ref={showWhole} className="form-problem" role="alert">
      {text}
    </p>
  );
}
