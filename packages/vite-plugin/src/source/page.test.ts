import { describe, expect, test } from 'vitest'
import { InvalidNarrationError } from '../errors.ts'
import type { NarrationOptions } from '../options.ts'
import { WarmNotes } from '../warm-notes.ts'
import { readFrontMatter } from './page-options.ts'
import { readDocument, SOURCE_EXTENSIONS, sourceKind } from './document.ts'
import { type Page, PageReader } from './page.ts'

const FILE = '/site/posts/a.md'

/** Reads a source of the file `posts/a.md`. */
function read(content: string, options: Partial<NarrationOptions> = {}, query = 'narrate', file = FILE): Promise<Page> {
  const reader = new PageReader({ voice_id: 'rms', ...options })
  return reader.read({ file, query, source: file.replace('/site/', '') }, () => content)
}

const matter = (fields: string, text = 'Text.'): string => `---\n${fields}\n---\n${text}\n`
const written = ({ script }: Page): string[] => (script?.segments ?? []).map((segment) => segment.written)

test.each([
  ['a.md', 'markdown'],
  ['A.MD', 'markdown'],
  ['a.markdown', 'markdown'],
  ['a.mdx', 'mdx'],
  ['a.b.htm', 'html'],
  ['a.html', 'html'],
  ['a.txt', 'plain'],
  ['a.rst', undefined],
  ['a.toString', undefined],
  ['a.md/README', undefined],
  ['.md', 'markdown'],
  ['md', undefined],
])('%s is read as %s', (file, kind) => {
  expect(sourceKind(file)).toBe(kind)
})

test('the extensions of messages are those that are read', () => {
  expect(SOURCE_EXTENSIONS).toHaveLength(8)
  for (const extension of SOURCE_EXTENSIONS) expect(sourceKind(`a${extension}`)).toBeDefined()
})

describe('front matter', () => {
  const NONE = {
    title: undefined,
    voice_id: undefined,
    model: undefined,
    response_format: undefined,
    language: undefined,
    guid: undefined,
    skip: false,
    audio: undefined,
    problems: [],
  }

  test.each([
    [{}, {}],
    [
      { title: ' A title ', voice_id: ' slt ', guid: 7 },
      { title: 'A title', voice_id: 'slt', guid: '7' },
    ],
    [{ title: 1984 }, { title: '1984' }],
    [{ title: '  ' }, {}],
    [{ title: ['a'] }, {}],
    [{ title: true }, {}],
    [{ voice_id: null, model: null, language: null, lang: null, audio: null, skip: null, title: null, guid: null }, {}],
    [
      { language: 'de', lang: 'fr', response_format: 'opus' },
      { language: 'de', response_format: 'opus' },
    ],
    [{ voice: 'slt' }, { problems: ['`voice` in the front matter is not read: did you mean `voice_id`?'] }],
    [{ skip: true }, { skip: true }],
    [
      { audio: './a b.mp3', lang: 'de-AT', model: 'svc-x' },
      { audio: './a b.mp3', language: 'de-AT', model: 'svc-x' },
    ],
    [{ Voice: 7, draft: true, voices: 'all' }, {}],
  ])('%o is read as %o', (fields, known) => {
    expect(readFrontMatter(fields)).toEqual({ ...NONE, ...known })
  })

  const text = (name: string): string => `${name} in the front matter must be a text. Give it a value, or remove it`
  test.each([
    [{ voice_id: 7 }, text('voice_id')],
    [{ voice_id: '' }, text('voice_id')],
    [{ model: ['svc-x'] }, text('model')],
    [{ lang: false }, text('lang')],
    [{ audio: { src: 'a.mp3' } }, text('audio')],
    [{ skip: 'yes' }, 'skip in the front matter must be true or false'],
    [{ skip: 0 }, 'skip in the front matter must be true or false'],
  ])('%o is refused', (fields, message) => {
    expect(() => readFrontMatter(fields)).toThrow(new InvalidNarrationError(message))
  })
})

describe('what a page is spoken with', () => {
  const everything: Partial<NarrationOptions> = {
    model: 'svc-site',
    language: 'fr',
    response_format: 'aac',
    defaults: () => ({ voice_id: 'own', model: 'svc-own', response_format: 'mp3', language: 'it' }),
  }

  test.each([
    [
      'the import',
      matter('voice_id: front\nmodel: svc-front\nlanguage: de'),
      'voice_id=v&model=svc-v&response_format=wav&narrate',
      ['v', 'svc-v', 'wav', 'de'],
    ],
    [
      'the front matter',
      matter('voice_id: front\nmodel: svc-front\nlanguage: de'),
      'narrate',
      ['front', 'svc-front', 'mp3', 'de'],
    ],
    ['defaults', 'Text.', 'narrate', ['own', 'svc-own', 'mp3', 'it']],
  ])('%s comes first, then what is more general', async (_, content, query, chosen) => {
    const { script, language } = await read(content, everything, query)
    expect([script?.voice.voice_id, script?.voice.model, script?.format, language]).toEqual(chosen)
  })

  test('the options come last, and have defaults of their own', async () => {
    const site = await read('Text.', { ...everything, defaults: () => undefined })
    expect([site.script?.voice, site.script?.format]).toMatchObject([{ voice_id: 'rms', model: 'svc-site' }, 'aac'])
    const { script, language } = await read('Text.')
    expect(script).toMatchObject({ format: 'mp3', gapSeconds: 0.5, source: 'posts/a.md' })
    expect([script?.voice.model, script?.voice.pieceFormat, language]).toEqual(['svc-tts-1.5-flash', 'mp3', undefined])
  })

  test('what a page is spoken with defaults is asked with the path in the site and the whole front matter', async () => {
    const asked: unknown[] = []
    await read(matter('draft: true\ntags: [a, b]'), { defaults: (...given) => void asked.push(given) })
    expect(asked).toEqual([['posts/a.md', { draft: true, tags: ['a', 'b'] }]])
  })

  test.each([
    ['en-GB', 'british'],
    ['EN-gb', 'british'],
    ['en-GB-oxendict', 'british'],
    ['en-US', 'english'],
    ['en', 'english'],
    ['eng', 'rms'],
    ['de', 'rms'],
  ])('what a page is spoken with of voices, %s has the closest: %s', async (lang, voice) => {
    const voices = { en: 'english', 'en-gb': 'british' }
    expect((await read(matter(`lang: ${lang}`), { voices })).script?.voice.voice_id).toBe(voice)
  })

  test.each([
    ['WAV pieces of the streaming model', { response_format: 'flac' }, 'de'],
    ['pieces for an encoder', { response_format: 'mp3', encoder: 'ffmpeg' }, 'de'],
    ['pieces of Opus, which are WAV', { response_format: 'opus' }, 'de'],
    ['another model', { response_format: 'flac', model: 'svc-x' }, undefined],
    ['the default format', {}, undefined],
    ['pieces of MP3', { response_format: 'mp3' }, undefined],
  ] as const)('the language is sent for %s: %s', async (_, options, language) => {
    expect((await read(matter('lang: de'), options)).script?.voice.language).toBe(language)
  })

  test.each([
    [undefined, undefined],
    ['ffmpeg', 'ffmpeg'],
    [async () => new Uint8Array(), 'function'],
  ] as const)('the encoder %s has the name %s', async (encoder, name) => {
    expect((await read('Text.', { encoder })).script?.encoder).toBe(name)
  })
})

describe('what a page says', () => {
  test.each([
    ['title: A title', 'Text.', ['A title.', 'Text.']],
    ['title: Really?', 'Text.', ['Really?', 'Text.']],
    ['title: A title', '# A *title*!\n\nText.', ['A title!', 'Text.']],
    ['title: A title', 'Text.\n\n# A title', ['A title.', 'Text.', 'A title.']],
    ['draft: true', '# Heading\n\nText.', ['Heading.', 'Text.']],
  ])('%s is read first, unless the page begins with it: %o', async (fields, text, segments) => {
    expect(written(await read(matter(fields, text)))).toEqual(segments)
  })

  test('characters are those that are spoken, and the text is what is written', async () => {
    const page = await read('The nginx server.\n\nTwo.', { lexicon: { '*': { nginx: 'engine x' } } })
    expect(page).toMatchObject({ text: 'The nginx server.\n\nTwo.', characters: 'The engine x server.'.length + 4 })
  })

  test.each([
    ['nothing', '', {}],
    ['only code', '```\ncode\n```\n', {}],
    ['skip in the front matter', matter('skip: true'), {}],
    ['skip in defaults', 'Text.', { defaults: () => ({ skip: true }) }],
  ])('a page with %s has no script and no recording', async (_, content, options) => {
    expect(await read(content, options)).toMatchObject({ script: undefined, recording: undefined })
  })

  test('a recording is found beside its source, and skip leaves it out too', async () => {
    expect(await read(matter('audio: ../audio/a.mp3'))).toMatchObject({
      script: undefined,
      recording: '/site/audio/a.mp3',
    })
    expect(await read(matter('audio: a.mp3\nskip: true'))).toMatchObject({ recording: undefined })
  })

  test('an unreadable part is a problem with file and line', async () => {
    const { problems, script } = await read('---\ntitle: [\n---\nText.\n')
    expect(problems).toEqual([expect.stringMatching(/^posts\/a\.md:\d+: ./)])
    expect(script).toBeDefined()
  })

  test('a wrong result of defaults is an error of the narration', async () => {
    const defaults = (() => ({ skip: 'no' })) as unknown as NonNullable<NarrationOptions['defaults']>
    await expect(read('Text.', { defaults })).rejects.toThrow(
      new InvalidNarrationError("`defaults().skip` must be true or false, got 'no'"),
    )
  })
})

describe('expressions of Vue', () => {
  test.each([
    ['Hello {{ user.name }}, welcome.', ['Hello, welcome.']],
    ['One.\n\n{{ $frontmatter }}\n\nTwo.', ['One.', 'Two.']],
    ['A {{ b }} c {{ d }} e.', ['A c e.']],
    ['An open {{ brace.', ['An open {{ brace.']],
  ])('%o is read as %o', async (content, texts) => {
    const { blocks, text } = await readDocument(content, 'markdown')
    expect(blocks.map((block) => block.text)).toEqual(texts)
    expect(text).toBe(texts.join('\n\n'))
  })

  test('plain text keeps them', async () => {
    expect((await readDocument('A {{ b }} c.', 'plain')).text).toBe('A {{ b }} c.')
  })
})

describe('how text is spoken', () => {
  const TABLE = '| Size | Price |\n| --- | --- |\n| L | 4 |\n'

  test.each([
    ['a table with its headings', TABLE, { tables: 'labelled' }, ['Size: L, Price: 4.']],
    ['code blocks', 'One.\n\n```\nls -l\n```\n', { codeBlocks: 'read' }, ['One.', 'ls -l']],
    ['no numbers of lists', '1. One.\n2. Two.\n', { listNumbers: 'skip' }, ['One.', 'Two.']],
  ] as const)('%s is a choice for Markdown', async (_, content, text, spoken) => {
    expect(written(await read(content, { text }))).toEqual(spoken)
  })

  test('the properties of components are a choice for MDX', async () => {
    const text = { props: { Figure: ['caption'] } }
    const page = await read('<Figure caption="A red fox." />', { text }, 'narrate', '/site/posts/a.mdx')
    expect(written(page)).toEqual(['A red fox.'])
  })

  test('HTML and text files take the options that they have', async () => {
    const text = { images: 'skip', urls: 'skip', lineBreaks: 'keep', props: {} } as const
    const html = await read('<p>One. <img alt="Fox" src="a"></p>', { text }, 'narrate', '/site/a.html')
    expect(written(html)).toEqual(['One.'])
    const plain = await read('See https://a.example now.', { text }, 'narrate', '/site/a.txt')
    expect(written(plain)).toEqual(['See now.'])
  })

  test('a known document is read again for other options', async () => {
    const notes = new WarmNotes('/site/notes.json', 'reader')
    const spoken = async (text?: NarrationOptions['text']) => {
      const reader = new PageReader({ voice_id: 'rms', text })
      const request = { file: FILE, query: 'narrate', source: 'a.md' }
      return written(await reader.read(request, () => '![Fox](a.png)\n\nOne.', notes))
    }
    expect(await spoken()).toEqual(['Fox', 'One.'])
    expect(await spoken({ images: 'skip' })).toEqual(['One.'])
    expect(await spoken()).toEqual(['Fox', 'One.'])
  })
})
