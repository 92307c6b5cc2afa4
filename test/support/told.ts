import { finding } from '../../src/core/finding.ts';
import { sayAll } from '../../src/core/finding-words.ts';
import type { Findings } from '../../src/core/findings.ts';

/** An outcome, or a row that is not asked, with its findings in the words of a file. */
export function told(of: { readonly kind: string; readonly findings?: Findings }): object {
  const { findings = [], ...rest } = of;
  return findings.length === 0 ? rest : { ...rest, reason: sayAll(findings, 'file') };
}

/** Some findings, where a test asks for no certain ones. */
export const said = (words: string): Findings => finding('said_before', { words });
