import { escaped } from '../../workbook.ts';
import { unreadableAt } from './archive.ts';
import { type Book, type BookSheet, linksOf } from './book.ts';
import { type CellRange, cellRangeText, readCellRange } from './cell.ts';
import { editedXml, prefixOf, unescapedText, withAttribute } from './xml.ts';

/** A table of a sheet, as Excel makes it of cells by "Format as Table": a part of its own. */
export interface TablePart {
  readonly part: string;
  readonly xml: string;
  readonly name: string;
  readonly range: CellRange;
  readonly hasHeader: boolean;
  readonly totals: number;
  /** Whether a query or a mapping fills it. */
  readonly isFed: boolean;
  readonly columns: readonly string[];
  /** The highest number of a column. */
  readonly lastId: number;
}

/** The tables of a sheet. */
export async function tablesOf({ archive }: Book, tab: BookSheet): Promise<readonly TablePart[]> {
  const links = (await linksOf(archive, tab.part)).filter(({ type }) => type === 'table');
  return Promise.all(
    links.map(async ({ part }) => {
      const xml = await archive.text(part);
      try {
        return tableOf(part, xml);
      } catch (error) {
        throw unreadableAt(archive.path, `its part ${part}`, error);
      }
    }),
  );
}

function tableOf(part: string, xml: string): TablePart {
  let found: Omit<TablePart, 'columns' | 'lastId'> | undefined;
  const columns: string[] = [];
  let lastId = 0;
  editedXml(xml, ({ path, attributes }) => {
    if (attributes === undefined) return undefined;
    const { ref, displayName, name = '', headerRowCount, totalsRowCount = 0, tableType = '' } = attributes;
    if (path === 'table') {
      const range = readCellRange(ref);
      if (range === undefined) throw new Error('it does not say which cells are its own');
      const is = { hasHeader: headerRowCount !== '0', totals: Number(totalsRowCount), range };
      const isFed = tableType === 'queryTable' || tableType === 'xml';
      found = { part, xml, name: unescapedText(displayName ?? name), ...is, isFed };
    } else if (path === 'table/tableColumns/tableColumn') {
      columns.push(unescapedText(name));
      lastId = Math.max(lastId, Number(attributes.id) || 0);
    }
    return undefined;
  });
  if (found === undefined) throw new Error('it holds no table');
  return { ...found, columns, lastId };
}

/** Columns within the table are renamed; the others come behind its last one. */
export function tableWith(
  { xml, range, columns, lastId }: TablePart,
  names: readonly string[],
  places: readonly number[],
): string {
  const wanted = new Map(places.map((place, at) => [place - range.firstColumn, names[at] ?? '']));
  const added = [...wanted].filter(([at]) => at >= columns.length).map(([, name]) => name);
  const lastColumn = Math.max(range.lastColumn, ...places);
  let column = -1;
  return editedXml(xml, (tag) => {
    const { path, attributes, text } = tag;
    if (attributes === undefined)
      return path === COLUMNS ? { ...tag, text: newColumns(text) + text } : undefined;
    switch (path) {
      case `${COLUMNS}/tableColumn`:
        column += 1;
        return withValue('name', wanted.get(column) ?? attributes.name, attributes.name);
      case COLUMNS:
        return withValue('count', String(columns.length + added.length), attributes.count);
      case 'table':
      case 'table/autoFilter':
        return withValue('ref', grownRange(attributes.ref), attributes.ref);
      default:
        return undefined;
    }

    function withValue(name: string, value: string | undefined, before: string | undefined) {
      if (value === undefined || value === before) return undefined;
      return { ...tag, text: withAttribute(text, name, nameText(value)) };
    }
  });

  function newColumns(closing: string): string {
    const begin = `<${prefixOf(closing)}tableColumn`;
    return added.map((name, at) => `${begin} id="${lastId + 1 + at}" name="${nameText(name)}"/>`).join('');
  }

  /** The filter of a table does not reach into its row of totals. */
  function grownRange(ref: string | undefined): string | undefined {
    const own = readCellRange(ref);
    return own?.lastColumn === range.lastColumn ? cellRangeText({ ...own, lastColumn }) : undefined;
  }
}

const COLUMNS = 'table/tableColumns';

/** A line end in a name is written as it is in Excel's own tables. */
function nameText(name: string): string {
  return escaped(name).replaceAll('\n', '_x000a_');
}
