import { describe, expect, test } from 'vitest'
import { InvalidNarrationError } from '../errors.ts'
import { parseNarrationRequest } from './page-options.ts'

describe('the query of an import', () => {
  const NONE = { file: '/a.md', kind: 'markdown', voice_id: undefined, model: undefined, response_format: undefined }

  test.each([
    ['narrate', {}],
    ['narrate=', {}],
    [
      'voice_id=slt&model=svc-x&response_format=mp3&narrate',
      { voice_id: 'slt', model: 'svc-x', response_format: 'mp3' },
    ],
    ['voice_id=a%20b%2Bc&narrate', { voice_id: 'a b+c' }],
    ['t=123&v=ab12&import&lang.ts&narrate', {}],
  ])('%s is read', (query, more) => {
    expect(parseNarrationRequest('/a.md', query)).toEqual({ ...NONE, ...more })
  })

  const refused =
    (file: string, query: string): (() => unknown) =>
    () =>
      parseNarrationRequest(file, query)
  test.each([
    ['voise=x&narrate', 'Unknown option `voise`: use `voice_id`, `model`, `response_format`'],
    ['voice=x&narrate', 'Unknown option `voice`; did you mean `voice_id`?'],
    ['Voice_Id=x&narrate', 'Unknown option `Voice_Id`; did you mean `voice_id`?'],
    ['raw&narrate', 'Unknown option `raw`: use `voice_id`, `model`, `response_format`'],
    ['narrate&voice_id=x', '`narrate` must be the last parameter: ?voice_id=…&narrate'],
    ['narrate&t=5', '`narrate` must be the last parameter: ?voice_id=…&narrate'],
    ['', '`narrate` must be the last parameter: ?voice_id=…&narrate'],
    ['format=MP3&narrate', 'Unknown option `format`; did you mean `response_format`?'],
    ['response_format=MP3&narrate', '?response_format must be one of mp3, wav, opus, flac, aac, got MP3'],
    ['response_format=&narrate', '?response_format is empty: give it a value or leave it out'],
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
