import { effect, signal } from '@preact/signals';
import type { Beginning, ListView } from '../../api.ts';
import { path } from '../session.ts';

/** A file on its way to the page, of which its first rows are shown before the last byte is there. */
export interface Arriving {
  readonly name: string;
  /** How many rows it may have; null where nobody can say. */
  readonly rows: number | null;
  /** 0 to 1. */
  readonly part: number;
  readonly beginning: Beginning | undefined;
  /** The list, as soon as all of the file is there. */
  readonly list: ListView | undefined;
  /** Whether she has been led to the list. */
  readonly isShown: boolean;
  /** Nothing of the file is kept then. */
  cancel(): void;
}

/** The one that was brought last; undefined where she has said that it is none. */
export const arriving = signal<Arriving | undefined>(undefined);

effect(() => {
  const { value: file } = arriving;
  const isThere = file?.list !== undefined && path.value === `/lists/${file.list.id}`;
  if (isThere && !file.isShown) arriving.value = { ...file, isShown: true };
});
