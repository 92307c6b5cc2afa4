import { FORMULA_MODES, type FormulaMode } from '../../core/formulas.ts';
import { oneOf } from './read-flags.ts';

/** The flag for cells that a spreadsheet would read as formulas, for every command that writes an output. */

export const FORMULAS_ABOUT =
  "safe: a vendor's text never becomes a formula, which is so when left out; raw: as it came";

/** @throws StopError `usage`. */
export function formulaModeOf({ formulas }: { readonly formulas?: string }): FormulaMode | undefined {
  return formulas === undefined ? undefined : oneOf('--formulas', FORMULA_MODES, formulas.toLowerCase());
}
