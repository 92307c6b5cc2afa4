import { sayAll } from '../../core/finding-words.ts';
import type { Findings } from '../../core/findings.ts';
import { CALLED } from './summary-words.ts';

/** Why, in the words of the page and of the column `_reason`; blank where nothing is to be said. */
export const reasonIn = (findings: Findings): string => sayAll(findings, 'page', CALLED);
