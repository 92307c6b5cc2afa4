import { FORMULA_MODES, type FormulaMode } from '../../core/formulas.ts';
import { oneOf } from './read-flags.ts';

/** The flag that says what becomes of cells that would begin a formula: the same on every command that writes some. */

export const FORMULAS_ABOUT =
  "safe: a vendor's text never becomes a formula, which is so when left out; raw: as it came";

/** @throws StopError `usage`. */
export function formulaModeOf({ formulas }: { readonly formulas?: string }): FormulaMode | undefined {
  return formulas === undefined ? undefined : oneOf('--formulas', FORMULA_MODES, formulas.toLowerCase());
}
