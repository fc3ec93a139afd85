/** The number of sessions that need a person, on the icon of the window and on that of the installed page. */

const COUNT_SHOWN_MAX = 9;
const PLAIN_ICON = "/icon.svg";

/** `0` shows the plain icon. */
export function showBadge(count: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const address = count === 0 ? PLAIN_ICON : `data:image/svg+xml,${encodeURIComponent(iconWith(count))}`;
  if (link !== null && link.getAttribute("href") !== address) link.href = address;
  // Only an installed page has one, and not in every browser.
  const shown = count === 0 ? navigator.clearAppBadge?.() : navigator.setAppBadge?.(count);
  shown?.catch(() => undefined);
}

function iconWith(count: number): string {
  const text = count > COUNT_SHOWN_MAX ? `${COUNT_SHOWN_MAX}+` : String(count);
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#211f1b"/>' +
    '<path d="M8 14h36l-5 20H13zM26 34v14M16 50h20" fill="#f2ede3" stroke="#f2ede3" stroke-width="4"/>' +
    '<circle cx="44" cy="44" r="20" fill="#b4581c"/>' +
    `<text x="44" y="54" font-family="sans-serif" font-weight="700" font-size="${text.length > 1 ? 22 : 28}" fill="#fff" text-anchor="middle">${text}</text></svg>`
  );
}
