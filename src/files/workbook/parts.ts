/** The parts of a workbook of one sheet, as the standard (ECMA-376) wants them at the least. */

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export const SHEET_PART = 'xl/worksheets/sheet1.xml';
/** Wide enough for an ABN, a date with its time, and most names; Excel's own width cuts them off. */
const COLUMN_WIDTH = 20;

const SHEET_FORMAT = `<sheetFormatPr defaultColWidth="${COLUMN_WIDTH}" defaultRowHeight="15"/>`;

export const SHEET_START = `${DECLARATION}<worksheet xmlns="${MAIN}">${SHEET_FORMAT}<sheetData>`;
export const SHEET_END = '</sheetData></worksheet>';

/** Where in the part of styles each form of a date stands; 0 is a cell without any. */
export const DATE_STYLES = { date: 1, moment: 2, duration: 3 } as const;

const CONTENT_TYPES = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>
<Override PartName="/${SHEET_PART}" ContentType="${TYPE}.worksheet+xml"/>
<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>
</Types>`;

const PACKAGE_RELATIONSHIPS = `<Relationships xmlns="${RELATIONSHIPS}">
<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/>
</Relationships>`;

const WORKBOOK_RELATIONSHIPS = `<Relationships xmlns="${RELATIONSHIPS}">
<Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>
<Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/>
</Relationships>`;

/** Formats below 164 are Excel's own. */
const STYLES = `<styleSheet xmlns="${MAIN}">
<numFmts count="3">
<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>
<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>
<numFmt numFmtId="166" formatCode="[hh]:mm:ss"/>
</numFmts>
<fonts count="1"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="4">
<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="166" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
</cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
</styleSheet>`;

export function workbookXml(sheetName: string): string {
  const sheet = `<sheet name="${escaped(sheetName)}" sheetId="1" r:id="rId1"/>`;
  return `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheet}</sheets></workbook>`;
}

/** All parts but the sheet and the one that names it. */
export const PARTS = [
  { name: '[Content_Types].xml', xml: DECLARATION + CONTENT_TYPES },
  { name: '_rels/.rels', xml: DECLARATION + PACKAGE_RELATIONSHIPS },
  { name: 'xl/_rels/workbook.xml.rels', xml: DECLARATION + WORKBOOK_RELATIONSHIPS },
  { name: 'xl/styles.xml', xml: DECLARATION + STYLES },
] as const;

/**
 * Text as it stands in a workbook's XML. What XML cannot hold is written as Excel does, `_x000B_` for a vertical tab; a
 * text that begins like that by itself gets its first character written so, or it would be read as another.
 */
export function escaped(text: string): string {
  return text
    .replaceAll(LOOKS_ESCAPED, '_x005F_')
    .replaceAll(
      NOT_IN_XML,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll(MARKUP, (character) => ENTITIES[character] ?? character);
}

const LOOKS_ESCAPED = /_(?=x[0-9a-f]{4})/gi;

/** Control characters and halves of pairs. Carriage returns are characters of XML, but readers make line feeds of them. */
const NOT_IN_XML = /[\p{Cs}\uFFFE\uFFFF]|[^\P{Cc}\t\n\u007F-\u009F]/gu;

const MARKUP = /[&<>"]/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
