/** What is out of place on a page: controls outside of the window, below each other, or too small or too near for a finger. */
import type { Page } from "playwright-core";

interface WindowSize {
  readonly width: number;
  readonly height: number;
}

/** Small phones, phones upright and on their side, tablets. */
const handheld: readonly WindowSize[] = [
  { width: 320, height: 568 },
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 932, height: 430 },
];
const desktop: readonly WindowSize[] = [
  { width: 1440, height: 900 },
  { width: 3840, height: 2160 },
];
/** Each size with fingers and with a mouse, and all colours in each window: in `npm run test:long`. */
export const hasAllSizes = process.env["LECTERN_PAGE_SIZES"] === "all";
/** By the guidelines of Apple, and level AAA of WCAG 2.5.5. */
const TARGET_PX_MIN = 44;
/** Between what allows and what denies. */
const OPPOSITE_PX_MIN = 16;

/** Runs in the page, which allows no script but its own: a text without names from here. */
const misplaced = (isTouch: boolean): string => `(() => {
  const isTouch = ${isTouch};
  const selector = "a[href], button, input, select, textarea, summary, [role=option], [role=menuitem]";
  const dialogs = [...document.querySelectorAll("dialog:modal")];
  const root = dialogs.at(-1) ?? document.body;
  const nameOf = (element) => (element.getAttribute("aria-label") ?? (element.textContent.trim() || element.outerHTML)).slice(0, 60);
  const found = [];
  const report = (element, what) => found.push(nameOf(element) + ": " + what);
  const sizeOf = ({ left, right, top, bottom }) => [left, top, right, bottom].map(Math.round).join(" ");
  const isSeen = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && !element.disabled && !element.closest(".skip, .xterm, .visually-hidden, .palette .dialog-head") &&
      element.checkVisibility({ visibilityProperty: true, opacityProperty: false });
  };
  // Links within a sentence are as high as their line.
  const isInText = (element) => element.matches("p a, .bubble a, .markdown a, h1 a") && getComputedStyle(element).display === "inline";
  const targetAt = (x, y) => document.elementFromPoint(x, y);
  const hits = (element, x, y) => {
    const target = targetAt(x, y);
    return target !== null && (element.contains(target) || target.contains(element) && target.matches("label") ||
      [...(element.labels ?? [])].some((label) => label.contains(target)));
  };
  if (document.documentElement.scrollWidth > innerWidth) found.push("the document is " + document.documentElement.scrollWidth + " px wide");
  if (document.documentElement.scrollHeight > innerHeight) found.push("the document is " + document.documentElement.scrollHeight + " px high");
  const controls = [...root.querySelectorAll(selector)].filter(isSeen);
  const middleOf = (box) => [
    (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2,
    (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2,
  ];
  /** What stays at the bottom or the top while the page is scrolled hides a control at one place only. */
  const isReached = (control) => ["center", "start", "end"].some((block) => {
    control.scrollIntoView({ block, inline: "center" });
    return hits(control, ...middleOf(control.getBoundingClientRect()));
  });
  // While rows are selected, the whole row is its box.
  for (const control of controls.filter((each) => !each.closest("[data-selecting=true]"))) {
    const canBeHit = isReached(control);
    const box = control.getBoundingClientRect();
    const [x, y] = middleOf(box);
    if (box.left < -0.5 || box.right > innerWidth + 0.5) report(control, "outside of the window: " + sizeOf(box));
    if (isInText(control)) continue;
    if (!canBeHit) {
      const over = targetAt(x, y);
      report(control, "below " + (over === null ? "nothing: " + sizeOf(box) : over.tagName + "." + over.className));
      continue;
    }
    const isLarge = Math.min(box.width, box.height) >= ${TARGET_PX_MIN} - 1;
    if (!isTouch || isLarge && box.left >= 0 && box.right <= innerWidth) continue;
    const reach = (dx, dy) => {
      let far = 0;
      while (far < ${TARGET_PX_MIN} && hits(control, x + dx * (far + 1), y + dy * (far + 1))) far += 1;
      return far;
    };
    const reached = [reach(-1, 0) + reach(1, 0) + 1, reach(0, -1) + reach(0, 1) + 1];
    if (Math.min(...reached) < ${TARGET_PX_MIN} - 1) report(control, "a target of " + reached.join(" x "));
  }
  const cut = [...root.querySelectorAll("*")].filter(
    (element) => element.scrollWidth > element.clientWidth + 2 && element.clientWidth > 1 && isSeen(element),
  );
  for (const element of cut) {
    const style = getComputedStyle(element);
    if (/hidden|clip/.test(style.overflowX) && style.textOverflow !== "ellipsis" && !element.matches("input")) {
      report(element, "cut at " + element.clientWidth + " of " + element.scrollWidth + " px");
    }
  }
  for (const allow of isTouch ? root.querySelectorAll("[data-effect=allow]:is(button)") : []) {
    for (const deny of allow.parentElement.querySelectorAll("[data-effect=deny]:is(button)")) {
      const [a, d] = [allow.getBoundingClientRect(), deny.getBoundingClientRect()];
      const gap = Math.max(d.left - a.right, a.left - d.right, d.top - a.bottom, a.top - d.bottom);
      if (gap < ${OPPOSITE_PX_MIN}) report(allow, gap + " px from " + nameOf(deny));
    }
  }
  return found;
})()`;

/** `320 x 568: name of the control: what is wrong`; with `isTouch` for fingers, as `pointer` of a style sees them. */
export async function misplacedOn(page: Page, { isTouch }: { readonly isTouch: boolean }): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const setTouch = (enabled: boolean) => session.send("Emulation.setTouchEmulationEnabled", { enabled });
  const found: string[] = [];
  await setTouch(isTouch);
  for (const size of hasAllSizes ? [...handheld, ...desktop] : isTouch ? handheld : desktop) {
    await page.setViewportSize(size);
    // The layout of the page follows with the next frame.
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    const names = await page.evaluate<string[]>(misplaced(isTouch));
    found.push(...names.map((name) => `${size.width} x ${size.height}${isTouch ? ", touch" : ""}: ${name}`));
  }
  await setTouch(false);
  await session.detach();
  return found;
}
