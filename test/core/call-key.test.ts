import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { callKeyOf } from '../../src/core/call-key.ts';
import type { Change } from '../../src/core/membership.ts';
import type { Call } from '../../src/core/operation.ts';

/**
 * Goal: what was bought by an older version of Rowonce is still known as bought, and two calls share an answer only when
 * they ask the same of the same account.
 * Method: frozen vectors, with the hashed text beside each so that anybody can check one with `sha256sum`.
 */

interface Vector {
  readonly about: string;
  readonly account: string;
  readonly call: Call;
  readonly text: string;
  readonly key: string;
}

/** Never edit a vector. A change here means that every user pays for every row again. */
const FROZEN: readonly Vector[] = [
  {
    about: 'one identifier',
    account: 'acct-1',
    call: { operation: 'enrich-company', parameters: { abn: '51824753556' }, ifLost: 'hold' },
    text: '["rowonce-call-1","acct-1","enrich-company",null,{"abn":"51824753556"},null]',
    key: 'b1be8d7e1d72c402692b4b12923547390c4466d780408bae34a3f5c76f6208a3',
  },
  {
    about: 'names of parameters in code-unit order',
    account: 'acct-1',
    call: {
      operation: 'enrich-company',
      parameters: { domain: 'acme.org.au', abn: '51824753556' },
      ifLost: 'hold',
    },
    text: '["rowonce-call-1","acct-1","enrich-company",null,{"abn":"51824753556","domain":"acme.org.au"},null]',
    key: 'b90d299a9d56f5578528727f4fdffd4e1f555926165dae34cc13edc3446ef9db',
  },
  {
    about: 'letters of every script, as UTF-8',
    account: 'acct-1',
    call: { operation: 'enrich-person', parameters: { profile_slug: 'josé-例え-🦘' }, ifLost: 'hold' },
    text: '["rowonce-call-1","acct-1","enrich-person",null,{"profile_slug":"josé-例え-🦘"},null]',
    key: 'f523c0df21da9dc11a3dc7309b2606f444e36b6e6e177aacca879d4c27b11900',
  },
  {
    about: 'a profile by its URL, which is known by its slug',
    account: 'acct-1',
    call: {
      operation: 'enrich-person',
      parameters: { profile_url: 'https://www.linkedin.com/in/jo-citizen' },
      ifLost: 'hold',
    },
    text: '["rowonce-call-1","acct-1","enrich-person",null,{"profile_slug":"jo-citizen"},null]',
    key: 'ae546bfcdac9eed40b81f49e3bade2cdae0c7ddec11dc241873ce98730d163a7',
  },
  {
    about: 'a profile at another network',
    account: 'acct-1',
    call: {
      operation: 'enrich-person',
      parameters: { profile_url: 'https://www.xing.com/profile/Jo_Citizen' },
      ifLost: 'hold',
    },
    text: '["rowonce-call-1","acct-1","enrich-person",null,{"profile_url":"https://www.xing.com/profile/Jo_Citizen"},null]',
    key: 'e149086b9c8b0d6cbe9e934fe337374e35961b37f37b9cced0ef36f952723173',
  },
  {
    about: 'nested values, escapes, a line separator',
    account: 'acct-1',
    call: {
      operation: 'api-call',
      parameters: {
        endpoint: '/v1/search',
        body: { tags: ['b', 'a', null], É: 0.5, z: { Z: 1, a: true }, text: '"\\\n\u2028' },
      },
      ifLost: { repeat: 'harmless' },
    },
    text:
      '["rowonce-call-1","acct-1","api-call",null,{"body":{"tags":["b","a",null],' +
      '"text":"\\"\\\\\\n\u2028","z":{"Z":1,"a":true},"É":0.5},"endpoint":"/v1/search"},null]',
    key: 'b438b0d01cd9b82d64dfa955cd9596d1572e1a5d74a3a74ae4c76515bbb4056b',
  },
  {
    about: 'what was found, taken by its id',
    account: 'acct-1',
    call: { operation: 'find-email', parameters: { id: '34d633b7-41ea' }, ifLost: 'hold' },
    text: '["rowonce-call-1","acct-1","find-email",null,{"id":"34d633b7-41ea"},null]',
    key: 'b97a7f7a98b4687060650b1377d333f7d46a33b3f61990b604934810530d1afc',
  },
  {
    about: 'a project',
    account: 'acct-1',
    call: {
      operation: 'invite-user',
      parameters: { email: 'jo@example.org', role: 'editor' },
      project: 'proj-1',
      ifLost: 'hold',
    },
    text: '["rowonce-call-1","acct-1","invite-user","proj-1",{"email":"jo@example.org","role":"editor"},null]',
    key: '8ce9292f769e0a87b7a70efe22f8da32e8ef7e57c14ae732a0a4712d9bcf10dc',
  },
  {
    about: 'a change after nothing',
    account: 'acct-1',
    call: {
      operation: 'invite-user',
      parameters: { email: 'jo@example.org', role: 'editor' },
      project: 'proj-1',
      after: 0,
      ifLost: 'hold',
    },
    text: '["rowonce-call-1","acct-1","invite-user","proj-1",{"email":"jo@example.org","role":"editor"},0]',
    key: 'b595e2a3a5cf06966227bd1c33e9c7a39272f317260fa87f7ef5f3889df39364',
  },
  {
    about: 'the same change after another one',
    account: 'acct-1',
    call: {
      operation: 'invite-user',
      parameters: { email: 'jo@example.org', role: 'editor' },
      project: 'proj-1',
      after: 41,
      ifLost: 'hold',
    },
    text: '["rowonce-call-1","acct-1","invite-user","proj-1",{"email":"jo@example.org","role":"editor"},41]',
    key: 'cb95863f7ea1cd87e0e020684ac90de047ee1e9e8f65ff9ab9990712255fffeb',
  },
  {
    about: 'a change of a subject',
    account: 'acct-1',
    call: {
      operation: 'create-invite',
      parameters: { email: 'jo@example.org', role: 'editor' },
      project: 'proj-1',
      after: 41,
      change: {
        subject: { project: 'proj-1', name: 'jo@example.org' },
        leaves: { state: 'invited', role: 'editor' },
      },
      ifLost: 'hold',
    },
    text:
      '["rowonce-call-1","acct-1","create-invite","proj-1",{"email":"jo@example.org","role":"editor"},41,' +
      '"proj-1\\njo@example.org"]',
    key: 'c80d89857fe613965519f8f680002ad4787a4e2774f3b9c393d96b8a7690e133',
  },
  {
    about: 'no parameters, no project, and an account of another name',
    account: 'acct-ü',
    call: {
      operation: 'remove-user',
      parameters: {},
      after: 7,
      ifLost: { repeat: 'a user can only be removed once' },
    },
    text: '["rowonce-call-1","acct-ü","remove-user",null,{},7]',
    key: '0c5edfc9debfc09b5e3f60d0ce52f31542d3da3282c9acc710f785e5a71e5d7a',
  },
];

describe('frozen vectors', () => {
  test.each(FROZEN)('$about', ({ account, call, text, key }) => {
    expect(callKeyOf(account, call)).toBe(key);
    expect(createHash('sha256').update(text, 'utf8').digest('hex')).toBe(key);
  });

  test('a profile has one key, whatever letters its slug has and however it came', () => {
    const by = (parameters: Call['parameters']): string =>
      callKeyOf('acct-1', { operation: 'enrich-person', parameters, ifLost: 'hold' });
    const slug = 'josé+r&d';
    const url = `https://www.linkedin.com/in/${encodeURIComponent(slug)}`;
    expect(by({ profile_url: url })).toBe(by({ profile_slug: slug }));
    expect(by({ profile_url: url, profile_slug: slug })).toBe(by({ profile_slug: slug }));
    expect(by({ profile_url: url, profile_slug: 'flo' })).not.toBe(by({ profile_slug: slug }));
  });
});

const changeOf = (name: string): Change => ({
  subject: { project: 'p', name },
  leaves: { state: 'invited', role: 'viewer' },
});

describe('two calls share a key', () => {
  const call: Call = {
    operation: 'invite-user',
    parameters: { email: 'jo@example.org' },
    project: 'p',
    after: 3,
    change: changeOf('jo@example.org'),
    ifLost: 'hold',
  };

  test.each<readonly [string, string, Call]>([
    ['account', 'b', call],
    ['operation', 'a', { ...call, operation: 'delete-invite' }],
    ['project', 'a', { ...call, project: 'q' }],
    ['parameter', 'a', { ...call, parameters: { email: 'jo@example.com' } }],
    ['parameter name', 'a', { ...call, parameters: { mail: 'jo@example.org' } }],
    ['preceding change', 'a', { ...call, after: 4 }],
    ['subject', 'a', { ...call, change: changeOf('user:u1') }],
  ])('two calls never share a key when the %s differs', (_, account, other) => {
    expect(callKeyOf(account, other)).not.toBe(callKeyOf('a', call));
  });
});
