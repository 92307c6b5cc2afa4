/** The picture of docs/internals/crashes.md: one call, by the source that buys it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mermaid } from './street-page.ts';

/** What `buy` does: where that stands in its file, one behind the other, and what the picture says of it. */
const STEPS: readonly (readonly [source: string, shown: string])[] = [
  ['await client.permit(', 'Note over buy: the permit: a slot, and the pace of the account'],
  ["crashPoint('before-intent')", 'before-intent'],
  ['await ledger.intent(', 'buy->>ledger: the intent, which holds its credits'],
  ["crashPoint('after-intent')", 'after-intent'],
  ['await client.send(', 'buy->>vendor: the request, once'],
  // The transport dies there, which knows when the first byte has left.
  ['await client.send(', 'after-send'],
  ['await client.send(', 'vendor-->>buy: the answer'],
  ["crashPoint('before-keep')", 'before-keep'],
  ['await ledger.keep(', 'buy->>ledger: the raw answer'],
  ["crashPoint('after-keep')", 'after-keep'],
  ['verdictOn(run, replied)', 'Note over buy: the judge: what the answer means'],
  ['verdictOn(run, replied)', 'after-judge'],
  ['ledger.end(admission.attempt', 'buy->>ledger: how the attempt ended, and what it cost'],
  ["crashPoint('after-end')", 'after-end'],
];

/** One call as `buy` makes it. A ✗ is a point at which the process may die. */
function oneCall(): string {
  const source = readFileSync(join(import.meta.dirname, '../../src/run/buy.ts'), 'utf8');
  let at = 0;
  const lines = STEPS.map(([text, shown]) => {
    at = source.indexOf(text, at);
    if (at === -1) throw new Error(`run/buy.ts has no ${text} behind what comes before it in the picture`);
    return shown.includes(':') ? shown : `Note right of vendor: ✗ ${shown}`;
  });
  const who = ['participant buy as run/buy.ts', 'participant ledger', 'participant vendor'];
  return mermaid('sequenceDiagram', [...who, ...lines]);
}

export const crashParts = (): Readonly<Record<string, string>> => ({ call: oneCall() });
