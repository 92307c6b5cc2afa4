import { invariant } from '../../src/core/errors.ts';
import { zipOf } from '../files/formats/workbook-file.ts';

/** A small workbook made by hand, so that each of its parts can be scratched and still lie in a whole container. */

/** A file in the container, by its path there. */
export type Parts = ReadonlyMap<string, Buffer>;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** A header and rows with every kind of cell: shared and inline text, numbers, a date, truth, a formula, an error. */
export const SAMPLE_PARTS: Parts = new Map(
  Object.entries({
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${TYPE}.sharedStrings+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Leads" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONS}/styles" Target="styles.xml"/><Relationship Id="rId3" Type="${RELATIONS}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}" count="5" uniqueCount="5"><si><t>ABN</t></si><si><t>Name</t></si><si><t>Since</t></si><si><t xml:space="preserve"> Café &amp; Sons </t></si><si><r><t>Otter</t></r><r><t xml:space="preserve"> &lt;Byrne&gt;</t></r></si></sst>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><dimension ref="A1:C6"/><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row><row r="2"><c r="A2"><v>51824753556</v></c><c r="B2" t="s"><v>3</v></c><c r="C2" s="1"><v>44927</v></c></row><row r="4"><c r="A4"><v>5.3004085616E+10</v></c><c r="C4" t="b"><v>1</v></c></row><row r="5"><c r="B5" t="inlineStr"><is><t>two\nlines</t></is></c><c r="C5" t="str"><f>1+1</f><v>2</v></c></row><row r="6"><c r="A6" t="e"><v>#N/A</v></c><c r="B6" t="s"><v>4</v></c></row></sheetData></worksheet>`,
  }).map(([path, xml]) => [path, Buffer.from(XML + xml)]),
);

/** The part that holds the cells. */
export const SAMPLE_SHEET = 'xl/worksheets/sheet1.xml';

/** Numbers of the rows that it has below the header. */
export const SAMPLE_ROWS: readonly number[] = [2, 4, 5, 6];

/** The parts in a container whose checksums and sizes are right, whatever the parts say. */
export function zipped(parts: Parts): Buffer {
  return zipOf([...parts].map(([name, content]) => ({ name, content })));
}

/** The parts with one of them changed. */
export function withPart(parts: Parts, at: number, change: (content: Buffer) => Buffer): Parts {
  const [path, content] = [...parts][at] ?? [];
  invariant(path !== undefined && content !== undefined, `a workbook has no part ${at}`);
  return new Map([...parts, [path, change(content)]]);
}
