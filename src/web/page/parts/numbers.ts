/** Numbers as people read them, the same in every browser. */
const WHOLE = new Intl.NumberFormat('en');

export function grouped(count: number): string {
  return WHOLE.format(count);
}

/** `1 row`, `2,000 rows`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** `40 s`, `3 min`, `2 h`: nobody plans by more than that. */
export function roughTime(seconds: number): string {
  if (seconds < 90) return `${grouped(seconds)} s`;
  if (seconds < 5_400) return `${grouped(Math.round(seconds / 60))} min`;
  return `${grouped(Math.round(seconds / 3_600))} h`;
}
