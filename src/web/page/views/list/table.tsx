import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { RefusedNotice } from '../../loaded.tsx';
import { late } from '../../parts/late.tsx';
import type { Place } from '../../parts/window.ts';
import { Above } from './above.tsx';
import { type Drawn, textOf } from './cells.tsx';
import { columnsOf } from './columns.ts';
import { newMends, useMending } from './mends.tsx';
import { batchShown, useRows } from './rows.ts';
import type { Scene } from './scene.ts';
import { Sheet, textAt } from './sheet.tsx';
import { Tools } from './tools.tsx';

/** Few views need them. */
const Cards = late(async () => (await import('./cards.tsx')).Cards);
const Mended = late(async () => (await import('./mended.tsx')).Mended);

const NARROW = matchMedia('(max-width: 720px)');
const isNarrow = signal(NARROW.matches);
NARROW.addEventListener('change', () => {
  isNarrow.value = NARROW.matches;
});

/** Her table: her own columns, and what was bought behind the one by which it was asked. */
export function ListTable({ scene }: { readonly scene: Scene }) {
  const rows = useRows(scene);
  const hidden = useHidden(scene.list?.id ?? scene.batch?.batch ?? '');
  const at = useSignal<Place>({ line: 0, column: 0 });
  const mending = useMending(scene);
  const all = columnsOf(scene, rows.columns ?? []);
  const columns = all.filter(({ name }, nth) => nth === 0 || !hidden.value.includes(name));
  const drawn: Drawn = { scene, rows, columns, mending };
  const copy = (): Promise<void> => copyRows(drawn, at.value);
  return (
    <section aria-label="The list">
      <Tools {...{ scene, rows, columns: all, hidden, onCopy: copy }} />
      <RefusedNotice refused={mending.refused ?? rows.refused} />
      {batchShown(scene) === undefined && <Above scene={scene} />}
      {isNarrow.value ? (
        <Cards drawn={drawn} />
      ) : (
        <Sheet drawn={drawn} hidden={hidden} at={at} onCopy={copy} />
      )}
      {newMends(scene).length > 0 && !scene.isPlanning.value && <Mended scene={scene} />}
      {!isNarrow.value && <p class="soft">Click a row number to select, with shift for several.</p>}
      {rows.columns !== undefined && rows.count === 0 && <p class="soft">No row is like that.</p>}
    </section>
  );
}

/** The selected rows with the names of their columns, else the one cell, as a sheet takes them. */
async function copyRows(drawn: Drawn, { line, column }: Place): Promise<void> {
  const { scene, rows, columns } = drawn;
  const chosen = [...scene.selected.value].sort((one, other) => one - other);
  const at = columns[column];
  if (chosen.length === 0) return navigator.clipboard.writeText(at ? textAt(drawn, line, at) : '');
  const lines = await rows.linesOf(chosen);
  const table = [
    columns.map(({ name }) => name),
    ...lines.map((each) => columns.map((shown) => textOf(drawn, each, shown))),
  ];
  const inSheet = (text: string): string => (/[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  await navigator.clipboard.writeText(table.map((cells) => cells.map(inSheet).join('\t')).join('\n'));
}

/** The columns that she does not want to see, kept for this list. */
function useHidden(list: string): Signal<readonly string[]> {
  const key = `hidden-columns ${list}`;
  const hidden = useSignal<readonly string[]>(JSON.parse(localStorage.getItem(key) ?? '[]'));
  useEffect(() => localStorage.setItem(key, JSON.stringify(hidden.value)), [hidden.value]);
  return hidden;
}
