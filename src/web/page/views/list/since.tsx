import type { Edited } from '../../../api.ts';
import { Button } from '../../parts/controls.tsx';
import { sumOf } from '../../parts/figures.ts';
import { figured } from './figured.tsx';
import type { Filter, OfScene } from './scene.ts';

type Since = NonNullable<Filter['since']>;

const SINCE: readonly (readonly [Since, says: string, tone?: string])[] = [
  ['added', 'new', 'new'],
  ['changed', 'changed', 'chg'],
  ['same', 'as before'],
  ['gone', 'gone', 'gone'],
];

/** What is new of a list that came again. What is gone is no part of it, and so it stands apart. */
export function Parts({ scene: { filter }, edited }: OfScene & { readonly edited: Edited }) {
  const { since } = filter.value;
  const choose = (part: Since | undefined): void => {
    filter.value = { ...filter.value, since: part === since ? undefined : part };
  };
  const tile = (says: string, rows: number, part?: Since, tone?: string) => (
    <Button
      key={says}
      says={figured(rows, says)}
      class={part === 'gone' ? 'tile apart' : 'tile'}
      data-tone={tone}
      aria-pressed={since === part}
      onClick={() => choose(part)}
    />
  );
  const { gone: _, ...parts } = edited;
  return (
    <>
      {tile('rows', sumOf(Object.values(parts)))}
      {SINCE.map(([part, says, tone]) => tile(says, edited[part], part, tone))}
    </>
  );
}
