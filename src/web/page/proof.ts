/** What a server says that is asked for a proof that it is the one which let this tab in. */
export async function proofOf(nonce: string, proofKey: string): Promise<string> {
  const how = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytesOf(proofKey), how, false, ['sign']);
  return base64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(`rowonce-proof:${nonce}`))));
}

/** 256 random bits, which nobody was asked about before. */
export const newNonce = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

const bytesOf = (words: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(words);

function base64url(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
