import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { hold, json, silence } from '@svc-audio/testing'
import { createAgent } from 'langchain'
import { describe, expect, test } from 'vitest'
import {
  memoryAudioStore,
  serviceAudioStore,
  type TranscribeArtifact,
  type TranscriptPartArtifact,
} from '../src/index.ts'
import { call, toolsOf, quoted } from './support/calls.ts'
import { fails, startUpstream, WAV } from './support/upstream.ts'

/** About what is said in an hour. */
const HOUR = Array.from({ length: 9000 }, (_, index) => `word${index}`).join(' ')

/** What was said, without the lines around it. */
function said(content: string): string {
  return content.replace(/^\[Transcript [^\n]*\]\n/, '').replace(/\n\[[^\n]*\]$/, '')
}

describe('a long transcript', () => {
  test('a long transcript of an hour is read to its end in pieces by an agent, for one transcription', async () => {
    const { client, requests } = await startUpstream(json({ text: HOUR }))
    const store = memoryAudioStore()
    const { id: audio } = await store.put(WAV, { contentType: 'audio/wav' })
    const model = fakeModel().respondWithTools([{ name: 'transcribe', args: { audio }, id: 'first' }])
    const pieces = Math.ceil(HOUR.length / 7990)
    for (let piece = 1; piece < pieces; piece += 1) {
      model.respond((messages) => {
        // As a model reads it: the note at the end names the reference and the place.
        const note = /call (\w+) with reference "(\S+)" and from (\d+)\.\]$/.exec(messages.at(-1)?.text ?? '')
        const [, name = '', reference, from] = note ?? []
        const args = { reference, from: Number(from) }
        return new AIMessage({ content: '', tool_calls: [{ name, args, id: `read_${piece}` }] })
      })
    }
    model.respond(new AIMessage('Read.'))
    const agent = createAgent({ model, tools: toolsOf({ client, store }).tools })
    const { messages } = await agent.invoke({ messages: [new HumanMessage('Read it.')] }, { recursionLimit: 50 })
    const answers = messages.filter((message) => ToolMessage.isInstance(message))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 'success'))
    expect(answers.map(({ text }) => said(text)).join('')).toBe(HOUR)
    expect(answers.every(({ text }) => text.length < 8300)).toBe(true)
    expect(requests).toHaveLength(1)
    // What a checkpointer copies with every step stays small.
    expect(
      JSON.stringify(answers.slice(1).map(({ artifact }) => artifact as TranscriptPartArtifact)).length,
    ).toBeLessThan(200 * pieces)
  })

  test('a long transcript is whole in the transcript store, by the id in the artifact', async () => {
    const { client } = await startUpstream(json({ text: HOUR }))
    const toolkit = toolsOf({ client })
    const { artifact } = await call(toolkit.transcribe, { audio: 'https://example.com/a.wav' })
    const { id, text, truncated } = artifact as TranscribeArtifact
    expect([truncated, HOUR.startsWith(text), text.length < 8001]).toEqual([true, true, true])
    await expect(toolkit.transcripts.get(id)).resolves.toMatchObject({ text: HOUR })
  })

  test('a long transcript can be read by the reference of the audio too', async () => {
    const { client } = await startUpstream(json({ text: HOUR }))
    const store = memoryAudioStore()
    const { id: audio } = await store.put(WAV, { contentType: 'audio/wav' })
    const { transcribe, readTranscript } = toolsOf({ client, store })
    await call(transcribe, { audio })
    const { text: content } = await call(readTranscript, { reference: `Reference: ${audio}`, from: HOUR.length - 8 })
    expect(said(content)).toBe('word8999')
    expect(content).toContain(`Characters ${HOUR.length - 8} to ${HOUR.length} of ${HOUR.length}.`)
    expect(content).toMatch(/\[Transcript transcript_\w+ ends\.\]$/)
  })

  test.each([
    [
      'an unknown reference',
      { reference: 'transcript_none' },
      'transcript_not_found',
      /Call transcribe with the audio/,
    ],
    ['a path', { reference: '../../etc/passwd' }, 'transcript_not_found', /Call transcribe with the audio/],
    ['a place behind its end', { from: 10_000_000 }, 'invalid_arguments', /Give a smaller one/],
    ['a place before its start', { from: -1 }, 'invalid_arguments', /0 or more/],
  ])('%s is refused with what to do', async (_, args, code, sentence) => {
    const { client } = await startUpstream()
    const { transcribe, readTranscript } = toolsOf({ client })
    const { artifact } = await call(transcribe, { audio: 'https://example.com/a.wav' })
    const { id: reference } = artifact as TranscribeArtifact
    const answer = await call(readTranscript, { reference, ...args })
    expect(answer).toMatchObject({ status: 'error', artifact: { code } })
    expect(answer.content).toMatch(sentence)
  })
})

describe('the same audio', () => {
  test('the same audio is transcribed once, one after the other', async () => {
    const { client, requests } = await startUpstream()
    const store = memoryAudioStore()
    const { id: audio } = await store.put(WAV, { contentType: 'audio/wav' })
    const { transcribe } = toolsOf({ client, store })
    const [first, second] = [await call(transcribe, { audio }), await call(transcribe, { audio })]
    expect(second.content).toBe(first.content)
    expect(requests).toHaveLength(1)
  })

  test('the same audio is transcribed once for simultaneous calls, and the abort of one does not end the other', async () => {
    const held = hold(json({ text: 'hello' }))
    const { client, requests } = await startUpstream(held)
    const store = memoryAudioStore()
    const { id: audio } = await store.put(WAV, { contentType: 'audio/wav' })
    const { transcribe } = toolsOf({ client, store })
    const controller = new AbortController()
    const aborted = call(transcribe, { audio }, { signal: controller.signal })
    const other = call(transcribe, { audio })
    const reason = new Error('the user left')
    controller.abort(reason)
    await expect(aborted).rejects.toBe(reason)
    held.release()
    await expect(other).resolves.toMatchObject({ content: quoted('hello') })
    expect(requests).toHaveLength(1)
  })

  test('the same audio that takes too long is referred to start_transcription, if the model has it', async () => {
    const { client } = await startUpstream(silence, { timeout: 50 })
    const long = await call(toolsOf({ client }).transcribe, { audio: 'https://example.com/a.wav' })
    expect(long).toMatchObject({ status: 'error', artifact: { code: 'timeout' } })
    expect(long.content).toBe('The audio service took too long. Call start_transcription with this audio instead.')
    const only = toolsOf({ client, tools: ['transcribe'] })
    const { content } = await call(only.transcribe, { audio: 'https://example.com/a.wav' })
    expect(content).toBe('The audio service took too long. Try again in a minute.')
  })

  test('a failure is not stored', async () => {
    let tries = 0
    const { client } = await startUpstream(() => ((tries += 1) === 1 ? fails(415) : json({ text: 'hello' })))
    const store = memoryAudioStore()
    const { id: audio } = await store.put(WAV, { contentType: 'audio/wav' })
    const { transcribe } = toolsOf({ client, store })
    await expect(call(transcribe, { audio })).resolves.toMatchObject({ status: 'error' })
    await expect(call(transcribe, { audio })).resolves.toMatchObject({ content: quoted('hello') })
  })
})

describe('a transcription as a task', () => {
  test('a transcription as a task starts, reports its state, and returns the transcript', async () => {
    const { client, requests } = await startUpstream()
    const { startTranscription, getTranscription } = toolsOf({ client })
    const started = await call(startTranscription, { audio: 'https://example.com/a.wav' })
    expect(started).toMatchObject({ status: 'success', artifact: { type: 'transcription_task', status: 'PENDING' } })
    const [, task_id] = /^Started\. Task: (\S+)\. Call get_transcription/.exec(started.text) ?? []
    const contents: unknown[] = []
    for (let asked = 0; asked < 4; asked += 1) contents.push((await call(getTranscription, { task_id })).content)
    expect(contents[0]).toMatch(/^Not ready yet: P\w+\. Ask again in/)
    expect(contents.slice(-2)).toEqual([quoted('hello there'), quoted('hello there')])
    // Once read it is stored, and asking again asks no service.
    const before = requests.length
    await call(getTranscription, { task_id: `Task: ${task_id}` })
    expect(requests).toHaveLength(before)
  })

  test('a transcription as a task of another user is not found, and no request is sent', async () => {
    const { client, requests } = await startUpstream()
    const answer = await call(toolsOf({ client }).getTranscription, { task_id: 'task_of_somebody' })
    expect(answer).toMatchObject({ status: 'error', artifact: { code: 'task_not_found' } })
    expect(requests).toEqual([])
  })

  test("a transcription as a task is started once for the same audio, and its transcript is the audio's", async () => {
    const { client, requests, planTask } = await startUpstream()
    planTask({ polls: 1 })
    const store = memoryAudioStore()
    const { id: audio } = await store.put(WAV, { contentType: 'audio/wav' })
    const toolkit = toolsOf({ client, store })
    const { startTranscription, getTranscription, transcribe, readTranscript } = toolkit
    const started = await call(startTranscription, { audio })
    const { taskId: task_id } = started.artifact as { taskId: string }
    const again = await call(startTranscription, { audio: `Reference: ${audio}` })
    expect(again).toMatchObject({ status: 'success', artifact: { type: 'transcription_task', taskId: task_id } })
    expect(again.content).toBe(`Started before. Task: ${task_id}. Call get_transcription with this task id in a while.`)
    while ((await call(getTranscription, { task_id })).text.startsWith('Not ready')) continue
    const before = requests.length
    for (const answer of [
      await call(startTranscription, { audio }),
      await call(transcribe, { audio }),
      await call(readTranscript, { reference: audio }),
    ]) {
      expect(answer).toMatchObject({ status: 'success', content: quoted('hello there') })
    }
    expect(requests).toHaveLength(before)
  })

  test('a transcription as a task that failed is started again', async () => {
    const { client, planTask } = await startUpstream()
    planTask({ polls: 0, error: { message: 'no' } })
    const store = memoryAudioStore()
    const { id: audio } = await store.put(WAV, { contentType: 'audio/wav' })
    const { startTranscription, getTranscription } = toolsOf({ client, store })
    const start = async (): Promise<string> =>
      ((await call(startTranscription, { audio })).artifact as { taskId: string }).taskId
    const failed = await start()
    const answer = await call(getTranscription, { task_id: failed })
    expect(answer).toMatchObject({ status: 'error', artifact: { code: 'task_failed' } })
    expect(await start()).not.toBe(failed)
  })

  test('a transcription as a task is waited for by transcribe and shared by simultaneous starts: the audio is transcribed once', async () => {
    const { client, requests, planTask } = await startUpstream()
    planTask({ polls: 2 })
    const store = memoryAudioStore()
    const { id: audio } = await store.put(WAV, { contentType: 'audio/wav' })
    const { startTranscription, transcribe } = toolsOf({ client, store })
    const starts = await Promise.all([call(startTranscription, { audio }), call(startTranscription, { audio })])
    expect(new Set(starts.map(({ artifact }) => (artifact as { taskId: string }).taskId)).size).toBe(1)
    const read = await Promise.all([call(transcribe, { audio }), call(transcribe, { audio })])
    expect(read.map(({ content }) => content)).toEqual([quoted('hello there'), quoted('hello there')])
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test('a transcription as a task that fails while transcribe waits is an error, and the next transcribe sends the audio', async () => {
    const { client, planTask } = await startUpstream()
    planTask({ polls: 1, error: { message: 'no' } })
    const store = memoryAudioStore()
    const { id: audio } = await store.put(WAV, { contentType: 'audio/wav' })
    const { startTranscription, transcribe } = toolsOf({ client, store })
    await call(startTranscription, { audio })
    const failed = await call(transcribe, { audio })
    expect(failed).toMatchObject({ status: 'error', artifact: { code: 'task_failed' } })
    await expect(call(transcribe, { audio })).resolves.toMatchObject({
      status: 'success',
      content: quoted('hello there'),
    })
  })

  test('a transcription as a task that the service no longer knows does not stop transcribe', async () => {
    const store = memoryAudioStore()
    const { id: audio } = await store.put(WAV, { contentType: 'audio/wav' })
    const before = await startUpstream()
    await call(toolsOf({ client: before.client, store }).startTranscription, { audio })
    // Another service, as after a restart without its data.
    const { client } = await startUpstream()
    await expect(call(toolsOf({ client, store }).transcribe, { audio })).resolves.toMatchObject({
      content: quoted('hello there'),
    })
  })

  test('a transcription as a task is not cancelled by a transcribe that aborts while it waits', async () => {
    const { client, requests, planTask } = await startUpstream()
    planTask({ polls: 3 })
    const store = memoryAudioStore()
    const { id: audio } = await store.put(WAV, { contentType: 'audio/wav' })
    const { startTranscription, transcribe } = toolsOf({ client, store })
    await call(startTranscription, { audio })
    const controller = new AbortController()
    const reason = new Error('the user disconnected')
    const aborted = call(transcribe, { audio }, { signal: controller.signal })
    controller.abort(reason)
    await expect(aborted).rejects.toBe(reason)
    await expect(call(transcribe, { audio })).resolves.toMatchObject({ content: quoted('hello there') })
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })
})

test("the service's own files are a store: nothing is uploaded twice", async () => {
  const { client, requests } = await startUpstream()
  const store = serviceAudioStore(client)
  const { id } = await store.put(WAV, { contentType: 'audio/wav', user: 'ann' })
  const forRun = (context: unknown): { user: string } => context as { user: string }
  const { transcribe } = toolsOf({ client, store, forRun })
  const message = await call(transcribe, { audio: id }, { context: { user: 'ann' } })
  expect(message).toMatchObject({ status: 'success', content: quoted('hello there') })
  expect(requests.at(-1)?.json).toEqual({ model: 'svc-transcribe-1.0', file_id: id })
  const other = await call(transcribe, { audio: id }, { context: { user: 'bob' } })
  expect(other).toMatchObject({ status: 'error', artifact: { code: 'audio_not_found' } })
})
