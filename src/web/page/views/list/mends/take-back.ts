import { counted } from '../../../parts/figures.ts';
import { asRefused } from '../../../session.ts';
import type { Scene } from '../scene.ts';
import { mendAll } from './mends.tsx';

/** How long it is said what was taken back. */
const SAID_MS = 8_000;

/** Takes back what was mended last, and says so. */
export async function takeBackLast(scene: Scene): Promise<void> {
  const { list, note } = scene;
  const mends = list?.mends ?? [];
  const last = mends.reduce((latest, { at }) => (at > latest ? at : latest), '');
  const lastMends = mends.filter(({ at }) => at === last);
  const [first] = lastMends;
  if (first === undefined) note.value = 'No cell was mended.';
  else
    note.value = await mendAll(
      scene,
      lastMends.map(({ row, column }) => ({ row, column, value: null })),
    ).then(
      () =>
        lastMends.length === 1
          ? `Taken back: row ${first.row}, ${first.column}.`
          : `Taken back: ${counted(lastMends.length, 'cell')}.`,
      (error) => asRefused(error).message,
    );
  setTimeout(() => (note.value = ''), SAID_MS);
}
