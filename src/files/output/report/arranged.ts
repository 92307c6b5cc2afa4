import { type ComponentChild, h } from 'preact';
import { Bar } from './parts.ts';

/** How figures stand below each other: each with its name, and beside a bar where that says something. */

export interface LinesProps {
  /** A line without anything to say is left out. */
  readonly of: readonly (readonly [name: string, says: ComponentChild, isSum?: 'sum'])[];
}

export function Lines({ of }: LinesProps) {
  const shown = of.filter(([, says]) => says !== '');
  const pairs = shown.map(([name, says, sum]) => [
    h('dt', { class: sum }, name),
    h('dd', { class: sum }, says),
  ]);
  return h('dl', { class: 'lines' }, pairs);
}

export interface Meter {
  readonly name: string;
  readonly part: number;
  readonly all: number;
  readonly says: string;
  /** Left out: it is good news. */
  readonly tone?: 'none' | 'need' | undefined;
}

/** A bar that is full or empty says nothing that its number does not say, and is left out. */
export function Meters({ of }: { readonly of: readonly Meter[] }) {
  const lines = of.map(({ name, part, all, says, tone }) => {
    const isPart = part > 0 && part < all;
    const bar = h('span', { class: tone }, isPart && h(Bar, { part, all }));
    return [h('span', null, name), bar, h('span', { class: 'soft' }, says)];
  });
  return h('div', { class: 'meters' }, lines);
}

export interface RuledProps {
  /** How many cells a line has. */
  readonly cells: 3 | 4;
  readonly lines: readonly (readonly ComponentChild[])[];
}

/** Lines of a few cells. The first cell says where: such as a row, a name, and what is the matter. */
export function Ruled({ cells, lines }: RuledProps) {
  const items = lines.map((line) => {
    // Beside the table these cells are one line, so a blank separates them.
    const shown = line.map((cell, at) => [
      at > 0 && ' ',
      h('span', { class: at === 0 ? 'soft' : undefined }, cell),
    ]);
    return h('li', null, shown);
  });
  return h('ul', { class: cells === 4 ? 'rows of4' : 'rows' }, items);
}
