import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAccounts } from '../../src/client/account/account.ts';
import { dialectOf, dialectQuestion } from '../../src/client/dialect.ts';
import { describeOperations } from '../../src/core/families.ts';

/**
 * Agrees to what the dialects of the accounts in a folder send, as a user has done who works with them. The tests of the
 * agreement itself type their commands without it. Accounts and dialects that are wrong are left to the command.
 */
export async function agreeToDialects(config: string | undefined): Promise<void> {
  const path = join(config ?? '', 'accounts.yaml');
  if (config === undefined || !existsSync(path) || !readFileSync(path, 'utf8').includes('dialect')) return;
  await describeOperations();
  const { configured } = await loadAccounts(path).catch(() => ({ configured: [] }));
  for (const account of configured) {
    const dialect = await dialectOf(account).catch(() => undefined);
    const question = dialect && dialectQuestion(dialect, account.baseUrl ?? 'http://sandbox.invalid');
    if (question === undefined) continue;
    mkdirSync(join(config, 'agreed'), { recursive: true, mode: 0o700 });
    writeFileSync(join(config, 'agreed', `${question.agreement.replace(':', '-')}.txt`), question.fact);
  }
}
