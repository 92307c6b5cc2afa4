import { basename, extname } from 'node:path';
import { stop, unreachable } from '../core/errors.ts';
import type { Knowledge } from './knowledge.ts';
import { type ProviderDialect, publishedProvider } from './provider.ts';
import { restGetProvider } from './rest-get.ts';
import { Service } from './service.ts';
import type { ServiceState } from './service-state.ts';
import type { VendorOperation } from './vendor.ts';

/**
 * The dialects in which the sandbox can be spoken to. Each alters one of the vendors, and the other is as published:
 * `rest-get` the provider, `lists` the service, `provider` neither.
 */
const DIALECTS = ['provider', 'rest-get', 'lists'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** Takes a name, or the path of a file that is called so. A StopError (usage) for anything else. */
export function dialectNamed(text: string): DialectName {
  const name = basename(text, extname(text));
  const known = DIALECTS.find((dialect) => dialect === name);
  if (known !== undefined) return known;
  throw stop(
    'usage',
    `The sandbox does not speak "${text}".`,
    `Name one of ${DIALECTS.join(', ')}, or a file that is called so.`,
  );
}

export function providerIn(dialect: DialectName, knowledge: Knowledge): ProviderDialect {
  switch (dialect) {
    case 'provider':
    case 'lists':
      return publishedProvider(knowledge);
    case 'rest-get':
      return restGetProvider(knowledge);
    default:
      return unreachable(dialect);
  }
}

export function serviceIn(dialect: DialectName, state: ServiceState): readonly VendorOperation[] {
  return new Service(state, dialect === 'lists').operations();
}
