import { describe, expect, test } from 'vitest'
import { InvalidNarrationError } from '../errors.ts'
import { parseNarrationRequest } from './page-options.ts'

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
