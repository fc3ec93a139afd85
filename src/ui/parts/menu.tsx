/** A button with a menu in the platform's popover layer. Arrow keys move the focus, Escape closes it. */
import { useId, useRef, type KeyboardEvent, type ReactElement } from "react";
import { IconButton } from "./icon-button.tsx";
import type { IconName } from "./icon.tsx";

export interface MenuItem {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /** A file to download instead of an action. */
  readonly href?: string;
  readonly onSelect?: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly icon?: IconName;
  readonly items: readonly MenuItem[];
}

export function Menu({ label, icon = "more", items }: MenuProps): ReactElement {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => list.current?.hidePopover();
  const place = (): void => {
    const box = button.current?.getBoundingClientRect();
    if (box === undefined || list.current === null) return;
    list.current.style.top = `${box.bottom + 4}px`;
    list.current.style.right = `${Math.max(8, innerWidth - box.right)}px`;
    if (box.bottom > innerHeight * 0.6) {
      list.current.style.top = "auto";
      list.current.style.bottom = `${innerHeight - box.top + 4}px`;
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const entries = [...(list.current?.querySelectorAll<HTMLElement>("[role=menuitem]:not([disabled])") ?? [])];
    const at = entries.indexOf(document.activeElement as HTMLElement);
    const next = event.key === "ArrowDown" ? at + 1 : at - 1;
    entries.at(next % entries.length)?.focus();
  };
  return (
    <>
      <IconButton ref={button} label={label} icon={icon} aria-haspopup="menu" popoverTarget={id} onClick={place} />
      {/* The items have the focus; the list only handles their keys. */}
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus */}
      <div
        ref={list}
        id={id}
        className="menu panel"
        role="menu"
        aria-label={label}
        popover="auto"
        onKeyDown={onKeyDown}
      >
        {items.map((item) => (
          <MenuEntry key={item.label} item={item} close={close} />
        ))}
      </div>
    </>
  );
}

function MenuEntry({ item, close }: { readonly item: MenuItem; readonly close: () => void }): ReactElement {
  const className = item.isDangerous === true ? "menu-item dangerous" : "menu-item";
  const content = (
    <>
      <span>{item.label}</span>
      {item.hint === undefined ? null : <kbd>{item.hint}</kbd>}
    </>
  );
  if (item.href !== undefined) {
    return (
      <a role="menuitem" className={className} href={item.href} download onClick={close}>
        {content}
      </a>
    );
  }
  const select = (): void => {
    close();
    item.onSelect?.();
  };
  return (
    <button type="button" role="menuitem" className={className} disabled={item.isDisabled} onClick={select}>
      {content}
    </button>
  );
}
