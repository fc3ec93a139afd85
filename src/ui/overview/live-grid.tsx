/** A grid of live screens. Only visible ones are attached. */
import "./grid.css";
import { memo, useEffect, useRef, type ReactElement } from "react";
import { displayCommand } from "../../core/text/command-line.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { daemon } from "../api.ts";
import { isDark } from "../appearance.ts";
import { Link } from "../parts/link.tsx";
import { StandingMark } from "../sessions/standing-mark.tsx";
import { Ago } from "../parts/time.tsx";
import { sessionPath } from "../router.ts";
import { referenceOf } from "../sessions/continued.ts";
import type { SessionGroup, ListedSession } from "../sessions/attention.ts";
import { GroupSection } from "./group-section.tsx";
import { terminalTheme } from "../terminal/theme.ts";
import { MiniScreen } from "./mini-screen.ts";

export function LiveGrid({ groups }: { readonly groups: readonly SessionGroup[] }): ReactElement {
  return (
    <>
      {groups.map((group) => (
        <GroupSection key={group.key} group={group} className="tiles">
          {group.views.map((view) => (
            <Tile key={view.session.id} view={view} />
          ))}
        </GroupSection>
      ))}
    </>
  );
}

const Tile = memo(function Tile({ view }: { readonly view: ListedSession }): ReactElement {
  const { session, standing, sinceMs, question } = view;
  const canvas = useRef<HTMLCanvasElement>(null);
  // The screen depends only on the id of the session.
  // oxlint-disable-next-line react/exhaustive-deps
  useEffect(() => (canvas.current === null ? undefined : showWhileInView(canvas.current, session)), [session.id]);
  return (
    <li className="tile panel" data-standing={standing}>
      <header>
        <StandingMark standing={standing} isShort />
        <Link to={sessionPath(referenceOf(session))} className="row-name">
          {session.name}
        </Link>
        <span className="tile-time note">{sinceMs === undefined ? null : <Ago sinceMs={sinceMs} />}</span>
      </header>
      <canvas ref={canvas} role="img" aria-label={`Screen of ${session.name}`} />
      <p className="tile-words note truncate">
        {question === undefined ? displayCommand(session.command) : escapeForDisplay(question)}
      </p>
    </li>
  );
});

/** Attaches while the canvas is visible. Returns a function that stops it. */
function showWhileInView(canvas: HTMLCanvasElement, session: ListedSession["session"]): () => void {
  let screen: MiniScreen | undefined;
  const observer = new IntersectionObserver(([entry]) => {
    if (entry?.isIntersecting === true && screen === undefined) {
      screen = new MiniScreen(canvas, session, terminalTheme(isDark.get()));
      void screen.follow(daemon(), session);
    } else if (entry?.isIntersecting === false) {
      screen?.dispose();
      screen = undefined;
    }
  });
  observer.observe(canvas);
  const unsubscribe = isDark.subscribe(() => {
    if (screen !== undefined) screen.theme = terminalTheme(isDark.get());
  });
  return () => {
    unsubscribe();
    observer.disconnect();
    screen?.dispose();
  };
}
