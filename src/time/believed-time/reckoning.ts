import type { RawReply, TimeMark } from '../../ledger/ledger.ts';
import { formatDuration } from '../../lib/duration.ts';

/** The time that a mark implies at another uptime of its boot. */
export function extended({ atMs, uptimeMs }: TimeMark, nowUptimeMs: number): number {
  return atMs + nowUptimeMs - uptimeMs;
}

/** The number of a UTC day, because budgets count UTC days. */
export function dayOf(ms: number): number {
  return Math.floor(ms / (24 * 60 * 60_000));
}

export function ahead(ms: number): string {
  return `${formatDuration(Math.abs(ms))} ${ms > 0 ? 'ahead' : 'back'}`;
}

export interface Answered {
  readonly kind: 'answered';
  readonly raw: RawReply;
}

export const isAnswered = (reply: { readonly kind: string }): reply is Answered => reply.kind === 'answered';
