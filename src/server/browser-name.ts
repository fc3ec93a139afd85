/** What a browser calls itself, in the words of a person who looks for the device that was lost. */

/** In this order: Edge and Chrome also name the ones below them. */
const browsers = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
] as const;

/** A phone with Android names Linux, and one with iOS names Mac OS. */
const systems = [
  ["Android", /\bAndroid\b/],
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["Mac", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
] as const;

/** "Firefox on Linux"; "browser" for what is not known. `userAgent`: the header of RFC 9110, section 10.1.5. */
export function browserName(userAgent: string): string {
  const browser = browsers.find(([, mark]) => mark.test(userAgent))?.[0] ?? "browser";
  const system = systems.find(([, mark]) => mark.test(userAgent))?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
