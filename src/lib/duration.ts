const MS_PER_UNIT: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of `50ms`, `2s`, `10m`, `1.5h` or `30d`; undefined when the text is anything else. */
export function parseDurationMs(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  const unitMs = MS_PER_UNIT[unit ?? ''];
  return amount === undefined || unitMs === undefined ? undefined : Number(amount) * unitMs;
}

const SHOWN_UNITS = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
] as const;

/**
 * `1 h 12 min`: the two largest units, rounded to the smaller of them, because no one waits by the second for
 * hours. Under a second it is shown in milliseconds.
 */
export function formatDuration(durationMs: number): string {
  if (Math.round(durationMs) < 1000) return `${Math.max(0, Math.round(durationMs))} ms`;
  const largest = SHOWN_UNITS.findIndex((unit) => Math.round(durationMs) / 1000 >= unit.seconds);
  const smaller = SHOWN_UNITS[largest + 1] ?? SHOWN_UNITS[largest];
  const step = smaller?.seconds ?? 1;
  let remainingUnits = Math.round(durationMs / 1000 / step) * step;
  const parts: string[] = [];
  for (const unit of SHOWN_UNITS) {
    const amount = Math.floor(remainingUnits / unit.seconds);
    if (amount > 0) parts.push(`${amount} ${unit.name}`);
    remainingUnits -= amount * unit.seconds;
  }
  return parts.join(' ');
}
