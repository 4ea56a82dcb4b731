import { expect, test } from 'vitest'
import { audioOf } from './replace-audio.ts'

const bytes = Buffer.from('RIFF1234')
const data = bytes.toString('base64')

test.each<[string, object, string]>([
  ['LangChain', { type: 'audio', mimeType: 'audio/webm', data }, 'audio/webm'],
  ['LangChain with bytes', { type: 'audio', mimeType: 'audio/webm', data: new Uint8Array(bytes) }, 'audio/webm'],
  ['LangChain before 1.0', { type: 'audio', source_type: 'base64', mime_type: 'audio/ogg', data }, 'audio/ogg'],
  ['a file', { type: 'file', mimeType: 'audio/mpeg', data }, 'audio/mpeg'],
  ['a video', { type: 'video', mimeType: 'video/mp4', data }, 'video/mp4'],
  ['Google', { type: 'media', mimeType: 'audio/flac', data }, 'audio/flac'],
  ['OpenAI', { type: 'input_audio', input_audio: { data, format: 'mp3' } }, 'audio/mpeg'],
  ['OpenAI, a file', { type: 'file', file: { file_data: `data:audio/wav;base64,${data}` } }, 'audio/wav'],
  ['a data: URL', { type: 'audio', url: `data:audio/webm;codecs=opus;base64,${data}` }, 'audio/webm'],
  ['a data: URL as data', { type: 'audio', mimeType: 'audio/x', data: `data:audio/wav;base64,${data}` }, 'audio/wav'],
  [
    'Base64 in lines',
    { type: 'audio', mimeType: 'audio/wav', data: `${data.slice(0, 4)}\n${data.slice(4)}` },
    'audio/wav',
  ],
])('a block of %s is read', (_, block, contentType) => {
  const audio = audioOf(block)
  expect(audio).toMatchObject({ contentType })
  expect(audio !== undefined && 'bytes' in audio ? Buffer.from(audio.bytes) : undefined).toEqual(bytes)
})

test('an address is handed on', () => {
  expect(audioOf({ type: 'file', mimeType: 'audio/wav', url: 'https://example.com/a.wav' })).toEqual({
    url: 'https://example.com/a.wav',
  })
})

test.each<[string, object]>([
  ['text', { type: 'text', text: 'hello' }],
  ['a PDF', { type: 'file', mimeType: 'application/pdf', data }],
  ['an OpenAI file that is a PDF', { type: 'file', file: { file_data: `data:application/pdf;base64,${data}` } }],
  ['an image', { type: 'image', mimeType: 'image/png', data }],
  ['a file of the provider', { type: 'audio', fileId: 'file-1' }],
])('%s is no recording', (_, block) => {
  expect(audioOf(block)).toBeUndefined()
})

test.each<[string, object]>([
  ['text', { type: 'audio', mimeType: 'audio/wav', data: 'this is not base64!' }],
  ['a path', { type: 'audio', mimeType: 'audio/wav', data: './recordings/note.wav' }],
  ['nothing', { type: 'audio', mimeType: 'audio/wav', data: '' }],
  ['a data: URL without Base64', { type: 'audio', url: 'data:audio/wav,RIFF' }],
  ['a data: URL without a type', { type: 'audio', url: `data:;base64,${data}` }],
])('%s in place of Base64 is refused', (_, block) => {
  expect(audioOf(block)).toMatchObject({ fault: expect.stringMatching(/\.$/) })
})
