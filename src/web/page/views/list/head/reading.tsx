import { lazyPart } from '../../../parts/asking.tsx';
import { Folded, Popover } from '../../../parts/controls.tsx';
import { sheetsOf } from '../described.ts';
import { batchStarted } from '../rows.ts';
import type { OfScene } from '../scene.ts';

/** How a list is read, as far as it is seen at once. What can be chosen instead is fetched by a click. */

const Ways = lazyPart(async () => (await import('./readings.tsx')).Ways);
const Headers = lazyPart(async () => (await import('./readings.tsx')).Headers);
const Sheets = lazyPart(async () => (await import('./readings.tsx')).Sheets);

/** How the list is read, and what of it is left out. */
export function HowRead({ scene }: OfScene) {
  const { described, planned } = scene;
  const { value, refused } = described;
  if (value === undefined && refused === undefined) return null;
  const isRefused = refused?.code === 'input' || planned.refused?.code === 'input';
  const says = (
    <>
      How the list is read
      {isRefused && <span class="need"> · it cannot be read like this</span>}
    </>
  );
  return (
    <Folded says={says} open={isRefused}>
      {() => <Ways scene={scene} />}
    </Folded>
  );
}

/** Which sheet of a workbook is read. */
export function SheetChoice({ scene }: OfScene) {
  const sheets = sheetsOf(scene.described);
  const read = sheets.find((sheet) => sheet.read)?.name;
  if (sheets.length < 2 || read === undefined || !scene.isPlanning.value) return null;
  return (
    <Popover name="Sheet" says={`Sheet ${read} ▾`} look="quiet">
      {(close) => <Sheets scene={scene} close={close} />}
    </Popover>
  );
}

/** Where the names of her columns are, among the lines of the file above her table. */
export function HeaderChoice({ scene }: OfScene) {
  const { described, isPlanning } = scene;
  if (described.value === undefined || !isPlanning.value || batchStarted(scene) !== undefined) return null;
  const { header_row: header } = described.value.layout;
  return (
    <Popover
      name="Where the names of your columns are"
      says={header === '0' ? 'No names ▾' : `Names in row ${header} ▾`}
      look="quiet"
    >
      {(close) => <Headers scene={scene} close={close} />}
    </Popover>
  );
}
