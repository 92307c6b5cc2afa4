import { posix } from 'node:path';
import { meantWord, type StopError, stop } from '../../../core/errors.ts';
import { type FileBytes, readableEndings } from '../../../core/format.ts';
import { unpackWith } from '../../../core/other-files.ts';
import { foreignName, listed, plainText } from '../../../core/plain-text.ts';
import { shellWord } from '../../../lib/command-line.ts';
import { endingOf } from '../../../lib/file-name.ts';
import { Archive, keyOf, unreadableBook } from './archive.ts';
import { builtInFormat, type CellContext, formatOfCode, type NumberFormat } from './cell.ts';
import {
  isTrue,
  localName,
  TextGatherer,
  unescapedText,
  type XmlAttributes,
  type XmlListener,
} from './xml.ts';

/** A workbook with its texts and formats read, and its sheets by name; the sheets themselves are not. */
export interface Book extends CellContext {
  readonly archive: Archive;
  /** The name of the part that lists the sheets. */
  readonly main: string;
  /** The name of the part with the formats of cells. */
  readonly styles: string | undefined;
  /** The sheets in the order of their tabs. */
  readonly sheets: readonly BookSheet[];
  /** The formats, indexed by the number that a cell has for its style. */
  readonly formats: readonly NumberFormat[];
  /**
   * Why nothing may be written into it, and what to do about it, as clauses; undefined where something may.
   */
  readonly obstacle: { readonly fact: string; readonly next: string } | undefined;
  /** The sheet that was open when the workbook was saved; undefined where that is none of cells. */
  readonly open: BookSheet | undefined;
}

export interface BookSheet {
  readonly name: string;
  /** The name of its part in the archive. */
  readonly part: string;
  readonly isHidden: boolean;
  /** The place of its tab among all. */
  readonly position: number;
}

/** All that is kept in memory at once: texts that a hundred thousand rows share. */
const MOST_BYTES_OF_TEXTS = 256 * 1024 * 1024;

/** @throws StopError `input` when it is no workbook. */
export async function readBook(file: FileBytes): Promise<Book> {
  const { path } = file;
  const archive = await Archive.open(file);
  if (!archive.has(PACKAGE_LINKS)) throw await noBook(archive);
  const roots = await linksOf(archive, '');
  const main = roots.find(({ type }) => type === 'officeDocument')?.part;
  if (main === undefined) throw unreadableBook(path, 'it does not say where its sheets are');
  const links = await linksOf(archive, main);
  const { sheets, from1904, open } = await readMain(archive, main, links);
  const texts = links.find(({ type }) => type === 'sharedStrings')?.part;
  const styles = links.find(({ type }) => type === 'styles')?.part;
  return {
    archive,
    main,
    styles,
    sheets,
    open,
    from1904,
    obstacle: obstacleIn(roots, links),
    sharedTexts: texts === undefined ? [] : await readTexts(archive, texts),
    formats: styles === undefined ? [] : await readFormats(archive, styles),
  };
}

const MOST_SHEETS = 10;

/** Tells a user who brings a list in an archive how it is read from there. */
async function noBook(archive: Archive): Promise<StopError> {
  const { path } = archive;
  const endings = await readableEndings();
  const isList = (name: string): boolean => endings.includes(endingOf(name)) && !/(?:^|\/)[._]/.test(name);
  const lists = archive.parts().flatMap(({ name }) => (isList(name) ? [plainText(name)] : []));
  const [first] = lists.toSorted((one, other) => Number(/\.txt$/i.test(one)) - Number(/\.txt$/i.test(other)));
  if (first === undefined)
    return unreadableBook(path, 'it is an archive of something else, such as an OpenDocument file (.ods)');
  const fact =
    `${path} is a zip archive and no list; ` +
    `it holds ${listed(lists.slice(0, MOST_SHEETS).map((name) => foreignName(name)))}.`;
  return stop('input', fact, unpackWith(`unzip -p ${shellWord(path)} ${shellWord(first)}`));
}

function obstacleIn(roots: readonly Link[], links: readonly Link[]): Book['obstacle'] {
  if (roots.some(({ address }) => address.includes('digital-signature'))) {
    const next = 'remove the signature in Excel under File, Info, View Signatures';
    return { fact: 'it has a digital signature, which would become invalid', next };
  }
  if (links.some(({ type }) => type === 'revisionHeaders' || type === 'usernames')) {
    const next = 'end the sharing in Excel under Review, Unshare Workbook';
    return { fact: 'it is a shared workbook of the old kind, with a log of every cell', next };
  }
  return undefined;
}

/**
 * The sheet of that name alone; without one all that may be meant, the likeliest first: the one that was open
 * when the workbook was saved, then those that are not hidden.
 * @throws StopError `input` with the name that is nearest.
 */
export function sheetsMeant(
  { archive: { path }, sheets, open }: Book,
  name: string | undefined,
): readonly [BookSheet, ...BookSheet[]] {
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  const [first, ...others] = new Set([...(open === undefined ? [] : [open]), ...visible, ...sheets]);
  if (first === undefined) throw unreadableBook(path, 'it has no sheet of cells');
  if (name === undefined) return [first, ...others];
  const named = sheets.find((sheet) => sheet.name.toLowerCase() === name.toLowerCase());
  if (named !== undefined) return [named];
  const fact = `${path} has no sheet ${foreignName(name)}.`;
  const names = sheets.map((sheet) => sheet.name);
  throw stop('input', fact, meantWord(name, names));
}

const PACKAGE_LINKS = '_rels/.rels';

interface Link {
  readonly id: string;
  /** The last word of its address: `worksheet`. */
  readonly type: string;
  readonly address: string;
  readonly part: string;
  /** The target as it is written, for a link that leads to no part. */
  readonly target: string;
}

/** @param part that has the links; empty for those of the archive itself. */
export async function linksOf(archive: Archive, part: string): Promise<readonly Link[]> {
  const folder = posix.dirname(part);
  const links: Link[] = [];
  const name = part === '' ? PACKAGE_LINKS : `${folder}/_rels/${posix.basename(part)}.rels`;
  if (!archive.has(name)) return [];
  await archive.readPart(name, {
    opened(element, { Id = '', Type = '', Target = '' }) {
      if (element !== 'Relationship') return;
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target);
      links.push({ id: Id, type: posix.basename(Type), address: Type, part: target, target: Target });
    },
  });
  return links;
}

/** Excel writes `r:id`, and other programs have other prefixes. */
export function idIn(attributes: XmlAttributes): string {
  return Object.entries(attributes).find(([key]) => localName(key) === 'id')?.[1] ?? '';
}

async function readMain(
  archive: Archive,
  part: string,
  links: readonly Link[],
): Promise<Pick<Book, 'sheets' | 'from1904' | 'open'>> {
  const sheets: BookSheet[] = [];
  const partOf = new Map(
    links.map(({ id, type, part: sheetPart }) => [type === 'worksheet' ? id : '', sheetPart]),
  );
  const parts = new Set<string>();
  // Charts have tabs as well, which count.
  let tabs = 0;
  let openTab = -1;
  let from1904 = false;
  await archive.readPart(part, {
    opened(element, attributes) {
      if (element === 'workbookPr') from1904 = isTrue(attributes.date1904);
      // A second window of the same workbook says the same of itself.
      if (element === 'workbookView') openTab = Number(attributes.activeTab ?? 0);
      if (element !== 'sheet') return;
      const { name = '', state = 'visible' } = attributes;
      const linkId = idIn(attributes);
      const sheetPart = linkId === '' ? undefined : partOf.get(linkId);
      const position = tabs++;
      if (sheetPart === undefined) return;
      // To read a part once for each of a thousand names would take a thousand times as long.
      if (parts.has(keyOf(sheetPart)))
        throw unreadableBook(archive.path, `two sheets have the part ${sheetPart}`);
      parts.add(keyOf(sheetPart));
      sheets.push({ name: unescapedText(name), part: sheetPart, isHidden: state !== 'visible', position });
    },
  });
  const open = sheets.find(({ position, isHidden }) => position === openTab && !isHidden);
  return { sheets, from1904, open };
}

async function readTexts(archive: Archive, part: string): Promise<readonly string[]> {
  const texts: string[] = [];
  const gatherer = new TextGatherer();
  const listener: XmlListener = {
    opened(name) {
      if (name === 'si') gatherer.start();
      gatherer.opened(name);
    },
    closed(name) {
      gatherer.closed(name);
      if (name === 'si') texts.push(unescapedText(gatherer.text));
    },
    text: (text) => gatherer.addText(text),
  };
  await archive.readPart(part, listener, MOST_BYTES_OF_TEXTS);
  return texts;
}

async function readFormats(archive: Archive, part: string): Promise<readonly NumberFormat[]> {
  const custom = new Map<number, NumberFormat>();
  const formats: NumberFormat[] = [];
  let isOfCells = false;
  await archive.readPart(part, {
    opened(name, { numFmtId = '0', formatCode = '' }) {
      if (name === 'cellXfs') isOfCells = true;
      else if (name === 'numFmt') custom.set(Number(numFmtId), formatOfCode(formatCode));
      else if (name === 'xf' && isOfCells) {
        const id = Number(numFmtId);
        formats.push(custom.get(id) ?? builtInFormat(id));
      }
    },
    closed(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return formats;
}
