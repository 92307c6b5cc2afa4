/**
 * Goal: a person is not removed because their address was damaged in the list, and the removal of others does not wait for
 * an address that cannot be theirs.
 * Method: the damage that lists have, each beside the address that was meant and beside those of others.
 */
import { expect, test } from 'vitest';
import { mayMeanEmail } from '../../src/values/email.ts';

test.each([
  ['al@@team', 'al@team.example'],
  ['nadia.haddad@@banksia.example', 'nadia.haddad@banksia.example'],
  ['nadia.haddad(at)banksia.example', 'nadia.haddad@banksia.example'],
  ['nadia haddad at banksia.example', 'nadia.haddad@banksia.example'],
  ['nadia.hadad@banksia,example', 'nadia.haddad@banksia.example'],
  ['Nadia Haddad <nadia@haddad>', 'nadia.haddad@banksia.example'],
  ['nadai.hadadd@@banksia.example', 'nadia.haddad@banksia.example'],
  ['nadia.haddad@', 'nadia.haddad@banksia.example'],
  ['nadia.haddad.banksia.example', 'nadia.haddad@banksia.example'],
  ['ann@t.example; bob@t.example', 'bob@t.example'],
  ['jo***@t.example', 'john.smith@t.example'],
  ['bbo@@t.example', 'bob@t.example'],
  ['j\ufffdrg.m\ufffdller@@t.example', 'jörg.müller@t.example'],
  ['joerg@@t.example', 'jörg@t.example'],
  ['аня@@t.example', 'anna@t.example'],
  ['bob+work@@t.example', 'bob@t.example'],
  ['x@@t.example', 'xavier@t.example'],
  // These name nobody, so that any person may be meant.
  ['', 'bob@t.example'],
  ['-', 'bob@t.example'],
  ['#N/A', 'bob@t.example'],
  ['***@t.example', 'bob@t.example'],
  ['Nadia Haddad', 'bob@t.example'],
  ['tbd', 'bob@t.example'],
  ['0412 345 678', 'bob@t.example'],
])('%j may mean %s', (cell, address) => expect(mayMeanEmail(cell, address)).toBe(true));

test.each([
  ['nadia.haddad@@banksia.example', 'tom.okoro@banksia.example'],
  ['nadia.haddad(at)banksia.example', 'ravi.singh@banksia.example'],
  ['elif at t.example', 'bob@t.example'],
  ['dev.patel@@t.example', 'grace.liu@t.example'],
  ['ann@t.example; bob@t.example', 'eve@t.example'],
])('%j cannot mean %s', (cell, address) => expect(mayMeanEmail(cell, address)).toBe(false));
