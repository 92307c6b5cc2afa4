/** The pictures of src/README.md: the rooms by what their files import, and one call by the source that buys it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ABROAD, roomOf } from './street.ts';

const SRC = join(import.meta.dirname, '..', '..', 'src');

const mermaid = (kind: string, lines: readonly string[]): string =>
  ['```mermaid', kind, ...lines.map((line) => `  ${line}`), '```'].join('\n');

// ---------------------------------------------------------------------------------------------------- the rooms

/** The heart of the product. */
const HEART = 'run';

/** An arrow leads to a room that is needed. One that is needed by way of another room, too, has no arrow of its own. */
function rooms(): string {
  const needs = new Map<string, Set<string>>();
  for (const { from, to } of ABROAD) {
    const needed = needs.get(roomOf(from)) ?? new Set();
    needs.set(roomOf(from), needed.add(roomOf(to)));
  }
  const isBelow = (room: string, below: string): boolean =>
    [...(needs.get(room) ?? [])].some((next) => next === below || isBelow(next, below));
  const arrows = [...needs].flatMap(([room, needed]) =>
    [...needed]
      .filter((to) => ![...needed].some((other) => other !== to && isBelow(other, to)))
      .map((to) => `${room} --> ${to}`),
  );
  return mermaid('flowchart TD', [`${HEART}["★ ${HEART}"]`, ...arrows.sort()]);
}

// ---------------------------------------------------------------------------------------------------- one call

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
  ["crashPoint('before-record')", 'before-record'],
  ['await ledger.keep(', 'buy->>ledger: the raw answer'],
  ["crashPoint('after-record')", 'after-record'],
  ['judged(run, replied)', 'Note over buy: the judge: what the answer means'],
  ['judged(run, replied)', 'after-judge'],
  ['ledger.end(admission.attempt', 'buy->>ledger: how the attempt ended, and what it cost'],
  ["crashPoint('after-close')", 'after-close'],
];

/** What the table of crashes says of a point, in the words of a note, where a semicolon would end the line. */
function crashNote(page: string, point: string): string {
  const [, left, next] = new RegExp(`^\\| \`${point}\` \\| (.*) \\| (.*) \\|$`, 'm').exec(page) ?? [];
  if (left === undefined) throw new Error(`src/README.md has no row for ${point}`);
  return `Note right of vendor: ✗ ${point}: ${left}<br/>the next run ${next}`.replaceAll(';', ',');
}

function oneCall(): string {
  const source = readFileSync(join(SRC, 'run', 'buy.ts'), 'utf8');
  const page = readFileSync(join(SRC, 'README.md'), 'utf8');
  let at = 0;
  const lines = STEPS.map(([text, shown]) => {
    at = source.indexOf(text, at);
    if (at === -1) throw new Error(`run/buy.ts has no ${text} behind what comes before it in the picture`);
    return shown.includes(':') ? shown : crashNote(page, shown);
  });
  const who = ['participant buy as run/buy.ts', 'participant ledger', 'participant vendor'];
  return mermaid('sequenceDiagram', [...who, ...lines]);
}

export const streetParts = (): Readonly<Record<string, string>> => ({ rooms: rooms(), call: oneCall() });
