import { describe, expect, test } from 'vitest'
import { readMarkdown, speakable } from './read-markdown.ts'

describe('CommonMark and GitHub', () => {
  test.each([
    ['headings', '# One #\n## Two\nThree\n===\n#hashtag', 'One.\n\nTwo.\n\nThree.\n\n#hashtag'],
    ['ordered lists speak their numbers', '3. c\n4. d', '3. c.\n\n4. d.'],
    ['lists, loose and nested', '- a\n\n  b\n\n  - c\n\n    d\n- [x] e', 'a.\n\nb\n\nc.\n\nd\n\ne.'],
    ['a paragraph is one line', 'a\nb  \nc\\\nd', 'a b\nc\nd'],
    ['Chinese and Japanese lines join without a space', '这是一\n行。\n中文 and\n英文', '这是一行。中文 and 英文'],
    ['emphasis', '*a* **b** ~~c~~ snake_case 2*3*4', 'a b c snake_case 234'],
    ['links and their definitions', '[a](<b c> "t") [d][1] [`e`][1]\n\n[1]:\n  /x\n  "t"', 'a d e'],
    ['images', '![a *cat*](c.png)! ![](d.png)', 'a cat!'],
    [
      'badges',
      '[![npm](https://img.shields.io/npm/v/x.svg)](x) ![ci](https://github.com/a/b/workflows/ci/badge.svg)',
      '',
    ],
    ['tables', '| A | B |\n|---|---|\n| 1 \\| 2 | *x* |\n| | y |', 'A, B.\n\n1 | 2, x.\n\ny.'],
    ['cells beyond the columns', '| A |\n|---|\n| 1 | two |', 'A.\n\n1, two.'],
    ['notes', '> [!NOTE]\n> Mind the *gap*.', 'Mind the gap.'],
    ['entities', 'Caf&eacute; &copy; &nope;', 'Café © &nope;'],
    ['escapes', '\\*a\\* \\\\', '*a* \\'],
    ['a definition that somebody says', '[Bob]: Hello there.', '[Bob]: Hello there.'],
  ])('%s', (_, source, text) => {
    expect(speakable(source)).toBe(text)
  })
})

describe('spoken rules', () => {
  test.each([
    [
      'addresses as their host',
      'See https://www.example.com/a_b?c=*d*#f. <http://me:pw@x.org:80/>',
      'See example.com. x.org',
    ],
    ['addresses in code', 'Call `https://api.example.com/v1/x`.', 'Call api.example.com.'],
    ['emoji and their codes', 'Great 🎉! :tada: 1️⃣ done at 10:30:00', 'Great! 1 done at 10:30:00'],
    [
      'footnotes',
      'Text[^1] and[^x] more[^9].\n\n[^1]: Note\n    goes on.\n[^x]: Other\n\n- item',
      'Text and more.\n\nitem.',
    ],
    ['formulas', 'Let $x$ be $\\frac{1}{2}$ of $5 and $6.\n\n$$\nx^2\n$$', 'Let x be 1/2 of $5 and $6.\n\nx²'],
    [
      'formulas within a sentence',
      'The answer is $$E = mc^2$$ and \\(x^2 + 1\\). $\\int_0^1 f$ is left out.',
      'The answer is E = mc² and x² + 1. is left out.',
    ],
    ['template tags', 'Hi {{ name }}, {% if x %}yes{% endif %}.', 'Hi, yes.'],
    ['containers', '::: tip Good to know\nText\n:::\n\n[[toc]]', 'Good to know\n\nText'],
    ['heading ids', '# A title {#id}', 'A title.'],
    ['abbreviations', 'HTML is old.\n\n*[HTML]: Hyper Text', 'HTML is old.'],
    ['raw HTML', '<details open>\n<summary>More</summary>\n\nText <kbd>A</kbd>\n\n</details>', 'More.\n\nText A'],
    ['what is no tag', 'List<String> and a <b and c> d', 'List<String> and a <b and c> d'],
    [
      'an indented paragraph',
      'One.\n\n    This is an indented paragraph of prose.',
      'One.\n\nThis is an indented paragraph of prose.',
    ],
    ['pause markers', '**One.[pause 0.5s]** [pause 1s](x) ![pause 2s]', 'One.[pause 0.5s] [pause 1s](x) [pause 2s]'],
  ])('%s', (_, source, text) => {
    expect(speakable(source)).toBe(text)
  })

  test('each rule can be switched', () => {
    const source =
      '# A 🎉\n\n1. `b`\n\n```\ncode\n```\n\nC[^1] HTML $a^2$ ![d](e)\n\n[^1]: note\n\n*[HTML]: Hyper Text\n\nhttps://x.org/y'
    const options = {
      abbreviations: 'expand',
      codeBlocks: 'read',
      emoji: 'keep',
      endMarks: 'keep',
      footnotes: 'read',
      images: 'skip',
      inlineCode: 'skip',
      listNumbers: 'skip',
      math: 'read',
      urls: 'read',
    } as const
    expect(readMarkdown(source, options).text).toBe('A 🎉\n\ncode\n\nC Hyper Text a^2\n\nhttps://x.org/y\n\nnote')
    expect(readMarkdown('| A | B |\n|-|-|\n| 1 | 2 |', { tables: 'labelled' }).text).toBe('A: 1, B: 2.')
    expect(readMarkdown('| A |\n|-|\n| 1 |', { tables: 'skip' }).text).toBe('')
    expect(readMarkdown('a\nb', { lineBreaks: 'keep' }).text).toBe('a\nb')
  })
})

describe('front matter', () => {
  test('between two rules that hold no data is text', () => {
    expect(readMarkdown('---\nJust text\n---\nMore').text).toContain('Just text')
    expect(readMarkdown('---\n---\nText')).toMatchObject({ frontMatter: {}, text: 'Text' })
  })

  test('that is invalid is ignored and listed with its line', () => {
    const { frontMatter, text, problems } = readMarkdown('---\ntitle: a\nbad: [1\n---\nText')
    expect({ frontMatter, text }).toEqual({ frontMatter: {}, text: 'Text' })
    expect(problems[0]).toMatchObject({ message: expect.stringMatching(/^Invalid front matter: /) })
    expect(problems[0]?.line).toBeGreaterThan(1)
  })

  test('of TOML is ignored and listed as a problem', () => {
    expect(readMarkdown('+++\na = 1\n+++\nText')).toMatchObject({ text: 'Text', problems: [{ line: 1 }] })
  })
})

describe('MDX', () => {
  test.each([
    [
      'modules',
      "import A from 'a'\nimport { b } from 'b'\n\nexport const c = {\n  d: 1,\n\n  e: 2,\n}\n\nText",
      'Text',
    ],
    ['components', '<Tabs>\n  <Tab label="a > b" on={() => x}>\n\n    Text *here*\n\n  </Tab>\n</Tabs>', 'Text here'],
    ['components over empty lines', '<Chart\n  data={[\n    1,\n\n    2,\n  ]}\n/>\n\nText', 'Text'],
    ['components in a sentence', 'Use <Kbd>Ctrl</Kbd> {1 + 1} times{/* note */}.', 'Use Ctrl times.'],
    [
      'prose that begins like a module',
      'import duties rose.\n\nexport is easy.',
      'import duties rose.\n\nexport is easy.',
    ],
    [
      'attributes that readers see',
      '<Card title="Fast">\n\nIt is.\n\n</Card>\n<LinkCard title={\'Learn\'} description="All of it" href="/x" />',
      'Fast.\n\nIt is.\n\nLearn.\n\nAll of it.',
    ],
    [
      'attributes before content on their line',
      '<Card title="North">Two hotels.</Card>\n<TabItem label="By boat">An hour.</TabItem>',
      'North. Two hotels. By boat. An hour.',
    ],
    [
      'an indented list in a component',
      '<Card title="South">\n    One village.\n\n    - A shop\n    - A bakery\n      - Bread\n</Card>',
      'South.\n\nOne village.\n\nA shop.\n\nA bakery.\n\nBread.',
    ],
    ['an indented heading in a component', '<Tabs>\n    ## One\n\n    Text\n</Tabs>', 'One.\n\nText'],
    ['a fragment', '<>All of it.</>', 'All of it.'],
    ['attributes in a sentence', 'See <LinkCard title="the guide"/> now.', 'See the guide now.'],
    ['a hidden component', 'Text <Card hidden title="Secret"/> <aside title="x">here</aside>', 'Text\n\nhere'],
    ['computed attributes', '<Card title={`a ${b}`} />\n\nText', 'Text'],
    ['a tag without an end', 'a <Foo b\n\nc', 'a <Foo b\n\nc'],
  ])('%s', (_, source, text) => {
    expect(readMarkdown(source, { mdx: true }).text).toBe(text)
  })
})

test('own components add to those with visible attributes', () => {
  const source = '<Hero tagline="Say it" />\n\n<Card title="A" />'
  expect(readMarkdown(source, { mdx: true, props: { Hero: ['tagline'] } }).text).toBe('Say it.\n\nA.')
  expect(readMarkdown(source, { mdx: true, props: { Card: [] } }).text).toBe('')
})

test.each([
  [{ emojis: 'keep' }, /^Unknown option `emojis`; did you mean `emoji`\?$/],
  [{ emoji: 'drop' }, /^`emoji` must be 'skip' or 'keep', got 'drop'$/],
  [{ props: { Card: 'title' } }, /^`props` must be lists of attributes by component, such as \{ Card: \['title'\] \}/],
  [{ mdx: 1 }, /^`mdx` must be true or false, got 1$/],
])('the option %j is refused', (options, message) => {
  expect(() => readMarkdown('', JSON.parse(JSON.stringify(options)))).toThrow(message)
})
