import { asCommand, type Phrase, phrase, typing, type Words } from './phrase.ts';
/** The advice for a file that is packed with gzip. */
export const UNPACK = unpacked('Unpack it first', 'gunzip -c FILE');

/**
 * The advice for a list in a zip archive.
 * @param unzip the command that writes the list to standard output.
 */
export const unpackWith = (unzip: string): Phrase => unpacked('Unpack it', unzip);

function unpacked(it: string, by: string): Phrase {
  return phrase`${it}${typing`, or \`${asCommand(`${by} | rowonce run JOB - -o OUT`)}\``}.`;
}

/** The advice for files that people bring and that no format reads, by their endings. */
const NEXT: Readonly<Record<string, Words>> = {
  '.xls': 'Open it in Excel and save it as .xlsx: File, Save As, Excel Workbook.',
  '.xlsb': 'Open it in Excel and save it as .xlsx: File, Save As, Excel Workbook.',
  '.xltx': 'Open it in Excel and save it as .xlsx: File, Save As, Excel Workbook.',
  '.ods': 'Open it in LibreOffice or Excel and save it as .xlsx.',
  '.numbers': 'Open it in Numbers and choose File, Export To, Excel.',
  '.gsheet': 'Open it in Google Sheets and choose File, Download, Microsoft Excel (.xlsx).',
  '.pdf':
    'Ask for the spreadsheet that it was made from, or copy its table into a sheet and save that as .xlsx.',
  '.docx': 'Copy its table into a sheet and save that as .xlsx.',
  '.doc': 'Copy its table into a sheet and save that as .xlsx.',
  '.png': 'Ask for the spreadsheet in the picture, as .xlsx or .csv.',
  '.jpg': 'Ask for the spreadsheet in the picture, as .xlsx or .csv.',
  '.gz': UNPACK,
  '.zip': 'Unpack it, and use the list inside.',
};

/** @param readable the endings that formats read. */
export function whatToSave(ending: string, readable: readonly string[]): Words {
  return (
    (Object.hasOwn(NEXT, ending) ? NEXT[ending] : undefined) ??
    `Save the file as one of: ${readable.join(', ')}.`
  );
}
