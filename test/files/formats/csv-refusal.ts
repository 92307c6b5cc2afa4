import { StopError } from '../../../src/core/errors.ts';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input-file.ts';

/** Why a file is refused when it is read from end to end, with nothing said of how to read it. */
export async function refusalOf(path: string): Promise<StopError> {
  const error: unknown = await csv
    .open(new InputFile(path), {})
    .then((sheet) => sheet.survey())
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  if (!(error instanceof StopError)) throw new Error(`expected a stop, got ${String(error)}`);
  return error;
}
