import { describe, expect, test } from 'vitest'
import { lintCode } from '../plugin.ts'
import { findMarks, lintHtml, rewritePage } from './marks.ts'

const ADDRESSES = { src: '/a.flac', captions: '/a.vtt', title: undefined }

/** Rewrites a page whose marks all have the same addresses. */
async function rewrite(html: string, addresses: Partial<typeof ADDRESSES> | { title: string } = {}): Promise<string> {
  const marks = (await findMarks(html)).map((mark) => [mark, { ...ADDRESSES, ...addresses }] as const)
  return rewritePage(html, marks, 'src')
}

describe('marks', () => {
  test('marks have their tag, source, attributes and offsets', async () => {
    const html = `<p>Before</p><article id="x" data-narrate=" ./a.md?voice_id=slt " class=y>Text</article>`
    const [mark] = await findMarks(html)
    expect(mark).toMatchObject({ tag: 'article', source: './a.md?voice_id=slt', hasTrack: false })
    expect(Object.fromEntries(mark?.attributes ?? [])).toMatchObject({ id: 'x', class: 'y' })
    expect(html.slice(mark?.attribute.start, mark?.attribute.end)).toBe('data-narrate=" ./a.md?voice_id=slt "')
    expect(html.slice(mark?.contentStart, mark?.contentEnd)).toBe('Text')
    expect(html.slice(mark?.start, mark?.contentStart)).toMatch(/^<article .*>$/)
  })

  test.each([
    ['none in a page without the attribute', '<p narrate>x</p>', []],
    ['none in a comment', '<!-- <p data-narrate>x</p> --><p>y</p>', []],
    ['none in a script', '<script>"<p data-narrate>"</script>', []],
    ['none with a longer name', '<p data-narrated>x</p>', []],
    ['an attribute in capitals', '<P DATA-NARRATE>x</P>', ['p']],
    [
      'several in order',
      '<h1 data-narrate>a</h1><div><p data-narrate>b</p></div><audio data-narrate=a.md>',
      ['h1', 'p', 'audio'],
    ],
    ['the outer of two', '<div data-narrate><p data-narrate>x</p></div><i data-narrate>y</i>', ['div', 'i']],
    ['the body', '<body data-narrate>x', ['body']],
    ['none in a template', '<template><p data-narrate>x</p></template><i data-narrate>y</i>', ['i']],
    ['none in content for browsers without scripts', '<noscript><p data-narrate>x</p></noscript>', []],
    ['none in a text field', '<textarea><p data-narrate>x</p></textarea>', []],
  ])('marks are %s', async (_, html, tags) => {
    expect((await findMarks(html)).map(({ tag }) => tag)).toEqual(tags)
  })

  test('an element without an end tag ends with its parent', async () => {
    const html = '<div><p data-narrate>One<p>Two</div>'
    const [mark] = await findMarks(html)
    expect(html.slice(mark?.contentStart, mark?.contentEnd)).toBe('One')
  })

  test.each([
    ['the end of the page', '<main><article data-narrate>One <b>two</b>\n'],
    ['an end tag of its parent', '<main><article data-narrate>One <b>two</b>\n</main>'],
    ['its own end tag', '<main><article data-narrate>One <b>two</b>\n</article ></main>'],
  ])('the content of an element reaches to %s', async (_, html) => {
    const [mark] = await findMarks(html)
    expect(html.slice(mark?.contentStart, mark?.contentEnd)).toBe('One <b>two</b>\n')
  })

  test('of two attributes of the name, the first counts', async () => {
    const html = '<p data-narrate=a.md data-narrate=b.md>x</p>'
    const [mark] = await findMarks(html)
    expect([mark?.source, html.slice(mark?.attribute.start, mark?.attribute.end)]).toEqual([
      'a.md',
      'data-narrate=a.md',
    ])
  })

  test('a track among the children is seen', async () => {
    const marks = await findMarks('<audio data-narrate=a.md><track src=x></audio><audio data-narrate=b.md></audio>')
    expect(marks.map(({ hasTrack }) => hasTrack)).toEqual([true, false])
  })

  test('a page nested deeper than the stack is read', async () => {
    const html = `${'<div>'.repeat(20_000)}<p data-narrate>x</p>`
    expect(await findMarks(html)).toHaveLength(1)
  })
})

describe('a rewritten page', () => {
  test.each([
    [
      '<audio data-narrate="a.md"></audio>',
      '<audio src="/a.flac" preload="none"><track kind="captions" src="/a.vtt" default></audio>',
    ],
    [
      '<audio controls data-narrate="a.md" preload=auto></audio>',
      '<audio controls src="/a.flac" preload=auto><track kind="captions" src="/a.vtt" default></audio>',
    ],
    ['<audio data-narrate=a.md><track src=x></audio>', '<audio src="/a.flac" preload="none"><track src=x></audio>'],
    ['<p>x</p>', '<p>x</p>'],
  ])('a rewritten page has the addresses in %s, and needs no player', async (html, rewritten) => {
    expect(await rewrite(html)).toBe(rewritten)
  })

  test('an audio without captions has no track', async () => {
    expect(await rewrite('<audio data-narrate=a.md></audio>', { captions: '' })).toBe(
      '<audio src="/a.flac" preload="none"></audio>',
    )
  })

  const inner = '<audio controls preload="none" src="/a.flac"><track kind="captions" src="/a.vtt"></audio>'
  const script = `<script type="module">import '@svc-audio/vite-plugin/player'</script>`

  test('a rewritten page has a player before any other element, that names it by its id', async () => {
    expect(await rewrite('<p data-narrate>A</p><p id="b" data-narrate>B</p>', { title: 'T & "U" <V>' })).toBe(
      `${script}<narration-player for="narrated-1" label="T &amp; &quot;U&quot; &lt;V>">${inner}</narration-player><p id="narrated-1">A</p>` +
        `<narration-player for="b" label="T &amp; &quot;U&quot; &lt;V>">${inner}</narration-player><p id="b">B</p>`,
    )
  })

  test('a rewritten page loads the player once, at the end of the head', async () => {
    const html = '<html><head><title>T</title></HEAD ><body><p data-narrate>A</p><p data-narrate>B</p></body></html>'
    const rewritten = await rewrite(html)
    expect(rewritten.split(script)).toHaveLength(2)
    expect(rewritten).toContain(`<title>T</title>${script}</HEAD >`)
  })

  test('a rewritten page without audio loses the attribute, and nothing else', async () => {
    const html = '<p class=a data-narrate="x.md" title=b>A</p><audio data-narrate=a.md controls></audio>'
    expect(await rewrite(html, { src: '' })).toBe('<p class=a title=b>A</p><audio controls></audio>')
  })

  test('addresses are escaped, and may have another attribute', async () => {
    const marks = await findMarks('<audio data-narrate=a.md></audio>')
    const addresses = { src: '/a"b&c<.flac', captions: '', title: undefined }
    const [mark] = marks
    expect(mark).toBeDefined()
    const pairs = marks.map((one) => [one, addresses] as const)
    expect(rewritePage('<audio data-narrate=a.md></audio>', pairs, 'data-narration-src')).toBe(
      '<audio data-narration-src="/a&quot;b&amp;c&lt;.flac" preload="none"></audio>',
    )
  })
})

describe('misuse', () => {
  test.each([
    [`new URL('./a.md?narrate', import.meta.url)`, './a.md?narrate'],
    [`new  URL ( "a.md?voice_id=slt&narrate" , import.meta.url)`, 'a.md?voice_id=slt&narrate'],
    ['x = new URL(`@/a.md?narrate`,\n import.meta.url).href', '@/a.md?narrate'],
  ])('%s gets the import to write', (code, address) => {
    expect(lintCode(code)).toBe(
      `new URL('${address}', import.meta.url) gives the text, not its audio. Write: import post from '${address}' and use post.src`,
    )
  })

  test.each([
    `new URL('./a.md', import.meta.url) // ?narrate`,
    `new URL('./a.md?narrate', location.href)`,
    `new URL('./a.md?narrate")`,
    `import a from './a.md?narrate'`,
    `new URL(name + '?narrate', import.meta.url)`,
    `renew URL('./a.md?narrate', import.meta.url)`,
  ])('%s is accepted', (code) => {
    expect(lintCode(code)).toBeUndefined()
  })

  test.each([
    ['<audio src="a.md?narrate">', 'src="a.md?narrate"', 'a.md'],
    ["<audio src='a.md?voice_id=slt&narrate'>", "src='a.md?voice_id=slt&narrate'", 'a.md?voice_id=slt'],
    ['<audio src=a.md?narrate>', 'src=a.md?narrate', 'a.md'],
    ['<a HREF = "/b.md?narrate">', 'HREF = "/b.md?narrate"', '/b.md'],
    ['<!-- x --><object data="a.md?narrate=">', 'data="a.md?narrate"', 'a.md'],
  ])('%s gets the attribute to write, with its own quotes', (html, attribute, address) => {
    expect(lintHtml(html)).toBe(
      `${attribute} gives the text, not its audio. Write: <audio data-narrate="${address}"></audio>`,
    )
  })

  test.each([
    '<audio data-narrate="a.md?voice_id=slt&narrate">',
    '<!-- <audio src="a.md?narrate"> -->',
    '<audio src="a.md?narrated">',
    '<a data-src="a.md?narrate">',
    'src="a.md?narrate"',
  ])('%s in a page is accepted', (html) => {
    expect(lintHtml(html)).toBeUndefined()
  })
})
