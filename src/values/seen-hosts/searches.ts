/**
 * Searches, which are the page of no company and of no person. Behind `#` stands where the hosts below it
 * were seen.
 */
export const SEARCHES = `
  # a search that was copied in the place of what it would find
  google.*/search google.*/imgres google.*/amp google.*/aclk bing.com/search bing.com/ck duckduckgo.com
  search.yahoo.com baidu.com/s baidu.com/link yandex.*/search ecosia.org/search startpage.com
  search.brave.com search.naver.com so.com/s sogou.com/web qwant.com perplexity.ai/search chatgpt.com
  google.*/webhp scholar.google.*/scholar news.google.com facebook.com/search x.com/search twitter.com/search
  linkedin.com/search instagram.com/explore tiktok.com/search reddit.com/search github.com/search
  youtube.com/results xing.com/search crunchbase.com/discover zoominfo.com/people-search
  zoominfo.com/companies-search yahoo.*/search
`;
