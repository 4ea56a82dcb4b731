import { expect, test } from 'vitest'
import { htmlText } from './html.ts'

test.each<[name: string, html: string, text: string]>([
  [
    'a page is read from its body',
    '<!doctype html><html><head><title>No</title><style>p > a {}</style><meta charset=utf-8></head><body><p>Yes</p></body></html>',
    'Yes',
  ],
  [
    'headings, items and captions become sentences',
    '<h1>A</h1><ul><li>b<li>c!</ul><figcaption>d</figcaption>',
    'A.\n\nb.\n\nc!\n\nd.',
  ],
  ['paragraphs stay as they are', '<p>One<p>Two, <em>three</em></p>four', 'One\n\nTwo, three\n\nfour'],
  ['lists within lists', '<ul><li>a<ul><li>b</li></ul></li><li><p>c</p></li></ul>', 'a.\n\nb.\n\nc.'],
  ['table rows are sentences', '<table><tr><th>A<th>B</tr><tr><td>1</td> <td>2</td></tr></table>', 'A, B.\n\n1, 2.'],
  [
    'code, drawings, players, controls and menus are silent',
    'a<pre>x</pre><svg><text>x</text></svg><video>x</video><button>x</button><nav>x</nav>b',
    'ab',
  ],
  ['inline code is read', 'Run <code>npm i</code>.', 'Run npm i.'],
  ['a drawing that closes itself ends there', 'a <svg viewBox="0 0 1 1"/> b', 'a b'],
  ['silent elements within themselves', 'a<nav>x<nav>y</nav>z</nav> b', 'a b'],
  ['hidden elements are silent', 'a<p hidden>x</p><a aria-hidden="true">#</a><img hidden alt=x>b', 'ab'],
  ['scripts end at their end tag only', 'a<script>if (a<b) "<p>x</p>"</script>b', 'ab'],
  ['a script that never ends', 'a<script>x', 'a'],
  [
    'images are their alternative text',
    `<img src=a.png alt='a "cat" &amp; dog'><img alt><img src="alt">`,
    'a "cat" & dog',
  ],
  ['quotes in tags may hold what ends them', '<a title="a > b">c</a>', 'c'],
  ['comments are silent', 'a<!-- <p>x</p> -->b<!-- open', 'ab'],
  ['a smaller-than sign is text', '1 < 2 and a<b', '1 < 2 and a<b'],
  ['white space is one space', ' a\n\t b&nbsp;&nbsp;c<br>d\u00AD\u200Be ', 'a b c de'],
])('%s', (_, html, text) => {
  expect(htmlText(html)).toBe(text)
})
