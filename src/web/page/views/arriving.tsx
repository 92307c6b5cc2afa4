import { useEffect } from 'preact/hooks';
import type { Beginning } from '../../api.ts';
import { type Arriving, arriving } from '../parts/arriving.ts';
import { Button, Title } from '../parts/controls.tsx';
import { grouped } from '../parts/figures.ts';
import { isNarrow } from '../parts/narrow.ts';
import { ReadBar } from '../parts/read-bar.tsx';

/** A file on its way, in the frame of its list: what it is, how far it is, and the rows with which it begins. */
export function OnItsWay({ file }: { readonly file: Arriving }) {
  const { name, rows, part, beginning, list, cancel } = file;
  const leave = (): void => {
    cancel();
    arriving.value = undefined;
  };
  return (
    <>
      <Title name={name}>
        <ReadBar rows={rows} brought={part} />
        {list === undefined && <Button says="Cancel" onClick={leave} />}
      </Title>
      <div class="split">
        {beginning !== undefined && beginning.first.length > 0 && <FirstRows name={name} {...beginning} />}
      </div>
    </>
  );
}

/** As wide as the list will have them. */
const widthOf = (texts: readonly string[]): number =>
  Math.min(320, Math.max(130, Math.max(...texts.map(({ length }) => length)) * 8.5 + 24));

/** The table takes the place of the first rows without a gap. */
const fetchTable = (): unknown => !isNarrow.value && import('./list/table/sheet.tsx');

function FirstRows({ name: file, columns, first }: Beginning & Pick<Arriving, 'name'>) {
  useEffect(() => void fetchTable(), []);
  const names = columns.map(({ name }) => name);
  const widths = names.map((name, at) =>
    widthOf([`${name}  `, ...first.map(({ cells }) => cells[at] ?? '')]),
  );
  const template = { gridTemplateColumns: ['68px', ...widths.map((width) => `${width}px`)].join(' ') };
  return (
    <section class="paper" aria-label="The list">
      <div class="bar tiles">
        <div class="tile">
          <b>{grouped(first.length)}</b> first rows
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls is reached by the keys. */}
      <section class="sheet" tabIndex={0} aria-label={`The first rows of ${file}`}>
        <table>
          <thead>
            <tr style={template}>
              <th class="n">Row</th>
              {names.map((name) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {first.map(({ row, cells }) => (
              <tr key={row} style={template}>
                <th class="n">{row}</th>
                {names.map((name, at) => (
                  <td key={name}>{cells[at]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
