import type { ToolMessage } from '@langchain/core/messages'
import { AudioClient } from '@svc-audio/core'
import {
  type ScriptedResponse,
  audioBytes,
  cut,
  dropConnection,
  happy,
  json,
  silence,
  toneWav,
} from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import { type AudioStore, memoryAudioStore, type SpeechToolkit } from '../src/index.ts'
import { call, toolsOf, quoted } from './support/calls.ts'
import { fails, KEY, startUpstream } from './support/upstream.ts'

/** Three seconds, as a WAV header tells them. */
const RECORDING = toneWav(3)

/** One call that uses up the whole budget of its run. */
const CALLS: Readonly<Record<string, (toolkit: SpeechToolkit, audio: string) => Promise<unknown>>> = {
  speak: ({ speak }) => call(speak, { text: 'Ten chars.' }),
  speak_dialogue: ({ speakDialogue }) => call(speakDialogue, { lines: [{ voice: 'Anna', text: 'Ten chars.' }] }),
  design_voice: ({ designVoice }) => call(designVoice, { instruction: 'calm', text: 'Hello.' }),
  transcribe: ({ transcribe }, audio) => call(transcribe, { audio }),
  start_transcription: ({ startTranscription }, audio) => call(startTranscription, { audio }),
}

/**
 * Calls a tool whose first request fails, and then again.
 * @returns The codes of the failures; `undefined` is a success.
 */
async function callTwice(
  tool: string,
  response: ScriptedResponse,
  { timeout, broken }: { timeout?: number; broken?: Partial<AudioStore> } = {},
): Promise<unknown[]> {
  let requests = 0
  const first: ScriptedResponse = (exchange) => {
    requests += 1
    if (requests > 1) return happy(exchange)
    return typeof response === 'function' ? response(exchange) : response
  }
  const options = timeout === undefined ? {} : { timeout }
  const { client } = await startUpstream(first, { maxRetries: 0, ...options })
  const memory = memoryAudioStore()
  const { id } = await memory.put(RECORDING, { contentType: 'audio/wav' })
  let calls = 0
  const store: AudioStore = {
    put: (audio, given) => (calls === 1 && broken?.put ? broken.put(audio, given) : memory.put(audio, given)),
    open: (...given) => memory.open(...given),
    ready: async (access) => (calls === 1 ? broken?.ready?.(access) : undefined),
  }
  const voices = [{ name: 'Anna', voice_id: 'slt' }]
  const toolkit = toolsOf({ client, store, voices, maxCharactersPerRun: 10, maxAudioSecondsPerRun: 4 })
  const codes: unknown[] = []
  for (calls = 1; calls <= 2; calls += 1) {
    const message = (await CALLS[tool]?.(toolkit, id)) as ToolMessage | undefined
    codes.push((message?.artifact as { code?: string } | undefined)?.code)
  }
  return codes
}

describe.each(Object.keys(CALLS))('the budget of a run and a failed call of %s', (tool) => {
  test.each<[what: string, code: string, answer: ScriptedResponse]>([
    ['a refusal', 'rejected', fails(400)],
    ['a busy service', 'rate_limited', fails(429)],
    ['a service that is not ready', 'unavailable', fails(503)],
    ['an internal error', 'service_failed', fails(500)],
  ])('%s costs nothing', async (_, code, response) => {
    await expect(callTwice(tool, response)).resolves.toEqual([code, undefined])
  })

  test.each<[what: string, code: string, answer: ScriptedResponse]>([
    ['a lost connection', 'unavailable', dropConnection()],
    ['a gateway that lost the answer', 'unavailable', fails(504)],
    ['an answer that is no answer', 'invalid_answer', json([])],
  ])('%s may be billed, and counts', async (_, code, response) => {
    await expect(callTwice(tool, response)).resolves.toEqual([code, 'budget_exceeded'])
  })

  test('a deadline that passed may be billed, and counts', async () => {
    await expect(callTwice(tool, silence, { timeout: 100 })).resolves.toEqual(['timeout', 'budget_exceeded'])
  })
})

describe.each(['speak', 'speak_dialogue', 'design_voice'])('the budget of a run and audio of %s', (tool) => {
  test('that was cut off counts', async () => {
    const response = cut({ afterBytes: 100 }, audioBytes(RECORDING, 'audio/wav'))
    await expect(callTwice(tool, response)).resolves.toEqual(['interrupted', 'budget_exceeded'])
  })

  test('that the store could not take counts', async () => {
    const put = (): Promise<never> => Promise.reject(new Error('The disk is full'))
    await expect(callTwice(tool, happy, { broken: { put } })).resolves.toEqual(['store_failed', 'budget_exceeded'])
  })

  test('that was never requested, because the store was not ready, costs nothing', async () => {
    const ready = (): Promise<never> => Promise.reject(new Error('The disk is full'))
    await expect(callTwice(tool, happy, { broken: { ready } })).resolves.toEqual(['store_failed', undefined])
  })
})

test('a service that cannot be reached costs nothing', async () => {
  const { client } = await startUpstream()
  const broken = new AudioClient({ apiKey: KEY, baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })
  let current = broken
  const { speak } = toolsOf({ client, maxCharactersPerRun: 10, forRun: () => ({ client: current }) })
  await expect(call(speak, { text: 'Ten chars.' })).resolves.toMatchObject({ artifact: { code: 'unavailable' } })
  current = client
  await expect(call(speak, { text: 'Ten chars.' })).resolves.toMatchObject({ status: 'success' })
  await expect(call(speak, { text: 'x' })).resolves.toMatchObject({ artifact: { code: 'budget_exceeded' } })
  await broken.close()
})

test('the seconds of a task count once it reports them', async () => {
  const { client, planTask } = await startUpstream()
  const { startTranscription, getTranscription } = toolsOf({ client, maxAudioSecondsPerRun: 60 })
  const start = async (name: string): Promise<{ code?: string; taskId?: string }> =>
    (await call(startTranscription, { audio: `https://example.com/${name}.wav` })).artifact as object
  planTask({ polls: 0, result: { text: 'hello', duration: 61 } })
  const { taskId: task_id } = await start('a')
  await expect(call(getTranscription, { task_id })).resolves.toMatchObject({ content: quoted('hello') })
  // Reading it again counts nothing again.
  await expect(call(getTranscription, { task_id })).resolves.toMatchObject({ content: quoted('hello') })
  await expect(start('b')).resolves.toMatchObject({ code: 'budget_exceeded' })
})
