import { describe, expect, test } from 'vitest'
import { seeded } from '@svc-audio/kit/hosts/audio-files'
import { LIST_MODULE, listModule, resolveList } from '../narration-list.ts'
import { InvalidNarrationError } from './invalid-narration-error.ts'
import { displayName, moduleId, NARRATION_IMPORT, NARRATION_MODULE, parseModuleId } from './module-id.ts'
import { parseNarrationRequest } from './narration-request.ts'

test.each([
  ['./a.md?narrate', true],
  ['./a.md?voice=slt&narrate', true],
  ['./a.md?narrate=', true],
  ['./a.md?narrate&import', true],
  ['./a.md?narrate#top', true],
  ['./a.md?narrated', false],
  ['./a.md?voice=narrate', false],
  ['./narrate.md', false],
])('%s asks for a narration: %s', (id, asks) => {
  expect(NARRATION_IMPORT.test(id)).toBe(asks)
})

test('any path and query return from an id, which holds no sign that another plugin looks for', () => {
  const below = seeded(9)
  const signs = [...Array.from('abz09_-/.:?#&=%~ *"\'\\$üß中'), '😀', '\u0000', '~7e~']
  const any = (): string => Array.from({ length: below(20) + 1 }, () => signs[below(signs.length)]).join('')
  for (let round = 0; round < 300; round += 1) {
    const [file, query] = [any(), any()]
    const id = moduleId(file, query)
    expect(parseModuleId(id)).toEqual({ file, query })
    expect(id).toMatch(NARRATION_MODULE)
    expect(id.slice(1)).toMatch(/^narration:[\w/~-]*:[\w/~-]*$/)
  }
})

test('a narration is shown as it is imported', () => {
  expect([displayName('a.md', ''), displayName('a.md', 'voice=slt&narrate')]).toEqual([
    'a.md',
    'a.md?voice=slt&narrate',
  ])
})

describe('the query of an import', () => {
  const NONE = { file: '/a.md', kind: 'markdown', voice: undefined, model: undefined, format: undefined }

  test.each([
    ['narrate', {}],
    ['narrate=', {}],
    ['voice=slt&model=svc-x&format=mp3&narrate', { voice: 'slt', model: 'svc-x', format: 'mp3' }],
    ['voice=a%20b%2Bc&narrate', { voice: 'a b+c' }],
    ['t=123&v=ab12&import&lang.ts&narrate', {}],
  ])('%s is read', (query, more) => {
    expect(parseNarrationRequest('/a.md', query)).toEqual({ ...NONE, ...more })
  })

  const refused =
    (file: string, query: string): (() => unknown) =>
    () =>
      parseNarrationRequest(file, query)
  test.each([
    ['voise=x&narrate', 'Unknown option `voise`; did you mean `voice`?'],
    ['Voice=x&narrate', 'Unknown option `Voice`; did you mean `voice`?'],
    ['raw&narrate', 'Unknown option `raw`: use `voice`, `model`, `format`'],
    ['narrate&voice=x', '`narrate` must be the last parameter: ?voice=…&narrate'],
    ['narrate&t=5', '`narrate` must be the last parameter: ?voice=…&narrate'],
    ['', '`narrate` must be the last parameter: ?voice=…&narrate'],
    ['format=MP3&narrate', '?format must be one of mp3, wav, opus, flac, aac'],
    ['format=&narrate', '?format is empty: give it a value or leave it out'],
    ['model=%20&narrate', '?model is empty: give it a value or leave it out'],
  ])('%s is refused', (query, message) => {
    expect(refused('/a.md', query)).toThrow(new InvalidNarrationError(message))
  })

  test('the file is checked before its options', () => {
    expect(refused('/a.css', 'voise=x')).toThrow(
      new InvalidNarrationError(
        'Only .md, .markdown, .mdx, .mdoc, .svx, .html, .htm, .txt files can be narrated. Rename the file, or say how ' +
          "it is read: narration({ extensions: { '.ext': 'markdown' } })",
      ),
    )
  })
})

describe('the module of all narrations', () => {
  const globs = (include: string | string[], exclude?: string | string[]): unknown => {
    const [, list = ''] =
      /import\.meta\.glob\((\[.*?\]), /.exec(listModule({ voice_id: 'rms', include, exclude })) ?? []
    return JSON.parse(list)
  }

  test('the module of all narrations has an id of its own', () => {
    expect(resolveList('virtual:narrations')).toBe('\u0000virtual:narrations')
    expect(resolveList('virtual:narrations2')).toBeUndefined()
    for (const id of ['virtual:narrations', '\u0000virtual:narrations']) expect(id).toMatch(LIST_MODULE)
    expect('virtual:narrations?x').not.toMatch(LIST_MODULE)
  })

  test.each([
    ['posts/*.md', undefined, ['/posts/*.md']],
    ['./posts/*.md', undefined, ['/posts/*.md']],
    ['/posts/*.md', undefined, ['/posts/*.md']],
    ['.posts/*.md', undefined, ['/.posts/*.md']],
    ['../docs/*.md', undefined, ['/../docs/*.md']],
    [['a.md', '!./b.md'], undefined, ['/a.md', '!/b.md']],
    ['**/*.md', ['draft/*', './old.md'], ['/**/*.md', '!/draft/*', '!/old.md']],
  ])('include %o, exclude %o are the globs %o', (include, exclude, list) => {
    expect(globs(include, exclude)).toEqual(list)
  })

  test('the module of all narrations without include the error shows it', () => {
    expect(() => listModule({ voice_id: 'rms' })).toThrow(
      "the option include is missing. Set it, for example to include: 'posts/*.md'",
    )
  })
})
