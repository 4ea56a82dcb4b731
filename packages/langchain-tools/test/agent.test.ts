import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { AudioClient } from '@svc-audio/core'
import { type RunningService, startService } from '@svc-audio/service'
import { wordErrorRate } from '@svc-audio/testing'
import { createAgent } from 'langchain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSpeechTools, folderAudioStore, type SpeakArtifact, type TranscribeArtifact } from '../src/index.ts'
import { memorySaver } from './support/memory-saver.ts'

const KEY = 'agent-test-key-0123456789'
const SAID = 'He opened the door and walked into the room with a letter in his hand.'
const ALSO_SAID = 'The children played in the garden until the evening because the weather was good.'

let folder: string
let service: RunningService
let client: AudioClient
let tools: ReturnType<typeof createSpeechTools>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-'))
  const apiKeys = new Map([[KEY, 'tests']])
  service = await startService({ dataDir: join(folder, 'service'), port: 0, apiKeys, logLevel: 'silent' })
  client = new AudioClient({ apiKey: KEY, baseUrl: service.url })
  tools = createSpeechTools({ client, voice_id: 'rms', store: folderAudioStore(join(folder, 'audio')) })
})

afterAll(async () => {
  await client.close()
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** Tool messages, the newest last. */
function answers(messages: readonly BaseMessage[]): ToolMessage[] {
  return messages.filter((message) => ToolMessage.isInstance(message))
}

/** A model that speaks each text, then has each piece of audio transcribed that a message before told it of. */
function speakThenTranscribe(...texts: string[]): ReturnType<typeof fakeModel> {
  return fakeModel()
    .respondWithTools(texts.map((text, index) => ({ name: 'speak', args: { text }, id: `speak_${index}` })))
    .respond((messages) => {
      const references = answers(messages).map(({ text }) => /Reference: (\S+)$/.exec(text)?.[1])
      return new AIMessage({
        content: '',
        tool_calls: references.map((audio, index) => ({
          name: 'transcribe',
          args: { audio },
          id: `transcribe_${index}`,
        })),
      })
    })
    .respond((messages) => new AIMessage(`Heard: ${answers(messages).at(-1)?.text}`))
}

test('an agent speaks, then transcribes what was spoken, and the words come back', async () => {
  const model = speakThenTranscribe(SAID)
  const { messages } = await createAgent({ model, tools }).invoke({ messages: [new HumanMessage('Say it.')] })
  const [spoken, heard] = answers(messages)
  expect([spoken?.status, heard?.status]).toEqual(['success', 'success'])
  const audio = (spoken as ToolMessage).artifact as SpeakArtifact
  expect(audio.durationSeconds).toBeGreaterThan(3)
  expect(audio.durationSeconds).toBeLessThan(10)
  const { text, source } = (heard as ToolMessage).artifact as TranscribeArtifact
  expect(source).toEqual({ type: 'reference', id: audio.id })
  expect(wordErrorRate(SAID, text)).toBeLessThanOrEqual(0.15)
  expect(messages.at(-1)?.content).toEqual(
    expect.stringMatching(new RegExp(`^Heard: \\[Transcript .*\\]\\n${text}\\n\\[.* ends\\.\\]$`)),
  )
})

test('the model sees a line and a transcript: no audio, no path, no key', async () => {
  const model = speakThenTranscribe(SAID)
  await createAgent({ model, tools }).invoke({ messages: [new HumanMessage('Say it.')] })
  const seen = model.calls.flatMap(({ messages }) => messages.map(({ content }) => JSON.stringify(content)))
  expect(seen.length).toBeGreaterThan(5)
  for (const content of seen) {
    expect(content).not.toContain(folder)
    expect(content).not.toContain(KEY)
    expect(content).not.toContain(service.url)
    expect(content).not.toMatch(/[A-Za-z0-9+/]{60,}/)
    // A sentence, and the lines around a transcript.
    expect(content.length).toBeLessThan(200 + 200)
  }
})

test('artifacts are small, and a checkpointer restores them unchanged', async () => {
  const checkpointer = memorySaver()
  const agent = createAgent({ model: speakThenTranscribe(SAID), tools, checkpointer })
  const config = { configurable: { thread_id: 'one' } }
  const { messages } = await agent.invoke({ messages: [new HumanMessage('Say it.')] }, config)
  const made = answers(messages).map(({ artifact }) => artifact as unknown)
  expect(JSON.parse(JSON.stringify(made))).toEqual(made)
  expect(JSON.stringify(made).length).toBeLessThan(1500)
  const saved = await checkpointer.get(config)
  const restored = saved?.channel_values['messages'] as BaseMessage[]
  expect(answers(restored).map(({ artifact }) => artifact as unknown)).toEqual(made)
  let bytes = 0
  for await (const tuple of checkpointer.list(config)) bytes += JSON.stringify(tuple).length
  expect(bytes).toBeLessThan(100_000)
})

test('simultaneous calls do not mix', async () => {
  const model = speakThenTranscribe(SAID, ALSO_SAID)
  const { messages } = await createAgent({ model, tools }).invoke({ messages: [new HumanMessage('Say both.')] })
  const artifacts = answers(messages).map(({ artifact }) => artifact as unknown)
  const ids = (artifacts.slice(0, 2) as SpeakArtifact[]).map(({ id }) => id)
  expect(new Set(ids).size).toBe(2)
  const transcripts = artifacts.slice(2) as TranscribeArtifact[]
  expect(transcripts.map(({ source }) => source)).toEqual(ids.map((id) => ({ type: 'reference', id })))
  expect(wordErrorRate(SAID, transcripts[0]?.text ?? '')).toBeLessThanOrEqual(0.15)
  expect(wordErrorRate(ALSO_SAID, transcripts[1]?.text ?? '')).toBeLessThanOrEqual(0.15)
})

test('an agent continues after bad arguments, hostile sources and a refusal of the service', async () => {
  const calls = [
    { name: 'speak', args: {} },
    { name: 'speak', args: { text: 'x'.repeat(5000) } },
    { name: 'transcribe', args: { audio: 'https://127.0.0.1/a.wav' } },
    { name: 'transcribe', args: { audio: '../../etc/passwd' } },
    // The service cannot fetch this: its answer has to reach the model in our words.
    { name: 'transcribe', args: { audio: 'https://svc-audio.invalid/a.wav' } },
  ]
  const model = fakeModel().respondWithTools(calls).respond(new AIMessage('I could not.'))
  const { messages } = await createAgent({ model, tools }).invoke({ messages: [new HumanMessage('Try.')] })
  const failed = answers(messages)
  expect(failed.map(({ artifact }) => artifact as unknown)).toMatchObject(
    ['invalid_arguments', 'text_too_long', 'private_url', 'audio_not_found', 'url_rejected'].map((code) => ({
      code,
      retryable: false,
    })),
  )
  for (const { status, content } of failed) {
    expect(status).toBe('error')
    expect(content).toMatch(/^[^\n]{20,160}\.$/)
  }
  expect(messages.at(-1)?.content).toBe('I could not.')
})

test('an error about a wrong key or voice contains neither', async () => {
  const stranger = new AudioClient({ apiKey: 'wrong-key-9876543210', baseUrl: service.url })
  const store = folderAudioStore(join(folder, 'audio'))
  const say = async (options: Parameters<typeof createSpeechTools>[0]): Promise<ToolMessage | undefined> => {
    const model = fakeModel()
      .respondWithTools([{ name: 'speak', args: { text: 'Hello.' } }])
      .respond(new AIMessage('.'))
    const agent = createAgent({ model, tools: createSpeechTools(options) })
    return answers((await agent.invoke({ messages: [new HumanMessage('Say it.')] })).messages)[0]
  }
  const unauthorized = await say({ client: stranger, voice_id: 'rms', store })
  const unknown = await say({ client, voice_id: 'no-such-voice', store })
  await stranger.close()
  expect(unauthorized).toMatchObject({ status: 'error', artifact: { code: 'unauthorized' } })
  expect(unknown).toMatchObject({ status: 'error', artifact: { code: 'misconfigured' } })
  expect(JSON.stringify([unauthorized, unknown])).not.toMatch(/wrong-key|no-such-voice/)
})
