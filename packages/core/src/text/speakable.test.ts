import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { speakable } from './speakable.ts'

describe('Markdown', () => {
  test.each([
    ['headings', '# One\n\n## Two ##\ntext\n#hashtag # 7', 'One\n\nTwo\ntext\n#hashtag # 7'],
    ['underlined headings', 'One\n===\nTwo\n---\ntext', 'One\nTwo\ntext'],
    ['lines across the page', 'a\n\n***\n\n- - -\n\nb', 'a\n\n\n\nb'],
    ['lists', '- a\n  * b\n+ c\n1. d\n2) e', 'a\nb\nc\n1. d\n2) e'],
    ['tasks', '- [ ] open\n- [x] done', 'open\ndone'],
    ['quotations', '> a\n> > b\nc', 'a\nb\nc'],
    ['emphasis', '*a* **b** ***c*** _d_ __e__ ~~f~~ (*g*), **h**i', 'a b c d e f (g), hi'],
    ['emphasis in text without spaces', '这是**重点**和*内容*。', '这是重点和内容。'],
    ['emphasis over a line end', '**a\nb** *c\n\nd*', 'a\nb *c\n\nd*'],
    ['links', '[a](http://x.y "t") [b](<u v>) [c]() [**d**](x(1)y) [e](/f \'t\')', 'a b c d e'],
    ['reference links', '[a][1] [b][] [b] [c]\n\n[1]: http://x.y\n[B]: /z "t"', 'a b b [c]\n\n'],
    ['images', '![a cat](c.png) and ![](d.png)!', 'a cat and!'],
    ['linked images', '[![logo](l.png)](http://x.y) here', 'logo here'],
    ['footnotes', 'Text[^1] goes on.\n\n[^1]: The note.', 'Text goes on.\n\nThe note.'],
    ['tables', '| A | B |\n|:--|--:|\n| 1 \\| 2 | **x** |\n| | y |\n\nend', 'A, B\n1 | 2, x\ny\n\nend'],
    ['escapes', '\\*a\\* 1\\. \\\\ C:\\dir a\\\nb', '*a* 1. \\ C:\\dir a\nb'],
    ['tags', 'a <b>c</b> <a href="x">d</a><br>e<br/>\nf <p class=x>g</p>', 'a c d\ne\nf \ng'],
    ['comments', 'a <!-- b\nc --> d\n\n<!-- e\n\nf -->\ng', 'a d\n\ng'],
    ['scripts', 'a <script>x < 1</script> b <style>c</style>', 'a b'],
    ['character references', 'A&amp;B &lt;c&gt; &#65;&#x42; &nope; &amp', 'A&B <c> AB &nope; &amp'],
    ['line ends of Windows', '# a\r\n\r\n- b\r\n- **c**\r\n', 'a\r\n\r\nb\r\nc\r\n'],
  ])('%s', (_, text, spoken) => {
    expect(speakable(text)).toBe(spoken)
  })
})

describe('code', () => {
  const text = 'Before:\n```js\nlet **a** = `b`\n\n# c\n```\nAfter `d*e*` and ``f ` g``.'

  test('in blocks is left out, in a sentence it is read as it stands', () => {
    expect(speakable(text)).toBe('Before:\nAfter d*e* and f ` g.')
  })

  test('can be read or left out', () => {
    expect(speakable(text, { codeBlocks: 'read', inlineCode: 'skip' })).toBe(
      'Before:\nlet **a** = `b`\n\n# c\nAfter and.',
    )
  })

  test.each([
    ['~~~\na\n```\n~~~~\nb', 'b'],
    ['````\n```\na\n````\nb', 'b'],
    ['  ```\n  a\n  ```\nb', 'b'],
    ['> ```\n> a\n> ```\n> b', 'b'],
    ['a\n```\nnever closed', 'a\n'],
    ['``` one ` line\na', '``` one ` line\na'],
  ])('%j is a block', (block, spoken) => {
    expect(speakable(block)).toBe(spoken)
  })
})

describe('addresses', () => {
  test.each([
    ['See https://www.example.com/a_b_c?d=*e*#f.', 'See example.com.'],
    ['(http://example.com/a_(b)) **https://x.org/**', '(example.com) x.org'],
    ['https://me:secret@example.com:8080/x', 'example.com'],
    ['www.example.com, ftp://files.example.com', 'example.com, files.example.com'],
    ['<https://example.com/a> <mailto:me@example.com> <me@example.com>', 'example.com me@example.com me@example.com'],
    ['[https://example.com/a](https://example.com/a)', 'example.com'],
    ['见https://例子.example/页。', '见例子.example/页。'],
    ['见https://example.com/x。然后', '见example.com。然后'],
    ['https://de.example.org/Müller.', 'de.example.org.'],
    ['me@example.com xhttps://a.b http:// example.com', 'me@example.com xhttps://a.b http:// example.com'],
  ])('%s', (text, spoken) => {
    expect(speakable(text)).toBe(spoken)
  })

  test('can be read whole or left out', () => {
    const text = 'See https://example.com/a_b now.'
    expect(speakable(text, { urls: 'read' })).toBe(text)
    expect(speakable(text, { urls: 'skip' })).toBe('See now.')
  })
})

describe('emoji', () => {
  test.each([
    ['Great 🎉!', 'Great!'],
    ['🎉 Great 👍🏽 work 👩‍👩‍👧\nNext 🇩🇪', 'Great work\nNext'],
    ['I ❤️ it ✅', 'I it'],
    ['1️⃣ one, © 2026 ™ → ✓ 5 # *', '1 one, © 2026 ™ → ✓ 5 # *'],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿 England', 'England'],
  ])('%s', (text, spoken) => {
    expect(speakable(text)).toBe(spoken)
  })

  test('can be kept', () => {
    const text = 'Great 🎉! 1️⃣ 👩‍👩‍👧'
    expect(speakable(text, { emoji: 'keep' })).toBe(text)
  })
})

describe('what is no markup', () => {
  test.each([
    '2 * 3 * 4, 2*3*4, 2**8, a*b*c, 5 > 3, x < y && y > z',
    'snake_case_name, __dunder, *.txt, *args and **kwargs',
    'a[i] = b[j](k, l) [x] [y]: z',
    '[Bob]: Hello.',
    '  indented\n\ttext  \n\n\n',
    'List<String> a<b and c>d i<3 <unknown>',
    '~5 ~~ ~ -5 +1 #1 C# 100% $5 | a | b |',
    'A "quoted" ‘text’ — with … dashes – and 3.14.',
    '',
    '\uD83D lone',
  ])('%j stays', (text) => {
    expect(speakable(text)).toBe(text)
  })

  test('ordinary text stays byte for byte', () => {
    const word = fc.constantFrom(
      'Dr. ',
      'Smith',
      'é',
      '你好。',
      ' ',
      ', ',
      '3.14',
      '?! ',
      '\n',
      '\n\n',
      '\r\n',
      '"',
      "'",
      '—',
      '(',
      ')',
      '/',
    )
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(speakable(words.join(''))).toBe(words.join(''))
      }),
    )
  })
})

describe('interface: inline pause marker [pause X.Ys]', () => {
  test.each([
    ['One. [pause 0.5s] Two.', 'One. [pause 0.5s] Two.'],
    ['**One.[pause 0.5s]** [pause 1s](x) ![pause 2s]', 'One.[pause 0.5s] [pause 1s](x) ![pause 2s]'],
    ['- [pause 10s] a\n[pause 1s]: /x', '[pause 10s] a\n[pause 1s]: /x'],
  ])('%j keeps it', (text, spoken) => {
    expect(speakable(text)).toBe(spoken)
  })

  test('any number of markers comes through in order', () => {
    const part = fc.constantFrom(
      '[pause 0.5s]',
      '[pause 10s]',
      'a ',
      '**',
      '_',
      '[',
      ']',
      '(x)',
      '# ',
      '\n',
      '> ',
      '![',
      'a~',
    )
    const markers = (text: string): string[] => text.match(/\[pause [\d.]+s\]/g) ?? []
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        expect(markers(speakable(parts.join('')))).toEqual(markers(parts.join('')))
      }),
      { numRuns: 1000 },
    )
  })
})

/** A step that looked at all that came before would take minutes here, and the test's deadline is seconds. */
describe('a million characters', () => {
  const million = (part: string): string => part.repeat(Math.ceil(1_000_000 / part.length))
  const closed = (part: string): string => `${part.repeat(150_000)}${')'.repeat(150_000)}`
  test.each([
    ['stars', million('*a')],
    ['bold marks', million('**a')],
    ['underscores', million('_a _')],
    ['brackets', million('[')],
    ['link beginnings', million('[a](')],
    ['links with spaces', closed('[a](b ')],
    ['links in angles', closed('[a](<')],
    ['links with titles', closed('[a](b "')],
    ['references', `[a]: http://b\n${million('[a][')}`],
    ['footnote marks', million('[^')],
    ['backticks of every length', Array.from({ length: 1400 }, (_, index) => '`'.repeat(index)).join(' ')],
    ['angles', million('<')],
    ['tags', million('<b ')],
    ['attributes', million('<a =')],
    ['comments', million('<!--')],
    ['comments at line starts', million('<!--\n')],
    ['scripts', million('<script>')],
    ['dots in angles', `<${million('.')}`],
    ['addresses', million('http://a')],
    ['brackets behind an address', `http://a${million(')')}`],
    ['emoji', million('😀 ')],
    ['joiners', million('👩\u200D')],
    ['quotation marks', million('> ')],
    ['fences', million('```\n')],
    ['pipes', `${million('|-')}\n${million('|-')}`],
    ['tables', million('|\n|-|\n')],
    ['spaces in a heading', `# ${million(' ')}#`],
    ['dashes', `${million('-')}x`],
    ['line ends', million('\n')],
    ['character references', million('&#')],
    ['backslashes', million('\\')],
  ])('of %s are converted', (_, text) => {
    expect(speakable(text).length).toBeLessThanOrEqual(text.length)
  })
})
