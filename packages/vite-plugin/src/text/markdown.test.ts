import { describe, expect, test } from 'vitest'
import { markdownText } from './markdown.ts'

describe('blocks', () => {
  test.each<[name: string, markdown: string, text: string]>([
    ['front matter in YAML is dropped', '---\ntitle: x\n---\nText', 'Text'],
    ['empty front matter too', '---\n---\nText', 'Text'],
    ['front matter in TOML is dropped', '+++\ntitle = "x"\n+++\nText', 'Text'],
    ['a rule further down is no front matter', 'One\n\n---\n\nTwo\n\n---\n', 'One\n\nTwo'],
    ['headings end with a full stop', '# One\n## Two ##\n### Three {#id}\nText', 'One.\n\nTwo.\n\nThree.\n\nText'],
    ['headings that end otherwise keep their end', '# Why?\n# *Because!*\n# "So."', 'Why?\n\nBecause!\n\n"So."'],
    ['underlined headings', 'One\n===\nTwo\n---\nText', 'One.\n\nTwo.\n\nText'],
    ['no heading without a space', '#tag', '#tag'],
    ['lines of a paragraph belong together', 'One\ntwo  \nthree\\\nfour', 'One two three four'],
    ['fenced code is dropped', 'One\n```ts\nx\n\n# y\n```\nTwo', 'One\n\nTwo'],
    ['a longer fence holds a shorter one', '````\n```\nx\n````\nText', 'Text'],
    ['tildes are fences too', '~~~ `\nx\n```\n~~~\nText', 'Text'],
    ['an open fence goes on to the end', 'Text\n```\nx\n', 'Text'],
    ['indented code is dropped', 'One\n\n    code\n\tcode\n\nTwo', 'One\n\nTwo'],
    ['an indented line within a paragraph is text', 'One\n    two', 'One two'],
    [
      'list items are sentences',
      '- one\n* two!\n+ three\n1. four\n2) five',
      'one.\n\ntwo!\n\nthree.\n\nfour.\n\nfive.',
    ],
    ['lists within lists', '- one\n  - two\n    1. three\n- four', 'one.\n\ntwo.\n\nthree.\n\nfour.'],
    ['lists on one line', '- 1. one', 'one.'],
    ['paragraphs of an item', '- one\n  more\n\n  two\n\nText', 'one more.\n\ntwo\n\nText'],
    ['code of an item is dropped', '- one\n\n  ```\n  x\n  ```\n\n      y\n\n  two', 'one.\n\ntwo'],
    ['task boxes are not read', '- [x] done\n- [ ] open', 'done.\n\nopen.'],
    ['brackets in a paragraph are no task box', '[x] marks the spot', '[x] marks the spot'],
    ['a number within a paragraph is prose', 'It was\n1984. A year.', 'It was 1984. A year.'],
    ['quotes are read', '> one\n> two\n>\n> three\n\nText', 'one two\n\nthree\n\nText'],
    ['code in quotes is dropped, and ends with the quote', '> ```\n> x\n\nText', 'Text'],
    ['kinds of notes are not read', '> [!NOTE]\n> Mind the gap.', 'Mind the gap.'],
    ['containers are not read, their content is', '::: tip Hint\nText\n:::\n[[toc]]', 'Text'],
    ['rules are silent', 'One\n\n* * *\n\n___\nTwo', 'One\n\nTwo'],
    [
      'tables are read row by row',
      '| A | B |\n|---|:-:|\n| 1 | 2 \\| 3 |\n| 4 | |\n\nText',
      'A, B.\n\n1, 2 | 3.\n\n4.\n\nText',
    ],
    ['a bar alone makes no table', 'One | two\nthree', 'One | two three'],
    ['definitions are dropped', '[a]: https://x.example "t"\nText', 'Text'],
    [
      'footnotes are dropped with all their paragraphs',
      'One[^1].\n\n[^1]: Note\n  goes on.\n\n    And on.\n\nTwo',
      'One.\n\nTwo',
    ],
    [
      'HTML that runs over empty lines is dropped',
      '<script>\nx\n\ny\n</script>\nOne\n\n<!-- a\n\nb -->\nTwo',
      'One\n\nTwo',
    ],
    ['HTML around Markdown is stripped', '<div class="a">\n\n*One*\n\n</div>', 'One'],
    ['nothing is nothing', '---\na: b\n---\n\n```\nx\n```\n<!-- x -->\n', ''],
  ])('%s', (_, markdown, text) => {
    expect(markdownText(markdown)).toBe(text)
  })
})

describe('inline', () => {
  test.each<[name: string, markdown: string, text: string]>([
    ['emphasis', '*a* **b** ***c*** _d_ __e__ ~~f~~ **g *h* i**', 'a b c d e f g h i'],
    ['marks that are no emphasis', '2 * 3 * 4, snake_case_name, a ** b', '2 * 3 * 4, snake_case_name, a ** b'],
    ['links are their text', 'See [the *docs*](https://x.example/a_(b) "Title").', 'See the docs.'],
    ['an address in angle brackets', '[a](<b c>)', 'a'],
    ['links by reference', '[a][1] [b][] [c]\n\n[1]: x\n[B]: <y>\n[c]: z', 'a b c'],
    ['brackets that refer to nothing stay', 'Array[0] and [sic] [a][b]', 'Array[0] and [sic] [a][b]'],
    ['pause markers stay', 'One. [pause 1.5s] Two.', 'One. [pause 1.5s] Two.'],
    ['images are their alternative text', '![a *cat*](cat.png "t") ![dog][1] ![](x.png)', 'a cat dog'],
    ['an image in a link', '[![Build](b.svg)](https://x.example)', 'Build'],
    ['footnote marks are not read', 'One[^1] two[^note].', 'One two.'],
    [
      'inline code is read as it stands',
      'Run `npm i *x*` and ``a ` b`` or `&amp;`',
      'Run npm i *x* and a ` b or &amp;',
    ],
    ['stray backticks stay', 'a ` b', 'a ` b'],
    ['escapes', String.raw`\*a\* \[b\](c) \# \< \\ \a`, String.raw`*a* [b](c) # < \ \a`],
    [
      'addresses in angle brackets lose their scheme',
      '<https://x.example/a_b_c> <me@x.example>',
      'x.example/a_b_c me@x.example',
    ],
    [
      'tags are stripped, line breaks are spaces',
      'a<br>b <b class="x">c</b> <img alt="d" src=x> a < b',
      'a b c d a < b',
    ],
    [
      'entities are decoded',
      '&amp; &eacute; &#233; &#xE9; &nbsp;&hellip; &unknown; &#0;',
      '& é é é … &unknown; \uFFFD',
    ],
    ['a source with protected characters', '\uE0000\uE001 `a`', '0 a'],
  ])('%s', (_, markdown, text) => {
    expect(markdownText(markdown)).toBe(text)
  })
})

test('text in other scripts is kept', () => {
  expect(markdownText('# 見出し\n\n**太字**。\n\n# 終わり。')).toBe('見出し.\n\n太字。\n\n終わり。')
})
