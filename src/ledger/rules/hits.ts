import type { Hit, Person, Where } from '../eraser.ts';

/** Where a person is named. Each cell is noted once for each place, however often somebody comes past it. */
export class Hits {
  readonly #person: Person;
  readonly #hits = new Map<string, Hit>();

  constructor(person: Person) {
    this.#person = person;
  }

  /** @returns 1 where the person is named, as SQL takes it. */
  note(place: string, text: string | Buffer | null, where: Where): 0 | 1 {
    const cells = text === null ? [] : this.#person.cellsIn(text, where);
    for (const cell of cells) this.#hits.set(`${place} ${cell}`, { place, cell });
    return cells.length > 0 ? 1 : 0;
  }

  all(): readonly Hit[] {
    return [...this.#hits.values()];
  }
}

/**
 * What is left of an answer without a person; undefined when it is about them alone. The person whom a change alters was already found
 * by its call; its answer names others beside them.
 */
export function leftOf(
  {
    operation,
    isChange,
    body,
  }: { readonly operation: string; readonly isChange: boolean; readonly body: Buffer },
  person: Person,
): Buffer | undefined {
  if (operation === 'enrich-person') return undefined;
  return person.cutFrom(body, operation === 'enrich-company' || isChange ? 'company' : 'anything');
}
