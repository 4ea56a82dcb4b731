import { expect, test } from 'vitest'
import { readMarkdown } from './markdown/read-markdown.ts'
import { readHtml } from './html.ts'

test.each([
  ['a page', '<!doctype html><html lang=fr><head><title>T</title><style>p{}</style></head><body><p>Oui</p>', 'Oui'],
  ['a hidden item without an end tag', '<ul><li hidden>x<span>y<li>b<li>c!</ul>', 'b.\n\nc!'],
  [
    'open and closed details',
    '<details open><summary>A</summary>b</details><details><summary>C</summary>d</details>',
    'A.\n\nb\n\nC.\n\nd',
  ],
  ['entities', 'Caf&eacute; &hellip; &amp &#x26; &nope;', 'Café … & & &nope;'],
  ['paragraphs without end tags', '<p>a<p>b<div>c</div>d', 'a\n\nb\n\nc\n\nd'],
  [
    'table cells',
    '<table><caption>T<tr><th>A<th>B<tr><td><p>1</p><td>2!<tr><td>3<td></table>',
    'T.\n\nA, B.\n\n1, 2!\n\n3.',
  ],
  [
    'menus, controls, drawings and code',
    'a <nav>x</nav><button>x</button><svg><title>x</title><text>x</text></svg><pre>x</pre>b',
    'a\n\nb',
  ],
  ['hidden elements', 'a <p hidden>x</p><i aria-hidden=true>x</i><b style="display: none">x</b>c', 'a\n\nc'],
  ['images', '<img src=a.png alt="A &amp; B">c<img alt=d>!', 'A & B c d!'],
  ['line breaks', 'a<br>b<br/>\n c', 'a\nb\nc'],
  ['footnote marks', 'a<sup class="reference"><a href="#n">[1]</a></sup>.<section class="footnotes">x</section>', 'a.'],
  ['a script without an end', 'a<script>x', 'a'],
  ['ruby', '<ruby>漢<rp>(</rp><rt>kan</rt></ruby>字', '漢字'],
  ['numbers of lists', '<ol start=3><li>a<li value=7>b</ol>', '3. a.\n\n7. b.'],
  ['formulas', 'a \\(x\\) b $$y^2$$ c', 'a x b y² c'],
  [
    'templates',
    '<p>Hi {{ name }}, {% if a %}yes{% endif %} {#if b}too{/if}.</p><code>{{ x }}</code>',
    'Hi, yes too.\n\n{{ x }}',
  ],
])('%s', (_, html, text) => {
  expect(readHtml(html).text).toBe(text)
})

test('a page has a title, a language, ids and lines', () => {
  const html = '<html lang="de">\n<title>Seite</title>\n<h2 id="a">Eins</h2>\n<p>\n  Zwei'
  expect(readHtml(html)).toMatchObject({
    title: 'Seite',
    language: 'de',
    blocks: [
      { kind: 'heading', level: 2, text: 'Eins.', id: 'a', line: 3 },
      { kind: 'paragraph', text: 'Zwei', line: 5 },
    ],
  })
})

test('select reads a part of the page', () => {
  const html = '<header>x</header><article data-narrate><p>a</p></article><footer>x</footer>'
  expect(readHtml(html, { select: (_, attributes) => attributes['data-narrate'] !== undefined }).text).toBe('a')
})

test('Markdown and its HTML are read as the same text', () => {
  const markdown = '# A\n\nb *c* https://x.org/y 🎉\n\n1. d\n2. e\n\n> f\n\n| g | h |\n|---|---|\n| i | j |'
  const html =
    '<h1>A</h1><p>b <em>c</em> https://x.org/y 🎉</p><ol><li>d</li><li>e</li></ol><blockquote><p>f</p></blockquote>' +
    '<table><thead><tr><th>g</th><th>h</th></tr></thead><tbody><tr><td>i</td><td>j</td></tr></tbody></table>'
  expect(readHtml(html).text).toBe(readMarkdown(markdown).text)
})
