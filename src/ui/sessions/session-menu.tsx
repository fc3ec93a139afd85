import type { ReactElement } from "react";
import type { Session } from "../../client.ts";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { splitAddress } from "../../protocol/session-address.ts";
import { navigate, sessionPath } from "../router.ts";
import { useStore } from "../store.ts";
import { access, canAct } from "./access.ts";
import { isMuted, toggleMuted } from "./notifications.ts";
import { canResume } from "./continued.ts";
import { openDialog } from "./dialogs.ts";
import { resumeSession } from "./resume.tsx";
import { exportAddress, interruptSession, isLive } from "./session-actions.ts";

interface SessionMenuProps {
  readonly session: Session;
  /** Shown before the common ones. */
  readonly items?: readonly MenuItem[];
}

const noItems: readonly MenuItem[] = [];

export function SessionMenu({ session, items = noItems }: SessionMenuProps): ReactElement {
  const live = isLive(session);
  const mayAct = canAct(useStore(access));
  const exports: MenuItem[] = [
    { label: "Save as asciicast", href: exportAddress(session, "asciicast-v3") },
    { label: "Save as text", href: exportAddress(session, "text") },
  ];
  const isHere = splitAddress(session.id).machine === undefined;
  const { continuedBy } = session;
  const common: MenuItem[] = [
    ...(canResume(session) ? [{ label: "Resume", onSelect: () => void resumeSession(session) }] : []),
    ...(continuedBy === null || live
      ? []
      : [{ label: "Go to its continuation", onSelect: () => navigate(sessionPath(continuedBy)) }]),
    { label: "Rename and label", onSelect: () => openDialog.set({ kind: "edit", session }) },
    {
      label: isMuted(session.id) ? "Notify when blocked" : "Mute notifications",
      onSelect: () => toggleMuted(session.id),
      isDisabled: !live,
    },
    ...(isHere ? [{ label: "Share", onSelect: () => openDialog.set({ kind: "share", session }) }] : []),
    ...exports,
    ...(live
      ? [
          { label: "Send Ctrl-C", onSelect: () => void interruptSession(session) },
          { label: "End session", isDangerous: true, onSelect: () => openDialog.set({ kind: "kill", session }) },
        ]
      : [{ label: "Remove", isDangerous: true, onSelect: () => openDialog.set({ kind: "remove", session }) }]),
  ];
  return <Menu label={`Actions for ${session.name}`} items={[...items, ...(mayAct ? common : exports)]} />;
}
