import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolMessage } from '@langchain/core/messages'
import { audioBytes } from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import { type AudioStore, folderAudioStore, memoryAudioStore, readAudio } from '../src/index.ts'
import { call, toolsOf } from './support/calls.ts'
import { temporaryFolder } from './support/folder.ts'
import { startUpstream, WAV } from './support/upstream.ts'

test('the request asks for WAV', async () => {
  const { client, requests } = await startUpstream()
  await call(toolsOf({ client, voice_id: 'slt', model: 'svc-tts-1.0-pro' }).speak, { text: 'Hello.' })
  expect(requests.map(({ route }) => route)).toEqual(['POST /v1/audio/speech'])
  expect(requests[0]?.json).toEqual({
    model: 'svc-tts-1.0-pro',
    input: 'Hello.',
    voice_id: 'slt',
    response_format: 'wav',
  })
})

test('the model gets one line, and the application a reference', async () => {
  const { client } = await startUpstream()
  const folder = await temporaryFolder()
  const message = await call(toolsOf({ client, store: folderAudioStore(folder) }).speak, { text: 'Hello.' })
  expect(message).toBeInstanceOf(ToolMessage)
  const [id = ''] = await readdir(folder)
  expect(message).toMatchObject({
    content: `Spoken: 0.5 seconds of audio. Reference: ${id}`,
    status: 'success',
    tool_call_id: 'call_1',
    name: 'speak',
  })
  expect(message.artifact).toEqual({
    type: 'audio',
    id,
    contentType: 'audio/wav',
    durationSeconds: 0.5,
    bytes: WAV.byteLength,
    requestId: expect.any(String),
    spent: { unit: 'characters', call: 6, run: 6 },
  })
  expect(Buffer.from(WAV).equals(await readFile(join(folder, id)))).toBe(true)
})

test('the artifact has the address that a store returns', async () => {
  const { client } = await startUpstream()
  const inner = memoryAudioStore()
  const store: AudioStore = {
    open: (id) => inner.open(id),
    put: async (audio, details) => ({ ...(await inner.put(audio, details)), url: 'https://cdn.example.com/1' }),
  }
  const { artifact } = await call(toolsOf({ client, store }).speak, { text: 'Hello.' })
  expect(artifact).toMatchObject({ url: 'https://cdn.example.com/1' })
})

test('audio in another format is stored without a length', async () => {
  const { client } = await startUpstream(audioBytes(Buffer.from([0xff, 0xfb, 0x90, 0x00]), 'audio/mpeg'))
  const { content, artifact } = await call(toolsOf({ client }).speak, { text: 'Hello.' })
  expect(content).toMatch(/^Spoken\. Reference: \S+$/)
  expect(artifact).toMatchObject({ contentType: 'audio/mpeg', bytes: 4 })
  expect(artifact).not.toHaveProperty('durationSeconds')
})

test('without a tool call, it returns the line', async () => {
  const { client } = await startUpstream()
  const line = await toolsOf({ client }).speak.invoke({ text: 'Hello.' })
  expect(line).toMatch(/^Spoken: 0\.5 seconds/)
})

test('speech is handed to the store while it arrives', async () => {
  const half = WAV.byteLength / 2
  const { promise: wanted, resolve: sendRest } = Promise.withResolvers<void>()
  async function* halves(): AsyncGenerator<Uint8Array> {
    yield WAV.subarray(0, half)
    await wanted
    yield WAV.subarray(half)
  }
  const headers = { 'content-type': 'audio/wav', 'content-length': String(WAV.byteLength) }
  const { client } = await startUpstream(() => ({ headers, body: halves() }))
  const sizes: number[] = []
  const store: AudioStore = {
    async put(audio, { contentType }) {
      let bytes = 0
      for await (const chunk of readAudio(audio)) {
        bytes += chunk.byteLength
        sizes.push(bytes)
        // The rest is sent only once the first half has come through.
        if (bytes === half) sendRest()
      }
      return { id: 'a1', contentType, bytes }
    },
    open: async () => undefined,
  }
  const { content } = await call(toolsOf({ client, store }).speak, { text: 'Hello.' })
  expect(content).toBe('Spoken: 0.5 seconds of audio. Reference: a1')
  expect(sizes).toContain(half)
})

test('Markdown is spoken as words, unless speakable is false', async () => {
  const { client, requests } = await startUpstream()
  const text = '## Result\n\nIt is **42** \u{1F389}, see [the page](https://example.com/a?b=c).'
  await call(toolsOf({ client }).speak, { text })
  await call(toolsOf({ client, speakable: false }).speak, { text })
  const [spoken, raw] = requests.map(({ json: body }) => (body as { input: string }).input)
  expect(spoken).toMatch(/^Result\.\s+It is 42, see the page\.$/)
  expect(raw).toBe(text)
})

describe('a text that cannot be spoken is refused before anything is sent', () => {
  test.each([
    ['too long', { text: 'x'.repeat(11) }, 'text_too_long', /has 11 characters; at most 10/],
    ['empty', { text: ' \n' }, 'invalid_arguments', /non-empty string/],
    ['missing', {}, 'invalid_arguments', /"text"/],
    ['no string', { text: 42 }, 'invalid_arguments', /"text"/],
    ['null', { text: null }, 'invalid_arguments', /"text"/],
    ['emoji only', { text: '\u{1F389}\u{1F389}' }, 'invalid_text', /no words that can be spoken.*Write words/],
    ['markup only', { text: '# **_**' }, 'invalid_text', /no words that can be spoken/],
    ['ten million characters', { text: 'x'.repeat(10_000_000) }, 'text_too_long', /has 10000000 characters/],
    ['a pause out of range', { text: '[pause 99s]' }, 'invalid_text', /^text: \[pause 99s\] is outside/],
  ])('%s', async (_, args, code, message) => {
    const { client, requests } = await startUpstream()
    const { speak } = toolsOf({ client, maxCharacters: code === 'invalid_text' ? 100 : 10 })
    const answer = await call(speak, args)
    expect(answer).toMatchObject({ status: 'error', tool_call_id: 'call_1', artifact: { code, retryable: false } })
    expect(answer.content).toMatch(message)
    expect(answer.content).not.toMatch(/\n|\bat .*:\d+|schema/)
    expect(requests).toEqual([])
  })
})

test('a text of exactly maxCharacters is spoken', async () => {
  const { client } = await startUpstream()
  const { status } = await call(toolsOf({ client, maxCharacters: 10 }).speak, { text: 'x'.repeat(10) })
  expect(status).toBe('success')
})
