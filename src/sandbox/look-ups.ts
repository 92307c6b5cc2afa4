import type { Registrar } from './registrar.ts';
import { refusal, type VendorOperation } from './vendor.ts';

/** The provider's free questions: what became of a request, and how many credits a key has used. */
export function lookUps(registrar: Registrar): readonly VendorOperation[] {
  const shared = {
    vendor: 'provider',
    method: 'GET',
    authorization: ['Bearer <key>'],
    isLookUp: true,
  } as const;
  return [
    {
      ...shared,
      name: 'read-back',
      path: '/requests/{idempotency_key}',
      decide: ({ account, segment }) => {
        const answered = registrar.answered(account, segment);
        if (answered === undefined) return refusal(404, 'unknown request');
        return { status: 200, credits: 0, body: { status: answered.status, answer: answered.body } };
      },
    },
    {
      ...shared,
      name: 'usage',
      path: '/usage',
      decide: ({ account }) => ({
        status: 200,
        credits: 0,
        body: { credits: registrar.creditsOf(account) },
      }),
    },
  ];
}
