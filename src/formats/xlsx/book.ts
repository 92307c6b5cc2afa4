import { posix } from 'node:path';
import { stop } from '../../errors.ts';
import { suggestion } from '../../nearest.ts';
import { Archive } from './archive.ts';
import type { CellContext } from './cell.ts';
import { damaged, damagedPart } from './damaged.ts';
import { builtInFormat, formatOfCode, type NumberFormat } from './number-format.ts';
import { TextGatherer, unescapedText } from './text.ts';
import { attributesOf, tokensOf, type XmlToken } from './xml.ts';

/** A workbook whose texts and formats are read, and its sheets by name; the sheets themselves are not. */
export interface Book extends CellContext {
  readonly archive: Archive;
  /** In the order of their tabs. */
  readonly sheets: readonly BookSheet[];
  /** By the number that a cell has for its style. */
  readonly formats: readonly NumberFormat[];
}

export interface BookSheet {
  readonly name: string;
  /** Of the archive. */
  readonly part: string;
  readonly isHidden: boolean;
}

/** All that is held in memory at once: texts that a hundred thousand rows share. */
const MOST_BYTES_OF_TEXTS = 256 * 1024 * 1024;

/** Names, styles and links: some kilobytes, in a workbook with thousands of styles a few megabytes. */
const MOST_BYTES_OF_OTHERS = 32 * 1024 * 1024;

/** @throws StopError `input` when it is no workbook. */
export async function readBook(path: string): Promise<Book> {
  const archive = await Archive.open(path);
  if (!archive.has(PACKAGE_LINKS)) throw noWorkbook(archive);
  const main = (await linksOf(archive, '')).find(({ type }) => type === 'officeDocument')?.part;
  if (main === undefined) throw damaged(path, 'it does not say where its sheets are');
  const links = await linksOf(archive, main);
  const { sheets, from1904 } = await readMain(archive, main, links);
  const texts = links.find(({ type }) => type === 'sharedStrings')?.part;
  const styles = links.find(({ type }) => type === 'styles')?.part;
  return {
    archive,
    sheets,
    from1904,
    sharedTexts: texts === undefined ? [] : await readTexts(archive, texts),
    formats: styles === undefined ? [] : await readFormats(archive, styles),
  };
}

/** The sheet of that name, else the first that is not hidden. @throws StopError `input` with the name that is nearest. */
export function sheetOf({ archive: { path }, sheets }: Book, name: string | undefined): BookSheet {
  const [first] = sheets;
  if (first === undefined) throw damaged(path, 'it has no sheet of cells');
  if (name === undefined) return sheets.find(({ isHidden }) => !isHidden) ?? first;
  const named = sheets.find((sheet) => sheet.name.toLowerCase() === name.toLowerCase());
  if (named !== undefined) return named;
  const fact = `${path} has no sheet ${JSON.stringify(name)}.`;
  const names = sheets.map((sheet) => JSON.stringify(sheet.name));
  throw stop('input', fact, suggestion(JSON.stringify(name), names));
}

function noWorkbook(archive: Archive): Error {
  if (!archive.has('mimetype')) return damaged(archive.path, 'it is an archive of something else');
  const fact = `${archive.path} is an OpenDocument file (.ods), whatever it is called.`;
  return stop('input', fact, 'Save it as Excel workbook (.xlsx), or save the sheet as CSV.');
}

// ------------------------------------------------------------------------------------------------ links

const PACKAGE_LINKS = '_rels/.rels';

/** From one part to another. */
interface Link {
  readonly id: string;
  /** The last word of its address: `worksheet`. */
  readonly type: string;
  readonly part: string;
}

/** @param part whose links they are; empty for those of the archive itself. */
async function linksOf(archive: Archive, part: string): Promise<readonly Link[]> {
  const folder = posix.dirname(part);
  const links: Link[] = [];
  const name = part === '' ? PACKAGE_LINKS : `${folder}/_rels/${posix.basename(part)}.rels`;
  await eachToken(archive, name, MOST_BYTES_OF_OTHERS, (token) => {
    if (token.kind !== 'open' || token.name !== 'Relationship') return;
    const attributes = attributesOf(token.tag);
    const target = attributes.get('Target') ?? '';
    links.push({
      id: attributes.get('Id') ?? '',
      type: posix.basename(attributes.get('Type') ?? ''),
      part: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
    });
  });
  return links;
}

// ------------------------------------------------------------------------------------------------ parts

async function readMain(
  archive: Archive,
  part: string,
  links: readonly Link[],
): Promise<Pick<Book, 'sheets' | 'from1904'>> {
  const sheets: BookSheet[] = [];
  let from1904 = false;
  await eachToken(archive, part, MOST_BYTES_OF_OTHERS, (token) => {
    if (token.kind !== 'open') return;
    if (token.name === 'workbookPr') from1904 = isTrue(attributesOf(token.tag).get('date1904'));
    if (token.name !== 'sheet') return;
    const attributes = attributesOf(token.tag);
    const link = links.find(({ id }) => id === attributes.get('id'));
    // Charts and macros have tabs as well.
    if (link?.type !== 'worksheet') return;
    const isHidden = (attributes.get('state') ?? 'visible') !== 'visible';
    sheets.push({ name: unescapedText(attributes.get('name') ?? ''), part: link.part, isHidden });
  });
  return { sheets, from1904 };
}

function isTrue(attribute: string | undefined): boolean {
  return attribute === '1' || attribute === 'true';
}

async function readTexts(archive: Archive, part: string): Promise<readonly string[]> {
  const texts: string[] = [];
  const gatherer = new TextGatherer();
  await eachToken(archive, part, MOST_BYTES_OF_TEXTS, (token) => {
    if (token.kind === 'text') gatherer.hear(token.text);
    else if (token.kind === 'open') {
      if (token.name === 'si') gatherer.start();
      gatherer.opened(token.name);
    } else {
      gatherer.closed(token.name);
      if (token.name === 'si') texts.push(unescapedText(gatherer.text));
    }
  });
  return texts;
}

async function readFormats(archive: Archive, part: string): Promise<readonly NumberFormat[]> {
  const custom = new Map<number, NumberFormat>();
  const formats: NumberFormat[] = [];
  let isOfCells = false;
  await eachToken(archive, part, MOST_BYTES_OF_OTHERS, (token) => {
    if (token.kind === 'text') return;
    if (token.name === 'cellXfs') isOfCells = token.kind === 'open';
    if (token.kind !== 'open') return;
    if (token.name === 'numFmt') {
      const attributes = attributesOf(token.tag);
      custom.set(Number(attributes.get('numFmtId')), formatOfCode(attributes.get('formatCode') ?? ''));
    } else if (token.name === 'xf' && isOfCells) {
      const id = Number(attributesOf(token.tag).get('numFmtId') ?? 0);
      formats.push(custom.get(id) ?? builtInFormat(id));
    }
  });
  return formats;
}

async function eachToken(
  archive: Archive,
  part: string,
  mostBytes: number,
  onToken: (token: XmlToken) => void,
): Promise<void> {
  try {
    for await (const tokens of tokensOf(archive.chunks(part, mostBytes))) {
      for (const token of tokens) onToken(token);
    }
  } catch (error) {
    throw damagedPart(archive.path, part, error);
  }
}
