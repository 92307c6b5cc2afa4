/** The picture of src/README.md: the rooms by what their files import. */
import { ABROAD, roomOf } from './street.ts';

export const mermaid = (kind: string, lines: readonly string[]): string =>
  ['```mermaid', kind, ...lines.map((line) => `  ${line}`), '```'].join('\n');

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

export const streetParts = (): Readonly<Record<string, string>> => ({ rooms: rooms() });
