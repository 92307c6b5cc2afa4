import type { Activity } from '../../ledger.ts';
import type { Connection } from './connection.ts';

/** What a batch sent over time, by the dates of its intents, and what it spent, by the dates of closures. */

const SENT = `FROM attempts a CROSS JOIN closures k ON k.attempt = a.id
 WHERE a.batch = :batch AND k.kind <> 'not_sent'`;

/** @param most how many buckets, at least 1. @param unitMs the length of a bucket is a multiple of this. */
export function activityOf(connection: Connection, batch: number, most: number, unitMs = 1): Activity {
  const span = connection.get<{ fromMs: number | null; untilMs: number | null }>(
    `SELECT min(a.intent_at) AS fromMs, max(max(a.intent_at, k.closed_at)) AS untilMs ${SENT}`,
    { batch },
  );
  const { fromMs, untilMs } = span ?? { fromMs: null, untilMs: null };
  if (fromMs === null || untilMs === null) return { fromMs: 0, bucketMs: 1, buckets: [] };
  const bucketMs = Math.ceil((untilMs - fromMs + 1) / (most * unitMs)) * unitMs;
  const length = Math.ceil((untilMs - fromMs + 1) / bucketMs);
  const buckets = Array.from({ length }, () => ({ requests: 0, credits: 0 }));
  // If the clock was set back, an attempt may have closed before the first one began.
  const counted = connection.each<{ sent: number; closed: number; requests: number; credits: number }>(
    `SELECT CAST((a.intent_at - :fromMs) / :bucketMs AS INTEGER) AS sent,
            max(0, CAST((k.closed_at - :fromMs) / :bucketMs AS INTEGER)) AS closed,
            count(*) AS requests, sum(k.charged) AS credits
       ${SENT} GROUP BY 1, 2`,
    { batch, fromMs, bucketMs },
  );
  for (const { sent, closed, requests, credits } of counted) {
    const [begun, ended] = [buckets[sent], buckets[closed]];
    if (begun !== undefined) begun.requests += requests;
    if (ended !== undefined) ended.credits += credits;
  }
  return { fromMs, bucketMs, buckets };
}
