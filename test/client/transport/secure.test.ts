import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { proxyFor } from '../../../src/client/connector.ts';
import { type Ended, rowonce } from '../../cli/rowonce.ts';
import { some } from '../../support/combinations.ts';
import { CERTIFICATE } from './certificate.ts';
import { ask, said, transportTo } from './raw-vendor.ts';
import { proxyTo, type SecureVendor, secureVendor } from './secure-vendor.ts';

/*
 * Goal: the key goes to no one whose certificate is not good, whatever the environment says; a proxy of the environment is
 * passed through, and with it everything is as without: sent once, not sent before the vendor is reached, whose words are
 * whose (protocol, rules 7 and 9).
 * Method: a vendor with a certificate and a proxy, both on real sockets with records of their own; the transport alone,
 * and the real command.
 */

const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];

/** What the tester has set is nothing to these tests. */
function environment(values: Readonly<Record<string, string>>): void {
  for (const name of PROXY_VARIABLES) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);
}

afterEach(() => void vi.unstubAllEnvs());

function believeCertificate(): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, CERTIFICATE]);
  onTestFinished(() => setDefaultCACertificates(before));
}

const originOf = ({ port }: SecureVendor, host = 'vendor.example'): string => `https://${host}:${port}`;

/** A run over three rows, on an account that leads there. */
async function run(baseUrl: string, env: Readonly<Record<string, string>>, words?: string[]): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-secure-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  const account = { vendor: 'provider', base_url: baseUrl, key: 'key-1', limits: { per_second: 1000 } };
  writeFileSync(path('accounts.yaml'), JSON.stringify({ accounts: { data: account } }), { mode: 0o600 });
  writeFileSync(path('leads.csv'), 'Domain\na.example\nb.example\nc.example\n');
  writeFileSync(path('authority.pem'), CERTIFICATE);
  const all = { ROWONCE_CONFIG: folder, ROWONCE_STORE: path('store'), ...env };
  const withAuthority =
    env.NODE_EXTRA_CA_CERTS === undefined ? all : { ...all, NODE_EXTRA_CA_CERTS: path('authority.pem') };
  const typed = words ?? ['run', 'enrich-company', path('leads.csv'), '--budget', '9'];
  return rowonce(typed, { env: withAuthority, cwd: folder });
}

describe('a certificate that no authority vouches for', () => {
  test('such a certificate stops the first run with what to do, also with NODE_TLS_REJECT_UNAUTHORIZED=0, and `accounts test`', async () => {
    const vendor = await secureVendor();
    const { code, stderr } = await run(originOf(vendor, 'localhost'), { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/cannot be reached: .*certificate.*\n.*NODE_EXTRA_CA_CERTS/),
    ]);
    const tested = await run(originOf(vendor, 'localhost'), {}, ['accounts', 'test']);
    expect([tested.code, tested.stderr]).toEqual([
      2,
      expect.stringContaining('cannot be reached: self-signed'),
    ]);
    expect(vendor.requests).toEqual([]);
  });
});

describe('which proxy', () => {
  const vendor = new URL('https://api.vendor.example/v1');
  const proxy = 'http://proxy.example:3128';

  test.each([
    [{ HTTPS_PROXY: proxy }, 'HTTPS_PROXY'],
    [{ https_proxy: proxy, HTTPS_PROXY: 'http://other:1' }, 'https_proxy'],
    [{ https_proxy: '', HTTPS_PROXY: proxy }, 'HTTPS_PROXY'],
    [{ https_proxy: 'proxy.example:3128' }, 'https_proxy'],
    [{ HTTPS_PROXY: proxy, NO_PROXY: 'other.example, example.org,api' }, 'HTTPS_PROXY'],
    [{ HTTPS_PROXY: proxy, NO_PROXY: 'api.vendor.example:8443' }, 'HTTPS_PROXY'],
    [{ HTTPS_PROXY: proxy, NO_PROXY: 'r.example' }, 'HTTPS_PROXY'],
  ])('%o: that of %s', (env, variable) => {
    expect(proxyFor(vendor, env)).toMatchObject({ variable, url: { host: 'proxy.example:3128' } });
  });

  const EXCEPTED = ['*', 'vendor.example', '.vendor.example', '*.vendor.example', 'a,API.VENDOR.EXAMPLE:443'];

  test.each<Readonly<Record<string, string>>>([
    {},
    { HTTP_PROXY: proxy, http_proxy: proxy },
    ...EXCEPTED.map((NO_PROXY) => ({ HTTPS_PROXY: proxy, NO_PROXY })),
    { HTTPS_PROXY: proxy, NO_PROXY: 'other.example', no_proxy: 'vendor.example' },
  ])('%o: none', (env) => {
    expect(proxyFor(vendor, env)).toBeUndefined();
  });

  test.each([
    ['socks5://proxy.example:1080', 'a proxy that speaks socks5'],
    ['http://', 'no address'],
    ['http://me:100%@proxy.example', 'no address'],
    ['http://me:12/secret@proxy.example', 'no address'],
    ['me:12#secret@proxy.example:3128', 'no address'],
  ])('%s is refused aloud, with the two ways to go on', (HTTPS_PROXY, what) => {
    expect(() => proxyFor(vendor, { HTTPS_PROXY })).toThrow(
      expect.objectContaining({
        code: 'address',
        message: `HTTPS_PROXY names ${what}, so api.vendor.example cannot be reached through it.`,
        next: 'Name a proxy that begins with http:// or https://, or put api.vendor.example into NO_PROXY.',
      }),
    );
  });
});

describe('through a proxy', () => {
  test.each(some([false, true], 1))(
    'requests are answered one after the other over one tunnel (TLS to it: %s)',
    async (secure) => {
      believeCertificate();
      const vendor = await secureVendor();
      const proxy = await proxyTo(vendor.port, { secure });
      environment({ HTTPS_PROXY: `${secure ? 'https' : 'http'}://me:p%40ss@${proxy.host}` });
      const transport = transportTo({ origin: originOf(vendor) });
      for (const body of ['one', 'two', 'three']) expect(said(await ask(transport, body))).toBe(`to ${body}`);
      const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
      expect(proxy.tunnels).toEqual([{ target: `vendor.example:${vendor.port}`, authorization }]);
      expect(vendor.connections.size).toBe(1);
      // The proxy's password is none of the vendor's business.
      expect(vendor.requests.map(({ headers }) => headers['proxy-authorization'])).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    },
  );

  test('a proxy that reads along has a certificate of its own, which is refused', async () => {
    const vendor = await secureVendor();
    const proxy = await proxyTo(vendor.port);
    environment({ HTTPS_PROXY: `http://${proxy.host}` });
    const transport = transportTo({ origin: originOf(vendor) });
    expect(await ask(transport)).toMatchObject({ kind: 'not_sent', cause: 'certificate' });
    expect(vendor.requests).toEqual([]);
  });

  test.each(
    some(
      [
        [407, 'proxy'],
        [403, 'proxy'],
        [502, 'unreachable'],
        [503, 'unreachable'],
      ],
      2,
    ),
  )('a proxy’s own answer with status %d is never the vendor’s: nothing was sent', async (status, cause) => {
    const vendor = await secureVendor();
    const proxy = await proxyTo(vendor.port, { status });
    environment({ HTTPS_PROXY: `http://me:secret@${proxy.host}` });
    const transport = transportTo({ origin: originOf(vendor) });
    expect(await ask(transport)).toEqual({
      kind: 'not_sent',
      cause,
      message: `the proxy ${proxy.host} of HTTPS_PROXY answers CONNECT vendor.example:${vendor.port} with status ${status}`,
    });
    expect(vendor.requests).toEqual([]);
  });

  test('a tunnel that breaks under a request puts it in doubt, and it is not sent again', async () => {
    believeCertificate();
    const vendor = await secureVendor(() => proxy.cut());
    const proxy = await proxyTo(vendor.port);
    environment({ HTTPS_PROXY: `http://${proxy.host}` });
    const transport = transportTo({ origin: originOf(vendor) });
    expect(await ask(transport)).toMatchObject({ kind: 'lost' });
    expect(vendor.requests).toHaveLength(1);
  });

  test('one that wants a password stops the run before anything is sent, and no password is shown', async () => {
    const vendor = await secureVendor();
    const proxy = await proxyTo(vendor.port, { status: 407 });
    const env = { https_proxy: `http://me:hunter2@${proxy.host}`, NODE_EXTRA_CA_CERTS: 'yes' };
    const { code, stderr, stdout } = await run(originOf(vendor), env);
    expect(code).toBe(2);
    expect(stderr).toContain(`the proxy ${proxy.host} of https_proxy answers CONNECT`);
    expect(stderr).toContain('NO_PROXY');
    expect(stderr + stdout).not.toContain('hunter2');
    expect(vendor.requests).toEqual([]);
  });
});
