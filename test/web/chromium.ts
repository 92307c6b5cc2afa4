import chromium from '@sparticuz/chromium';
import { type Browser, chromium as launcher } from 'playwright-core';

/**
 * A real browser. Its flags are our own: those that come with the package switch the same-origin policy off, which is what
 * half of the page's safety stands on.
 */

const FLAGS = [
  '--no-sandbox',
  '--headless=new',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-quic',
];

export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  return launcher.launch({ executablePath: await chromium.executablePath(), args: [...FLAGS, ...flags] });
}
