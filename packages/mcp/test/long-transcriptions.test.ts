import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import {
  memoryAudioStore,
  type PendingTranscript,
  type StoredTranscript,
  type TranscriptStore,
} from '@svc-audio/agent-tools'
import { AudioClient } from '@svc-audio/core'
import { createTestUpstream, happy, hold, status, type TestUpstream, toneWav } from '@svc-audio/testing'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { SpeechServerOptions } from '../src/index.ts'
import { callTool, connect, KEY, textOf } from './support.ts'

// Desktop clients end a call after 60 seconds: the default of the official client. All time here is scripted.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Minutes of the service's work. */
const WORK_SECONDS = 300

interface Setup {
  readonly upstream: TestUpstream
  readonly mcp: Client
  readonly options: Pick<SpeechServerOptions, 'client' | 'store'>
}

async function setup(options: Partial<SpeechServerOptions> = {}): Promise<Setup> {
  const upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello there' })
  // No network: nothing waits for a real clock.
  const client = new AudioClient({ apiKey: KEY, baseUrl: upstream.url, transport: upstream.transport, maxRetries: 0 })
  onTestFinished(async () => {
    await client.close()
    await upstream.close()
  })
  const store = options.store ?? memoryAudioStore()
  const mcp = await connect({ client, ...options, store })
  // With the schemas, this client checks each result.
  await mcp.listTools()
  return { upstream, mcp, options: { client, store } }
}

/** Moves the clock until the call has ended. @returns its result, and the seconds that it took */
async function timed<Result>(call: Promise<Result>): Promise<{ readonly result: Result; readonly seconds: number }> {
  const state = { isDone: false }
  const ended = call.finally(() => {
    state.isDone = true
  })
  ended.catch(() => {})
  let seconds = 0
  while (!state.isDone && seconds < 1000) {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => void setImmediate(resolve))
    if (state.isDone) break
    await vi.advanceTimersByTimeAsync(1000)
    seconds += 1
  }
  return { result: await ended, seconds }
}

/** The handle in a result, as a model reads it. */
function taskIn(result: CallToolResult): string {
  return /call get_transcription with task_id "([^"]+)"/.exec(textOf(result))?.[1] ?? ''
}

/** Waits as a model does that does what the results say. */
async function untilReady(mcp: Client, first: CallToolResult): Promise<{ result: CallToolResult; longest: number }> {
  let [result, longest] = [first, 0]
  for (let call = 0; call < 20 && taskIn(result) !== ''; call += 1) {
    const next = await timed(callTool(mcp, 'get_transcription', { task_id: taskIn(result) }))
    longest = Math.max(longest, next.seconds)
    result = next.result
  }
  return { result, longest }
}

test.each([
  ['text', {}, 'hello there'],
  ['subtitles', { format: 'srt' }, '00:00:00,000 --> 00:00:01,000\nAnn: hello there'],
])('a transcription of five minutes of work survives a limit of 60 seconds: %s', async (_, more, said) => {
  const { upstream, mcp } = await setup()
  const segment = { type: 'transcript.text.segment', id: '0', start: 0, end: 1, text: 'hello there', speaker: 'S01' }
  const given = 'format' in more ? { ...more, speakers: ['Ann'] } : more
  upstream.nextTask({ polls: Infinity, result: { segments: 'format' in more ? [segment] : [] } })
  const first = await timed(callTool(mcp, 'transcribe', { audio: 'https://example.com/a.mp3', ...given }))
  expect(first.seconds).toBeLessThan(50)
  expect(first.result).toMatchObject({
    structuredContent: { type: 'transcription_task', taskId: taskIn(first.result) },
  })
  setTimeout(() => void finish(upstream), (WORK_SECONDS - first.seconds) * 1000)
  const { result, longest } = await untilReady(mcp, first.result)
  expect(longest).toBeLessThan(50)
  expect(result.isError).not.toBe(true)
  expect(textOf(result)).toContain(said)
  // The audio was sent once, and the same audio is not transcribed again.
  const again = await timed(callTool(mcp, 'get_transcription', { task_id: taskIn(first.result) }))
  expect(textOf(again.result)).toBe(textOf(result))
  expect(upstream.requests.filter(({ route }) => route === 'POST /v1/audio/transcriptions')).toHaveLength(1)
})

/** Ends the task that is polled. */
async function finish(upstream: TestUpstream): Promise<void> {
  const poll = upstream.requests.findLast(({ path }) => path.includes('/tasks/'))
  await upstream.completeTask(poll?.path.split('/').at(-1) ?? '')
}

test.each(['transcribe', 'start_transcription'])(
  'one address begins one task, until its transcript is there: %s',
  async (tool) => {
    const { upstream, mcp } = await setup({ taskAfter: 5000 })
    const audio = 'https://example.com/a.mp3'
    upstream.nextTask({ polls: Infinity })
    const [first] = await Promise.all([timed(callTool(mcp, 'transcribe', { audio })), callTool(mcp, tool, { audio })])
    const again = await timed(callTool(mcp, tool, { audio }))
    await finish(upstream)
    const { result } = await timed(callTool(mcp, 'get_transcription', { task_id: taskIn(first.result) }))
    expect(textOf(result)).toContain('hello there')
    expect(again.result.isError).not.toBe(true)
    const sent = (): number => upstream.requests.filter(({ route }) => route === 'POST /v1/audio/transcriptions').length
    expect(sent()).toBe(1)
    // Another audio may be there by now.
    const anew = await timed(callTool(mcp, 'transcribe', { audio }))
    expect(textOf(anew.result)).toContain('hello there')
    expect(sent()).toBe(2)
  },
)

test('a task id that nobody gave names the tools that give one', async () => {
  const { mcp } = await setup()
  const { result } = await timed(callTool(mcp, 'get_transcription', { task_id: 'task_1' }))
  expect(textOf(result)).toContain('as transcribe or start_transcription returned it')
  const few = await setup({ tools: ['transcribe', 'get_transcription'] })
  const { tools } = await few.mcp.listTools()
  expect(JSON.stringify(tools)).not.toContain('start_transcription')
})

test('a client that asks for progress gets the transcript in one call', async () => {
  const { upstream, mcp } = await setup({ taskAfter: 600_000 })
  upstream.nextTask({ polls: Infinity })
  setTimeout(() => void finish(upstream), WORK_SECONDS * 1000)
  const reports: number[] = []
  const options = {
    resetTimeoutOnProgress: true,
    onprogress: ({ progress }: { progress: number }) => reports.push(progress),
  }
  const call = callTool(mcp, 'transcribe', { audio: 'https://example.com/a.mp3' }, options)
  const { result, seconds } = await timed(call)
  expect(textOf(result)).toContain('hello there')
  expect(seconds).toBeGreaterThan(WORK_SECONDS - 5)
  expect(reports.length).toBeGreaterThan(30)
  expect(reports).toEqual(reports.toSorted((one, other) => one - other))
})

test('an upload that takes longer than a call continues, and the next calls find it', async () => {
  const store = memoryAudioStore()
  const { id: audio } = await store.put(toneWav(1), { contentType: 'audio/wav' })
  const { upstream, mcp } = await setup({ store })
  const held = hold(happy)
  upstream.next('POST /v1/audio/transcriptions', held)
  const first = await timed(callTool(mcp, 'transcribe', { audio }))
  expect(first.result.structuredContent).toMatchObject({ type: 'transcription_task', status: 'SENDING' })
  const second = await timed(callTool(mcp, 'transcribe', { audio }))
  expect(second.result.structuredContent).toMatchObject({ status: 'SENDING' })
  held.release()
  const { result } = await untilReady(mcp, second.result)
  expect(textOf(result)).toContain('hello there')
  expect(upstream.requests.filter(({ route }) => route === 'POST /v1/audio/transcriptions')).toHaveLength(1)
})

test('start_transcription returns while its audio is sent, and the same call finds it', async () => {
  const store = memoryAudioStore()
  const { id: audio } = await store.put(toneWav(1), { contentType: 'audio/wav' })
  const { upstream, mcp } = await setup({ store })
  const held = hold(happy)
  upstream.next('POST /v1/audio/transcriptions', held)
  const first = await timed(callTool(mcp, 'start_transcription', { audio }))
  expect(textOf(first.result)).toContain('still being sent. Call start_transcription with the same audio again')
  held.release()
  const { result } = await timed(callTool(mcp, 'start_transcription', { audio }))
  const { taskId } = result.structuredContent as { taskId: string }
  const read = await timed(callTool(mcp, 'get_transcription', { task_id: taskId }))
  expect(textOf(read.result)).toContain('hello there')
})

test('a task is found after a restart of the server, and by the same audio', async () => {
  const stored = new Map<string, StoredTranscript | PendingTranscript>()
  const transcripts: TranscriptStore = {
    get: async (id) => stored.get(id),
    set: async (id, transcript) => void stored.set(id, transcript),
  }
  const store = { ...memoryAudioStore(), transcripts }
  const { id: audio } = await store.put(toneWav(1), { contentType: 'audio/wav' })
  const { upstream, mcp, options } = await setup({ store, taskAfter: 5000 })
  upstream.nextTask({ polls: Infinity })
  const first = await timed(callTool(mcp, 'transcribe', { audio }))
  await mcp.close()
  await finish(upstream)
  const after = await connect({ ...options, taskAfter: 5000 })
  const read = await timed(callTool(after, 'get_transcription', { task_id: taskIn(first.result) }))
  const heard = await timed(callTool(after, 'transcribe', { audio }))
  for (const { result } of [read, heard]) expect(textOf(result)).toContain('hello there')
  expect(upstream.requests.filter(({ route }) => route === 'POST /v1/audio/transcriptions')).toHaveLength(1)
})

test('a call that its client cuts off loses nothing', async () => {
  const store = memoryAudioStore()
  const { id: audio } = await store.put(toneWav(1), { contentType: 'audio/wav' })
  const { upstream, mcp } = await setup({ store })
  upstream.nextTask({ polls: Infinity })
  const cut = await timed(callTool(mcp, 'transcribe', { audio }, { timeout: 10_000 }).catch(String))
  expect(cut.result).toContain('timed out')
  await finish(upstream)
  const { result } = await timed(callTool(mcp, 'transcribe', { audio }))
  expect(textOf(result)).toContain('hello there')
  expect(upstream.requests.filter(({ route }) => route === 'POST /v1/audio/transcriptions')).toHaveLength(1)
})

test('a task that fails tells its model, and is not waited for again', async () => {
  const { upstream, mcp } = await setup({ taskAfter: 5000 })
  upstream.nextTask({ polls: Infinity, error: { code: 'engine_failed', message: 'it broke' } })
  const first = await timed(callTool(mcp, 'transcribe', { audio: 'https://example.com/a.mp3' }))
  await finish(upstream)
  const { result } = await untilReady(mcp, first.result)
  expect(result).toMatchObject({ isError: true, structuredContent: { code: 'task_failed' } })
})

/** The minutes that a model lets pass before its next call. */
const later = (): Promise<unknown> => timed(new Promise((resolve) => void setTimeout(resolve, 120_000)))

test('a task that fails between two calls tells its model at the next one, and is begun again by the same audio', async () => {
  const store = memoryAudioStore()
  const { id: audio } = await store.put(toneWav(1), { contentType: 'audio/wav' })
  const { upstream, mcp } = await setup({ store, taskAfter: 5000 })
  upstream.nextTask({ polls: Infinity, error: { code: 'engine_failed', message: 'it broke' } })
  const first = await timed(callTool(mcp, 'transcribe', { audio }))
  await finish(upstream)
  await later()
  for (let call = 0; call < 2; call += 1) {
    const { result } = await timed(callTool(mcp, 'get_transcription', { task_id: taskIn(first.result) }))
    expect(result).toMatchObject({ isError: true, structuredContent: { code: 'task_failed' } })
  }
  const { result } = await timed(callTool(mcp, 'transcribe', { audio }))
  expect(textOf(result)).toContain('hello there')
})

test('an upload that fails between two calls tells its model at the next one', async () => {
  const store = memoryAudioStore()
  const { id: audio } = await store.put(toneWav(1), { contentType: 'audio/wav' })
  const { upstream, mcp } = await setup({ store })
  const held = hold(status(402, { error: { message: 'no credit' } }))
  upstream.next('POST /v1/audio/transcriptions', held)
  const first = await timed(callTool(mcp, 'transcribe', { audio }))
  expect(first.result.structuredContent).toMatchObject({ status: 'SENDING' })
  held.release()
  await later()
  const { result } = await timed(callTool(mcp, 'get_transcription', { task_id: taskIn(first.result) }))
  expect(result.isError).toBe(true)
  expect(textOf(result)).toContain('no credit left')
})

test('without get_transcription, a call waits to its end', async () => {
  const { upstream, mcp } = await setup({ tools: ['speak', 'transcribe', 'read_transcript'] })
  const { result } = await timed(callTool(mcp, 'transcribe', { audio: 'https://example.com/a.mp3' }))
  expect(textOf(result)).toContain('hello there')
  expect(upstream.requests).toHaveLength(1)
})

test('a wrong taskAfter is refused by its name', async () => {
  await expect(setup({ taskAfter: 0 })).rejects.toThrow('taskAfter')
})
