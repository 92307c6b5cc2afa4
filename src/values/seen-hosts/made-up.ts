/**
 * Hosts that stand for none, in forms and templates. Behind `#` stands where the hosts below it were seen.
 */
export const MADE_UP = `
  # templates of CRMs, and forms that want a website from those who have none
  yourdomain.* yourcompany.* yourwebsite.* mywebsite.com nowebsite.* none.com
  nosite.com noemail.com none.com.au na.com test.com website.com nowebsite.com
`;

/** Hosts for samples (RFC 2606). Those below one are the companies of a sample: `acme.example.com`. */
export const SAMPLES = 'example.com example.net example.org';
