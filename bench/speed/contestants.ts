import { join } from 'node:path';
import { costOf, node } from './cost.ts';
import type { Desk } from './fixture.ts';
import type { Contestant } from './measure.ts';

/** What could be used instead of `rowonce run`, each as its users would start it. */

export interface Track {
  readonly desk: Desk;
  readonly rows: number;
  readonly url: string;
}

const program = (name: string): string => join(import.meta.dirname, name);

export function bareUndici({ url, rows }: Track): Contestant {
  const words = node(program('bare.ts'), url, String(rows));
  return { name: 'bare undici', rows, run: () => costOf({ words }) };
}

export function naiveScript({ url, desk, rows }: Track): Contestant {
  const words = node(program('naive.ts'), url, desk.list, desk.path('naive.csv'));
  return { name: 'naive script', rows, run: () => costOf({ words }) };
}

/** Over a store that is new in each round, and stays until the next. */
export function rowonceRun({ desk, rows }: Track): Contestant {
  return { name: 'rowonce run', rows, run: async () => costOf(desk.run(await desk.newStore())) };
}
