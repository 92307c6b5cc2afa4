import type { StopError } from '../../core/errors.ts';
import { type Account, describeKey } from './account.ts';

/** An account as programs are shown it. It says where the key is kept and never contains the key. */
export interface AccountView {
  readonly name: string;
  readonly vendor: Account['vendor'];
  readonly sandbox: boolean;
  readonly address: string | null;
  readonly region: string | null;
  readonly documentation: string | null;
  readonly organization: string | null;
  readonly project: string | null;
  readonly via: string | null;
  readonly connected_account: string | null;
  readonly dialect: string | null;
  readonly problem: { readonly message: string; readonly next: string } | null;
  readonly limits: Account['limits'];
  readonly budget: { readonly per_day: number | null; readonly per_month: number | null };
  readonly key: string;
}

/** @param problem what is wrong with its dialect. */
export function accountView(account: Account, problem: StopError | undefined): AccountView {
  return {
    name: account.name,
    vendor: account.vendor,
    sandbox: account.sandbox,
    address: account.baseUrl?.href ?? null,
    region: account.region ?? null,
    documentation: account.documentationUrl ?? null,
    organization: account.organizationId ?? null,
    project: account.projectId ?? null,
    via: account.via?.service ?? null,
    connected_account: account.via?.connectedAccount ?? null,
    dialect: account.dialectPath ?? null,
    problem: problem === undefined ? null : { message: problem.message, next: problem.next },
    limits: account.limits,
    budget: { per_day: account.budget.perDay ?? null, per_month: account.budget.perMonth ?? null },
    key: describeKey(account.key),
  };
}
