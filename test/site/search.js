// The search of the site: the index was made when the site was built, so a page that is opened from a disk finds as well.
const search = MiniSearch.loadJS(INDEX, { fields: ['title', 'text'], storeFields: ['title', 'page'] });
const box = document.querySelector('nav input');
const hits = document.querySelector('.hits');
const { root } = document.body.dataset;

/** A task is what most people look for; what is made of the source names every word many times. */
const weightOf = (id) =>
  /^docs\/guide\//.test(id) ? 3 : /^docs\/(api|api-http|json|internals)\b/.test(id) ? 0.3 : 1;

// A narrow screen would begin with the names of all pages of the group.
if (matchMedia('(max-width: 50rem)').matches)
  for (const group of document.querySelectorAll('nav details')) group.open = false;

const HOW = { prefix: true, fuzzy: 0.2, boost: { title: 3 }, boostDocument: weightOf };
box.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') hits.querySelector('a')?.click();
});
box.addEventListener('input', () => {
  const words = box.value.trim();
  const found = words === '' ? [] : search.search(words, HOW);
  hits.replaceChildren(
    ...found.slice(0, 12).map(({ id, title, page }) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = `${root}/${id}`;
      link.textContent = title === page ? title : `${page}: ${title}`;
      item.append(link);
      return item;
    }),
  );
});
