import {
  ifValid,
  problemOfIdentifiers,
  problemOfStrings,
  type VendorOperation,
} from '../../src/sandbox/vendor.ts';

/** What no vendor publishes, and the generic "API Call" is tried with: a free change, and a free read. */

const shared = { vendor: 'provider', authorization: ['Bearer <key>'] } as const;
const TAG = ['domain', 'tag'];

export const OWN_CALLS: readonly VendorOperation[] = [
  {
    ...shared,
    name: 'apply-tag',
    method: 'POST',
    path: '/tags/apply',
    decide: ifValid(
      (body) => problemOfIdentifiers(body, TAG) ?? problemOfStrings(body, TAG),
      () => ({ status: 200, body: { applied: true }, credits: 0 }),
    ),
  },
  {
    ...shared,
    name: 'account-plan',
    method: 'GET',
    path: '/account/plan',
    decide: ifValid(
      (body) => problemOfStrings(body, []),
      () => ({ status: 200, body: { plan: 'Growth (sandbox)', seats: 5, region: 'AU' }, credits: 0 }),
    ),
  },
];
