/** Hosts that stand for none, in forms and templates. Behind `#` stands where the hosts below it were seen. */
export const MADE_UP = `
  # templates of CRMs, and forms that want a website from those who have none
  yourdomain.* yourcompany.* yourwebsite.* mywebsite.com nowebsite.* none.com
  nosite.com noemail.com
`;
