/**
 * Goal: without any word about its limits an account is asked as fast as its vendor allows, at the price of a few refused
 * requests, and the next run begins with what was learned.
 * Method: two runs on an account without limits, against a vendor that allows 12 requests a second and does not say so; the
 * search begins with two and is there after nine seconds. The vendor counts what it refuses, and the events say when each
 * request left.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from '../desk.ts';

interface Sent {
  readonly at: string;
  readonly event: string;
}

/** From the first request to the tenth, in milliseconds. */
function firstTenMs(desk: Desk, events: string): number {
  const lines = readFileSync(desk.place.path(events), 'utf8').trimEnd().split('\n');
  const sent = lines.map((line) => JSON.parse(line) as Sent).filter(({ event }) => event === 'sent');
  return Date.parse(sent[9]?.at ?? '') - Date.parse(sent[0]?.at ?? '');
}

test('a limit that nobody tells is found, and remembered', async () => {
  const desk = await openDesk({ flags: ['--rate', '12/s'], account: { limits: { concurrency: 8 } } });
  desk.list(50);
  const first = await desk.json(desk.run('--events', 'first.jsonl'));
  expect(first.counts).toEqual({ matched: 50 });
  const { charges, rate_limited: refused } = await bookOf(desk);
  expect(charges).toBe(50);
  expect(refused, 'refused requests are what learning costs').toBeLessThan(10);
  expect(readFileSync(desk.place.path('first.jsonl'), 'utf8')).toContain('"event":"learned"');

  desk.list(10, 'second.csv');
  const words = ['run', 'enrich-company', 'second.csv', '--budget', '100', '-o', 'out2.csv'];
  await desk.json([...words, '--events', 'second.jsonl']);
  expect(firstTenMs(desk, 'second.jsonl')).toBeLessThan(firstTenMs(desk, 'first.jsonl') / 2);
});

async function bookOf(desk: Desk): Promise<{ charges: number; rate_limited: number }> {
  const response = await fetch(`${desk.place.vendor.url}/sandbox/book`);
  return (await response.json()) as { charges: number; rate_limited: number };
}
