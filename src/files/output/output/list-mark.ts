import { open } from 'node:fs/promises';

/**
 * What the lists beside an output begin with. They are UTF-8, which a spreadsheet program takes for something else unless
 * a byte-order mark says so; a program that knows nothing of such marks takes it for a part of the first name. So there is
 * one beside a workbook, and where the input has one.
 */
export async function listMark(inputPath: string, { isWorkbook }: { isWorkbook: boolean }): Promise<string> {
  return isWorkbook || (await beginsWithMark(inputPath)) ? '\uFEFF' : '';
}

/** In UTF-8, and in UTF-16 of either order. */
const MARKS = ['efbbbf', 'fffe', 'feff'];
const LONGEST_MARK = 3;

async function beginsWithMark(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(LONGEST_MARK), 0, LONGEST_MARK, 0);
    return MARKS.some((mark) => buffer.toString('hex').startsWith(mark));
  } finally {
    await file.close();
  }
}
