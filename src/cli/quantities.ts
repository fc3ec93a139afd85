/** `850 B`, `12 KB`, `1.5 GB`, in steps of 1,024. */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < 4) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${["B", "KB", "MB", "GB", "TB"][unit] ?? ""}`;
}

/** `now`, `12s`, `5m`, `3h` or `2d`: the age in the largest whole unit; `now` for a time in the future. */
export function formatAge(fromMs: number, nowMs: number): string {
  const seconds = Math.floor((nowMs - fromMs) / 1000);
  if (!(seconds >= 1)) return "now";
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

export const formatAgo = (fromMs: number, nowMs: number): string => {
  const age = formatAge(fromMs, nowMs);
  return age === "now" ? age : `${age} ago`;
};
