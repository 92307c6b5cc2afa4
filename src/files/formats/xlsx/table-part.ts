import { escaped } from '../../workbook.ts';
import type { Archive } from './archive.ts';
import { unreadableAt } from './archive.ts';
import { type CellRange, cellRangeText, readCellRange } from './cell-range.ts';
import {
  appendPatch,
  type Element,
  elementsOf,
  type Patch,
  patched,
  prefixOf,
  tagPatch,
  withAttribute,
} from './placed-xml.ts';
import { linksOf, partText } from './workbook.ts';
import { unescapedText, type XmlAttributes } from './xml.ts';

/** A table of a sheet, as Excel makes it of cells by "Format as Table": a part of its own. */
export interface TablePart {
  readonly part: string;
  readonly xml: string;
  readonly elements: readonly Element[];
  readonly name: string;
  readonly range: CellRange;
  readonly header: boolean;
  readonly totals: number;
  /** Whether a query or a mapping fills it. */
  readonly isFed: boolean;
  readonly columns: readonly string[];
}

/** The tables of a sheet. @param ids of the links to them. */
export async function tablesOf(
  archive: Archive,
  sheetPart: string,
  ids: readonly string[],
): Promise<readonly TablePart[]> {
  if (ids.length === 0) return [];
  const links = (await linksOf(archive, sheetPart)).filter(({ id }) => ids.includes(id));
  const tables: TablePart[] = [];
  for (const { part } of links) {
    const xml = await partText(archive, part);
    try {
      tables.push(tableOf(part, xml));
    } catch (error) {
      throw unreadableAt(archive.path, `its part ${part}`, error);
    }
  }
  return tables;
}

function tableOf(part: string, xml: string): TablePart {
  const elements = elementsOf(xml);
  const attributes: XmlAttributes = elements.find(({ name }) => name === 'table')?.attributes ?? {};
  const range = readCellRange(attributes.ref);
  if (range === undefined) throw new Error('it does not say which cells are its own');
  const columns = elements.filter(({ name }) => name === 'tableColumn');
  return {
    part,
    xml,
    elements,
    range,
    name: unescapedText(attributes.displayName ?? attributes.name ?? ''),
    header: attributes.headerRowCount !== '0',
    totals: Number(attributes.totalsRowCount ?? 0),
    isFed: attributes.tableType === 'queryTable' || attributes.tableType === 'xml',
    columns: columns.map((column) => unescapedText(column.attributes.name ?? '')),
  };
}

/** Columns within the table are renamed; the others come behind its last one. */
export function tableWith(
  { xml, elements, range }: TablePart,
  names: readonly string[],
  places: readonly number[],
): string {
  const lastColumn = Math.max(range.lastColumn, ...places);
  const grown = cellRangeText({ ...range, lastColumn });
  const patches: Patch[] = [];
  const columns = elements.filter(({ name }) => name === 'tableColumn');
  const added: string[] = [];
  let id = Math.max(0, ...columns.map(({ attributes }) => Number(attributes.id) || 0));
  const [first] = columns;
  const prefix = first === undefined ? '' : prefixOf(xml.slice(first.open.start, first.open.end));
  for (const [at, place] of places.entries()) {
    const name = nameText(names[at] ?? '');
    const column = columns[place - range.firstColumn];
    if (column === undefined) added.push(`<${prefix}tableColumn id="${++id}" name="${name}"/>`);
    else if (column.attributes.name !== names[at])
      patches.push(tagPatch(xml, column, (tag) => withAttribute(tag, 'name', name)));
  }
  if (added.length === 0) return patched(xml, patches);
  for (const element of elements) {
    if (element.name === 'table')
      patches.push(tagPatch(xml, element, (tag) => withAttribute(tag, 'ref', grown)));
    if (element.name === 'autoFilter') patches.push(...filterPatch(xml, element, range, lastColumn));
    if (element.name === 'tableColumns') {
      const count = String(columns.length + added.length);
      patches.push(tagPatch(xml, element, (tag) => withAttribute(tag, 'count', count)));
      patches.push(appendPatch(xml, element, added.join('')));
    }
  }
  return patched(xml, patches);
}

/** The filter of a table does not reach into its row of totals. */
function filterPatch(xml: string, element: Element, table: CellRange, lastColumn: number): readonly Patch[] {
  const range = readCellRange(element.attributes.ref);
  if (range === undefined || range.lastColumn !== table.lastColumn) return [];
  const grown = cellRangeText({ ...range, lastColumn });
  return [tagPatch(xml, element, (tag) => withAttribute(tag, 'ref', grown))];
}

/** A line end in a name is written as it is in Excel's own tables. */
function nameText(name: string): string {
  return escaped(name).replaceAll('\n', '_x000a_');
}
