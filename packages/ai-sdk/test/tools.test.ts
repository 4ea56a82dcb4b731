import { AudioClient } from '@svc-audio/core'
import { silence, status } from '@svc-audio/testing'
import { generateText, isStepCount, type ToolSet } from 'ai'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createSpeechTools,
  memoryAudioStore,
  SpeechToolError,
  SpeechToolkit,
  type SpeechToolsOptions,
} from '../src/tools/index.ts'
import { readTexts, scriptedModel, type ScriptedCall } from './support/scripted-model.ts'
import { KEY, startUpstream, WAV } from './support/upstream.ts'

const STEPS = isStepCount(10)

/** A toolkit on a scripted service. */
async function startToolkit(options: Partial<SpeechToolsOptions> = {}) {
  const { upstream } = await startUpstream()
  const client = new AudioClient({ apiKey: KEY, baseUrl: upstream.url, maxRetries: 0 })
  onTestFinished(() => client.close())
  return { upstream, toolkit: new SpeechToolkit({ client, voice_id: 'rms', store: memoryAudioStore(), ...options }) }
}

/** Runs a scripted agent. @returns what the model read of its tools */
async function runAgent(tools: ToolSet, ...steps: readonly (readonly ScriptedCall[])[]) {
  const model = scriptedModel(...steps)
  const result = await generateText({ model, tools, prompt: 'Go.', stopWhen: STEPS, maxRetries: 0 })
  return { read: readTexts(model.doGenerateCalls.at(-1)?.prompt ?? []), result }
}

const reference = (text: string | undefined): string => /Reference: (\S+)/.exec(text ?? '')?.[1] ?? ''

test("with 'from-user', only the addresses of the user's messages are transcribed", async () => {
  const { upstream, toolkit } = await startToolkit({ allowUrls: 'from-user' })
  const asked = 'https://example.com/talk.wav'
  const model = scriptedModel(
    [{ tool: 'transcribe', args: { audio: asked } }],
    [{ tool: 'transcribe', args: { audio: 'https://example.com/other.wav' } }],
  )
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: `Transcribe ${asked}, please.` }] }]
  await generateText({ model, tools: toolkit.tools, prompt, stopWhen: STEPS, maxRetries: 0 })
  const [theirs, another] = readTexts(model.doGenerateCalls.at(-1)?.prompt ?? [])
  expect(theirs).toContain('hello there')
  expect(another).toContain('Only URLs that the user wrote are accepted here')
  expect(upstream.requests).toHaveLength(1)
})

describe('an agent', () => {
  test('speaks, transcribes what it spoke, and reads short text with references', async () => {
    const { upstream, toolkit } = await startToolkit()
    const { read, result } = await runAgent(
      toolkit.tools,
      [{ tool: 'speak', args: { text: 'Hello there.' } }],
      [{ tool: 'transcribe', args: (prompt) => ({ audio: reference(readTexts(prompt)[0]) }) }],
    )
    expect(read[0]).toMatch(/^Spoken: \S+ seconds of audio\. Reference: audio_\S+$/)
    expect(read[1]).toContain('hello there')
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/v1/audio/speech', '/v1/audio/transcriptions'])
    const [spoken] = result.steps[0]?.toolResults ?? []
    expect(spoken?.output).toMatchObject({ artifact: { type: 'audio', contentType: 'audio/wav' } })
  })

  test('reads a long transcript in parts with read_transcript', async () => {
    const transcript = 'word '.repeat(400).trim()
    const { upstream } = await startUpstream({}, { transcript })
    const client = new AudioClient({ apiKey: KEY, baseUrl: upstream.url })
    onTestFinished(() => client.close())
    const toolkit = new SpeechToolkit({
      client,
      voice_id: 'rms',
      store: memoryAudioStore(),
      maxContentCharacters: 1000,
    })
    const audio = await toolkit.storeAudio(WAV, 'audio/wav')
    const { read, result } = await runAgent(
      toolkit.tools,
      [{ tool: 'transcribe', args: { audio } }],
      [{ tool: 'read_transcript', args: (prompt) => argumentsOf(readTexts(prompt)[0]) }],
    )
    expect(read[1]?.length).toBeGreaterThan(100)
    expect(result.steps[1]?.toolResults[0]?.output).toMatchObject({ artifact: { type: 'transcript_part' } })
  })

  test('reads the sentence of a failure, without words of the service', async () => {
    const { upstream, toolkit } = await startToolkit()
    upstream.on('POST /v1/audio/speech', status(404, { error: { code: 'voice_not_found', message: `no ${KEY}` } }))
    const { read, result } = await runAgent(toolkit.tools, [{ tool: 'speak', args: { text: 'Hello.' } }])
    expect(read[0]).toMatch(/tell the user/)
    expect(read[0]).not.toContain(KEY)
    const [failed] = result.steps[0]?.content.filter(({ type }) => type === 'tool-error') ?? []
    expect(failed?.type === 'tool-error' && SpeechToolError.isInstance(failed.error)).toBe(true)
  })

  test('has one budget for all steps of a run, and a new one for the next run', async () => {
    const { toolkit } = await startToolkit({ maxCharactersPerRun: 20 })
    const call = { tool: 'speak', args: { text: 'Twelve chars' } }
    const first = await runAgent(toolkit.tools, [call], [call])
    expect(first.read[0]).toMatch(/^Spoken/)
    expect(first.read[1]).toMatch(/may use 20 characters of speech, and 8 are left/)
    const second = await runAgent(toolkit.tools, [call])
    expect(second.read[0]).toMatch(/^Spoken/)
  })

  test('stops the work at the service when it is aborted', async () => {
    const { upstream, toolkit } = await startToolkit()
    upstream.on('POST /v1/audio/speech', silence)
    const controller = new AbortController()
    const run = generateText({
      model: scriptedModel([{ tool: 'speak', args: { text: 'Hello.' } }]),
      tools: toolkit.tools,
      prompt: 'Go.',
      abortSignal: controller.signal,
    }).catch((error: unknown) => error)
    const request = await upstream.waitForRequest()
    controller.abort(new Error('the user left'))
    expect(await request.closed()).toBe('closedByClient')
    await run
  })

  test('speaks for the user of its context', async () => {
    const seen: unknown[] = []
    const { upstream, toolkit } = await startToolkit({
      forRun: (context) => {
        seen.push(context)
        return { voice_id: 'slt' }
      },
    })
    await generateText({
      model: scriptedModel([{ tool: 'speak', args: { text: 'Hello.' } }]),
      tools: toolkit.toolsFor({ userId: 'ann' }),
      prompt: 'Go.',
    })
    expect(seen).toEqual([{ userId: 'ann' }])
    expect(upstream.requests[0]?.json).toMatchObject({ voice_id: 'slt' })
  })
})

describe('the tools', () => {
  test('are the chosen ones, by the names of the application', async () => {
    const { upstream } = await startUpstream()
    const client = new AudioClient({ apiKey: KEY, baseUrl: upstream.url })
    onTestFinished(() => client.close())
    const base = { client, voice_id: 'rms', store: memoryAudioStore() }
    expect(Object.keys(createSpeechTools(base))).toEqual([
      'speak',
      'transcribe',
      'read_transcript',
      'start_transcription',
      'get_transcription',
    ])
    const tools = createSpeechTools({ ...base, tools: ['speak', 'design_voice'], names: { speak: 'say' } })
    expect(Object.keys(tools)).toEqual(['say', 'design_voice'])
  })

  test('work from the code of the application too', async () => {
    const { toolkit } = await startToolkit()
    const spoken = await toolkit.speakText('Hello.')
    expect(spoken).toMatchObject({ type: 'audio' })
  })

  test('refuse a wrong option by name', () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- options of a program without types
    expect(() => createSpeechTools({ voice_id: 'rms' } as SpeechToolsOptions)).toThrow('client')
  })

  test('tell the model their limits', async () => {
    const { toolkit } = await startToolkit({ maxCharacters: 77 })
    expect(toolkit.speak.description).toContain('77 characters')
  })
})

/** `read_transcript` takes what the answer of `transcribe` says. */
function argumentsOf(text: string | undefined): object {
  const [, id] = /"?(transcript_[\w-]+)"?/.exec(text ?? '') ?? []
  const [, from] = /from (\d+)/.exec(text ?? '') ?? []
  return { reference: id, from: Number(from) }
}
