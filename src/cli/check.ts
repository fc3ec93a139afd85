/** What `lectern doctor` reports about one thing. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
  /** What to do about it. */
  readonly next?: string;
}
