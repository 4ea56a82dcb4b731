import { bytesOf, svcAudio } from '@svc-audio/kit/n8n-engine'
import { wordErrorRate } from '@svc-audio/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { roundTripSnippets } from '../../client/panels/round-trip/snippets.ts'
import { speechSnippets } from '../../client/panels/speak/draft.ts'
import { transcriptionSnippets } from '../../client/panels/transcribe/snippets.ts'
import { measure } from '../support/actions.ts'
import { copyCode, pick, SPOKEN, TYPED } from '../support/copied-code.ts'

const copied = copyCode()
const FILE = "my speech's.wav"

beforeEach(() => copied.add(FILE, copied.recording))

/** The last text of a response in JSON, or of events. */
function textIn(output: Buffer | string): string {
  const texts = [...String(output).matchAll(/"text": ?"([^"]*)"/g)]
  return texts.at(-1)?.[1] ?? String(output)
}

describe('speech', () => {
  const base = { text: TYPED, voice: 'rms', model: 'svc-tts-1.5-flash', speed: 1.5, format: 'wav' }
  const file = speechSnippets({ ...base, stream: false })
  const stream = speechSnippets({ ...base, stream: true })

  test('core: a file, and a stream', async () => {
    await copied.start(pick(file, 'core'))
    const slow = measure(await copied.read('speech.wav'))
    expect(slow.peak).toBeGreaterThan(0.1)
    await copied.start(pick(stream, 'core'))
    expect(measure(await copied.read('speech.wav')).seconds).toBeLessThan(slow.seconds * 0.8)
  })

  test('curl: a file, and a stream', async () => {
    await copied.start(pick(file, 'curl'))
    expect(measure(await copied.read('speech.wav')).seconds).toBeGreaterThan(2)
    await copied.start(pick(stream, 'curl'))
    expect((await copied.read('speech.pcm')).length).toBeGreaterThan(30_000)
  })

  test('OpenAI: a file', async () => {
    await copied.start(pick(file, 'openai'))
    expect(measure(await copied.read('speech.wav')).peak).toBeGreaterThan(0.1)
  })

  test('AI SDK: a file', async () => {
    await copied.start(pick(file, 'ai-sdk'))
    expect(measure(await copied.read('speech.wav')).peak).toBeGreaterThan(0.1)
  })

  test('Express: a file, and a stream', async () => {
    await copied.callServer(pick(file, 'express'))
    expect(measure(await copied.read('speech.wav')).peak).toBeGreaterThan(0.1)
    await copied.callServer(pick(stream, 'express'))
    expect((await copied.read('speech.pcm')).length).toBeGreaterThan(30_000)
  })

  test('NestJS', async () => {
    await copied.callServer(pick(file, 'nestjs'))
    expect(measure(await copied.read('speech.wav')).peak).toBeGreaterThan(0.1)
  })

  test('LangChain', async () => {
    expect(await copied.start(pick(file, 'langchain'))).toMatch(/Spoken: \d/)
    expect(measure(await copied.read('audio/*.wav')).peak).toBeGreaterThan(0.1)
  })

  test('n8n', async () => {
    const made = await copied.runN8n(pick(file, 'n8n'))
    expect(measure(bytesOf(made['Speak']?.binary?.['data'])).peak).toBeGreaterThan(0.1)
  })

  test('Vite', async () => {
    await copied.start(pick(file, 'vite'))
    expect(measure(await copied.read('dist/assets/*.wav')).peak).toBeGreaterThan(0.1)
    expect(String(await copied.read('dist/index.html'))).toContain('&lt;b&gt;butter')
  })
})

describe('transcription', () => {
  const source = { file: FILE }
  const live = { model: 'svc-transcribe-diarize-pro', live: true, keyterms: ["baker's bread"], source }
  const plain = { model: 'svc-transcribe-1.0', live: false, keyterms: [], source }

  test('core: whole, and live', async () => {
    expect(wordErrorRate(SPOKEN, await copied.start(pick(transcriptionSnippets(plain), 'core')))).toBeLessThanOrEqual(
      0.2,
    )
    const printed = await copied.start(pick(transcriptionSnippets(live), 'core'))
    expect(wordErrorRate(SPOKEN, printed.replaceAll('S01:', ''))).toBeLessThanOrEqual(0.2)
  })

  test.each(['curl', 'express', 'nestjs'] as const)('%s', async (kind) => {
    for (const transcription of [plain, live]) {
      const snippet = pick(transcriptionSnippets(transcription), kind)
      const output = kind === 'curl' ? await copied.start(snippet) : await copied.callServer(snippet)
      expect(wordErrorRate(SPOKEN, textIn(output))).toBeLessThanOrEqual(0.2)
    }
  })

  test('OpenAI: whole, and live', async () => {
    for (const transcription of [plain, live]) {
      const printed = await copied.start(pick(transcriptionSnippets(transcription), 'openai'))
      expect(wordErrorRate(SPOKEN, printed.replaceAll('S01:', ''))).toBeLessThanOrEqual(0.2)
    }
  })

  test('AI SDK', async () => {
    const printed = await copied.start(pick(transcriptionSnippets(plain), 'ai-sdk'))
    expect(wordErrorRate(SPOKEN, printed)).toBeLessThanOrEqual(0.2)
  })

  test('LangChain', async () => {
    const printed = await copied.start(pick(transcriptionSnippets(plain), 'langchain'))
    expect(printed).toContain('fresh bread')
  })

  test('n8n', async () => {
    // The node that reads a file is n8n's own. A speech stands in for the file.
    const parameters = { resource: 'speech', text: SPOKEN, voice: { __rl: true, mode: 'id', value: 'rms' } }
    const reader = svcAudio('Read the file', { ...parameters, responseFormat: 'wav' })
    const made = await copied.runN8n(pick(transcriptionSnippets(plain), 'n8n'), [reader])
    expect(wordErrorRate(SPOKEN, textIn(JSON.stringify(made['Transcribe']?.json)))).toBeLessThanOrEqual(0.2)
  })

  test('a stored file and an address are bodies in JSON', () => {
    const codes = [{ file_id: 'file_1' }, { url: 'https://a.example/b.mp3' }].flatMap((other) =>
      transcriptionSnippets({ ...plain, source: other }),
    )
    for (const snippet of codes.filter(({ kind }) => kind === 'curl')) {
      expect(JSON.parse(/<<'JSON'\n(.*)\nJSON/s.exec(snippet.code)?.[1] ?? '')).toMatchObject({ model: plain.model })
    }
    expect(codes.map(({ code }) => code).join('\n')).toContain("url: 'https://a.example/b.mp3'")
  })
})

describe('round trip', () => {
  const snippets = roundTripSnippets({ text: SPOKEN, voice: 'rms', model: 'svc-transcribe-1.0' })

  test.each(['core', 'langchain'] as const)('%s prints what was said and heard', async (kind) => {
    const heard = /Heard: ([^]*)/.exec(await copied.start(pick(snippets, kind)))?.[1] ?? ''
    expect(wordErrorRate(SPOKEN, heard)).toBeLessThanOrEqual(0.2)
  })

  test.each(['curl', 'express', 'nestjs'] as const)('%s answers with what was heard', async (kind) => {
    const snippet = pick(snippets, kind)
    const output = kind === 'curl' ? await copied.start(snippet) : await copied.callServer(snippet)
    expect(wordErrorRate(SPOKEN, textIn(output))).toBeLessThanOrEqual(0.2)
    expect(measure(await copied.read('speech.wav')).peak).toBeGreaterThan(0.1)
  })

  test('n8n puts out what was heard', async () => {
    const made = await copied.runN8n(pick(snippets, 'n8n'))
    expect(wordErrorRate(SPOKEN, textIn(JSON.stringify(made['Listen']?.json)))).toBeLessThanOrEqual(0.2)
  })
})
