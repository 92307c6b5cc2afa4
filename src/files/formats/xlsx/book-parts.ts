import { posix } from 'node:path';
import { escaped, lettersOf } from '../../workbook.ts';
import { unreadableAt } from './archive.ts';
import { type CellRange, readCellRange } from './cell-range.ts';
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
import { type Book, type BookSheet, linkIdOf, linksPartOf, partText } from './workbook.ts';

interface WholePart {
  readonly name: string;
  readonly xml: string;
  readonly elements: readonly Element[];
}

async function wholePart(book: Book, name: string): Promise<WholePart> {
  const xml = await partText(book.archive, name);
  try {
    return { name, xml, elements: elementsOf(xml) };
  } catch (error) {
    throw unreadableAt(book.archive.path, `its part ${name}`, error);
  }
}

/** Excel's own format of a cell whose content stays text, whatever is typed. */
const TEXT_FORMAT = '49';

/** The most formats of cells that a workbook has. */
const MOST_FORMATS = 64_000;

export interface TextFormat {
  /** The number by which a cell names the format. */
  readonly style: number;
  /** The part of styles with it; undefined where it was there before. */
  readonly changed?: { readonly name: string; readonly text: string };
}

/** The format for text that looks like a number; undefined for a workbook that has no room for it. */
export async function textFormat(book: Book): Promise<TextFormat | undefined> {
  const name = book.links.find(({ type }) => type === 'styles')?.part;
  if (name === undefined) return undefined;
  const { xml, elements } = await wholePart(book, name);
  const list = elements.find((element) => element.name === 'cellXfs');
  const formats = elements.filter((element) => element.name === 'xf' && element.path.at(-1) === 'cellXfs');
  const [usual] = formats;
  if (list === undefined || usual === undefined || formats.length >= MOST_FORMATS) return undefined;
  const wanted = `numFmtId="${TEXT_FORMAT}" ${LOOKS.map((look) => `${look}="${usual.attributes[look] ?? '0'}"`).join(' ')} xfId="${usual.attributes.xfId ?? '0'}" applyNumberFormat="1"`;
  const prefix = prefixOf(xml.slice(usual.open.start, usual.open.end));
  const written = `<${prefix}xf ${wanted}/>`;
  const there = formats.findIndex(({ open }) => xml.slice(open.start, open.end) === written);
  if (there >= 0) return { style: there };
  const count = String(formats.length + 1);
  const patches = [
    tagPatch(xml, list, (tag) => withAttribute(tag, 'count', count)),
    appendPatch(xml, list, written),
  ];
  return { style: formats.length, changed: { name, text: patched(xml, patches) } };
}

const LOOKS = ['fontId', 'fillId', 'borderId'] as const;

/** A name by which Excel remembers the range of a filter; it is hidden, and has to say the same as the filter. */
const FILTER_NAME = '_xlnm._FilterDatabase';

/** @returns undefined where no name says the range, and a clause where a name says something else. */
export async function withFilterRange(
  book: Book,
  tab: BookSheet,
  before: CellRange,
  lastColumn: number,
): Promise<{ readonly name: string; readonly text: string } | string | undefined> {
  const { name, xml, elements } = await wholePart(book, book.main);
  const sheets = elements.filter((element) => element.name === 'sheet' && element.path.at(-1) === 'sheets');
  const at = sheets.findIndex(({ attributes }) => linkTo(book, attributes) === tab.part);
  const entry = elements.find(
    (element) =>
      element.name === 'definedName' &&
      element.attributes.name === FILTER_NAME &&
      element.attributes.localSheetId === String(at),
  );
  if (entry === undefined) return undefined;
  const inner = { start: entry.open.end, end: entry.close.start };
  const text = xml.slice(inner.start, inner.end);
  const [, sheet = '', range = ''] = /^([\s\S]*!)([^!]*)$/.exec(text) ?? [];
  const known = readCellRange(range);
  const isSame =
    known !== undefined &&
    known.firstColumn === before.firstColumn &&
    known.lastColumn === before.lastColumn &&
    known.firstRow === before.firstRow;
  if (!isSame) return 'the name of its filter covers other cells than the filter';
  const grown = `${sheet}$${lettersOf(known.firstColumn)}$${known.firstRow}:$${lettersOf(lastColumn)}$${known.lastRow}`;
  return { name, text: patched(xml, [{ ...inner, text: grown }]) };
}

function linkTo(book: Book, attributes: Element['attributes']): string | undefined {
  const id = linkIdOf(attributes);
  return book.links.find((link) => link.id === id)?.part;
}

export interface AddedSheet {
  readonly tabName: string;
  readonly part: string;
  readonly changed: readonly { readonly name: string; readonly text: string }[];
}

const CONTENT_TYPES = '[Content_Types].xml';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml';

/** A further sheet behind all others, of the same kind as one that is there. */
export async function addedSheet(book: Book, tab: BookSheet): Promise<AddedSheet> {
  const { archive, main, links } = book;
  const like = links.find(({ part }) => part === tab.part);
  const folder = posix.dirname(tab.part);
  let number = 1;
  while (archive.has(partName(number))) number += 1;
  const part = partName(number);
  const listing = await wholePart(book, main);
  const tabName = freeTabName(listing.elements);
  const linking = await wholePart(book, linksPartOf(main));
  const id = freeId(linking.elements);
  const changed = [
    { name: main, text: patched(listing.xml, listed(listing, tabName, id)) },
    {
      name: linking.name,
      text: appended(linking, 'Relationships', 'Relationship', [
        ['Id', id],
        ['Type', like?.address ?? ''],
        ['Target', `/${part}`],
      ]),
    },
  ];
  if (archive.has(CONTENT_TYPES)) {
    const types = await wholePart(book, CONTENT_TYPES);
    const type = [
      ['PartName', `/${part}`],
      ['ContentType', SHEET_TYPE],
    ] as const;
    changed.push({ name: types.name, text: appended(types, 'Types', 'Override', type) });
  }
  return { tabName, part, changed };

  function partName(each: number): string {
    return `${folder === '.' ? '' : `${folder}/`}rowonce${each}.xml`;
  }
}

/** The entry of the new sheet, with the attribute for its link spelled as the others have it. */
function listed({ xml, elements }: WholePart, tabName: string, id: string): readonly Patch[] {
  const list = elements.find(({ name, path }) => name === 'sheets' && path.length === 1);
  const sheets = elements.filter(({ name, path }) => name === 'sheet' && path.at(-1) === 'sheets');
  const [first] = sheets;
  if (list === undefined || first === undefined) return [];
  const prefix = prefixOf(xml.slice(first.open.start, first.open.end));
  const linkName =
    Object.keys(first.attributes).find((name) => name === 'id' || name.endsWith(':id')) ?? 'r:id';
  const number = Math.max(0, ...sheets.map(({ attributes }) => Number(attributes.sheetId) || 0)) + 1;
  const entry = `<${prefix}sheet name="${escaped(tabName)}" sheetId="${number}" ${linkName}="${id}"/>`;
  return [appendPatch(xml, list, entry)];
}

function freeTabName(elements: readonly Element[]): string {
  const taken = new Set(
    elements.flatMap(({ name, attributes }) => (name === 'sheet' ? [attributes.name?.toLowerCase()] : [])),
  );
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'Rowonce' : `Rowonce ${number}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

function freeId(elements: readonly Element[]): string {
  const taken = new Set(elements.map(({ attributes }) => attributes.Id));
  for (let number = 1; ; number += 1) if (!taken.has(`rowonce${number}`)) return `rowonce${number}`;
}

function appended(
  { xml, elements }: WholePart,
  around: string,
  name: string,
  attributes: readonly (readonly [string, string])[],
): string {
  const list = elements.find((element) => element.name === around);
  if (list === undefined) return xml;
  const prefix = prefixOf(xml.slice(list.open.start, list.open.end));
  const words = attributes.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('');
  return patched(xml, [appendPatch(xml, list, `<${prefix}${name}${words}/>`)]);
}
