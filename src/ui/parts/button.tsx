import type { ComponentProps, ReactElement } from "react";

interface ButtonProps extends Omit<ComponentProps<"button">, "type"> {
  readonly kind?: "plain" | "primary" | "danger";
  readonly type?: "button" | "submit";
}

/** A button with a text, as the page has them; it submits no form unless it says so. */
export function Button({ kind = "plain", className = "", type = "button", ...props }: ButtonProps): ReactElement {
  const classes = ["button", kind === "plain" ? "" : kind, className].filter(Boolean).join(" ");
  return <button type={type} className={classes} {...props} />;
}
