import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { AudioClient } from '@svc-audio/core'
import { json, toneWav } from '@svc-audio/testing'
import { createAgent } from 'langchain'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { folderAudioStore, memoryAudioStore, type RunOverrides, type SpeakArtifact } from '../src/index.ts'
import { call, toolsOf, quoted } from './support/calls.ts'
import { temporaryFolder } from './support/folder.ts'
import { memorySaver } from './support/memory-saver.ts'
import { KEY, startUpstream, WAV } from './support/upstream.ts'

/** Names the run's user by its context. */
const forRun = (context: unknown): RunOverrides => ({ user: (context as { user?: string } | undefined)?.user })

/** A model that speaks these texts, one call after the other. */
function speaks(...texts: string[]): ReturnType<typeof fakeModel> {
  const model = fakeModel()
  for (const [index, text] of texts.entries())
    model.respondWithTools([{ name: 'speak', args: { text }, id: `${index}` }])
  return model.respond(new AIMessage('Done.'))
}

describe('two users of one store', () => {
  test.each([
    ['memory', async () => memoryAudioStore()],
    ['a folder', async () => folderAudioStore(await temporaryFolder())],
  ])('two users of one store in %s never open audio, transcripts or tasks of each other', async (_, create) => {
    const { client } = await startUpstream(undefined, { transcript: 'my secret' })
    const toolkit = toolsOf({ client, store: await create(), forRun })
    const ann = { context: { user: 'ann' } }
    const spoken = await call(toolkit.speak, { text: 'Hello.' }, ann)
    const { id: audio } = spoken.artifact as SpeakArtifact
    const heard = await call(toolkit.transcribe, { audio }, ann)
    const { id: reference } = heard.artifact as { id: string }
    const started = await call(toolkit.startTranscription, { audio }, ann)
    const { taskId: task_id } = started.artifact as { taskId: string }
    for (const context of [{ user: 'bob' }, { user: 'ANN' }, { user: '../ann' }]) {
      const answers = [
        await call(toolkit.transcribe, { audio }, { context }),
        await call(toolkit.startTranscription, { audio }, { context }),
        await call(toolkit.readTranscript, { reference }, { context }),
        await call(toolkit.readTranscript, { reference: audio }, { context }),
        await call(toolkit.getTranscription, { task_id }, { context }),
      ]
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 'error'))
      expect(JSON.stringify(answers)).not.toContain('my secret')
    }
    await expect(call(toolkit.readTranscript, { reference }, ann)).resolves.toMatchObject({
      content: quoted('my secret'),
    })
  })

  test('a run without a user is refused', async () => {
    const { client, requests } = await startUpstream()
    const { speak } = toolsOf({ client, forRun })
    for (const context of [undefined, {}, { user: '' }, { user: 7 }]) {
      const answer = await call(speak, { text: 'Hello.' }, { context })
      expect(answer).toMatchObject({ status: 'error', artifact: { code: 'misconfigured' } })
    }
    expect(requests).toEqual([])
  })

  test('an async forRun is refused: its user would be lost', async () => {
    const { client, requests } = await startUpstream()
    const later = (async () => ({ user: 'ann' })) as unknown as typeof forRun
    const answer = await call(toolsOf({ client, forRun: later }).speak, { text: 'Hello.' })
    expect(answer).toMatchObject({ status: 'error', artifact: { code: 'misconfigured' } })
    expect(requests).toEqual([])
  })
})

test("voice, key and marking of a user come from the run's context and are in no checkpoint", async () => {
  const { client, requests } = await startUpstream()
  const shared = new AudioClient({ apiKey: 'not-the-key-of-ann', baseUrl: client.baseUrl })
  const { tools } = toolsOf({
    client: shared,
    forRun: (context) => {
      const { voice } = context as { voice: string }
      return { user: 'ann', client, voice_id: voice, aigc_metadata: { enabled: true, propagate_id: 'ann-7' } }
    },
  })
  const checkpointer = memorySaver()
  const agent = createAgent({ model: speaks('Hello.'), tools, checkpointer })
  const config = { configurable: { thread_id: 'one' }, context: { voice: 'voice-of-ann' } }
  await agent.invoke({ messages: [new HumanMessage('Say it.')] }, config)
  expect(requests[0]).toMatchObject({
    authorized: true,
    json: { voice_id: 'voice-of-ann', aigc_metadata: { enabled: true, propagate_id: 'ann-7' } },
  })
  let saved = ''
  for await (const tuple of checkpointer.list({ configurable: { thread_id: 'one' } })) saved += JSON.stringify(tuple)
  expect(saved).toContain('Reference:')
  expect(saved).not.toMatch(/voice-of-ann|ann-7/)
  expect(saved).not.toContain(KEY)
  await shared.close()
})

describe('budgets', () => {
  test('characters of a run limit its speech, and the next run starts at zero', async () => {
    const { client, requests } = await startUpstream()
    const toolkit = toolsOf({ client, maxCharactersPerRun: 25 })
    const run = async (): Promise<string[]> => {
      const agent = createAgent({ model: speaks('Ten chars.', 'Ten chars.', 'Ten chars.'), tools: toolkit.tools })
      const { messages } = await agent.invoke({ messages: [new HumanMessage('Say it.')] })
      return messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text)
    }
    const [first, second, third] = await run()
    expect([first, second].every((text) => text?.startsWith('Spoken'))).toBe(true)
    expect(third).toBe('In this run you may use 25 characters of speech, and 5 are left. Use less, or tell the user.')
    expect(requests).toHaveLength(2)
    const [again] = await run()
    expect(again).toMatch(/^Spoken/)
  })

  test('audio that is too long is refused before it is sent', async () => {
    const { client, requests } = await startUpstream()
    const store = memoryAudioStore()
    const { id: audio } = await store.put(toneWav(3), { contentType: 'audio/wav' })
    const { transcribe, startTranscription } = toolsOf({ client, store, maxAudioSeconds: 2 })
    for (const tool of [transcribe, startTranscription]) {
      const answer = await call(tool, { audio })
      expect(answer).toMatchObject({ status: 'error', artifact: { code: 'audio_too_long' } })
      expect(answer.content).toBe('The audio has 3 seconds; at most 2 are transcribed. Use a shorter one.')
    }
    expect(requests).toEqual([])
  })

  test('seconds of a run include the lengths that the service reports', async () => {
    const { client } = await startUpstream(json({ text: 'hello', task: 'transcribe', duration: 50, segments: [] }))
    const { transcribe } = toolsOf({ client, maxAudioSecondsPerRun: 60 })
    const statuses: unknown[] = []
    for (const name of ['a', 'b', 'c']) {
      statuses.push((await call(transcribe, { audio: `https://example.com/${name}.wav` })).status)
    }
    // The length of a URL's audio is known only afterwards, so the second call still begins.
    expect(statuses).toEqual(['success', 'success', 'error'])
  })
})

describe('voices that the application lists', () => {
  const voices = [
    { name: 'Anna', voice_id: 'slt', description: 'calm' },
    { name: 'Ben', voice_id: 'rms', language: 'en' },
  ]

  test('voices that the application lists are listed, chosen by name, and speak together', async () => {
    const { client, requests } = await startUpstream()
    const { listVoices, speak, speakDialogue } = toolsOf({ client, voices })
    await expect(call(listVoices, {})).resolves.toMatchObject({ content: 'Anna: calm\nBen (en)', artifact: { voices } })
    await call(speak, { text: 'Hello.', voice: 'anna' })
    const lines = [
      { voice: 'Anna', text: '**Hi** Ben.' },
      { voice: 'Ben', text: 'Hi Anna.' },
      { voice: 'Anna', text: 'Bye.' },
    ]
    await expect(call(speakDialogue, { lines })).resolves.toMatchObject({ status: 'success' })
    expect(requests.map(({ json: body }) => body)).toMatchObject([
      { voice_id: 'slt' },
      {
        model: 'svc-ttsd-1.0',
        speakers: [
          { id: 'slt', voice_id: 'slt' },
          { id: 'rms', voice_id: 'rms' },
        ],
        segments: [
          { speaker: 'slt', text: 'Hi Ben.' },
          { speaker: 'rms', text: 'Hi Anna.' },
          { speaker: 'slt', text: 'Bye.' },
        ],
      },
    ])
    const wrong = await call(speak, { text: 'Hello.', voice: 'Zed' })
    expect(wrong).toMatchObject({ status: 'error', artifact: { code: 'invalid_arguments' } })
    expect(wrong.content).toBe('There is no voice "Zed". Choose one of: Anna, Ben.')
  })

  test('the schema for the model names each voice with a line, and another spelling is understood', async () => {
    const { client } = await startUpstream()
    const { speak } = toolsOf({ client, voices })
    expect(z.toJSONSchema(speak.schema).properties?.['voice']).toMatchObject({
      type: 'string',
      enum: ['Anna', 'Ben'],
      description: 'The voice.\nAnna: calm\nBen (en)',
    })
    await expect(call(speak, { text: 'Hello.', voice: ' ANNA ' })).resolves.toMatchObject({ status: 'success' })
  })

  test('a designed voice speaks a sample', async () => {
    const { client, requests } = await startUpstream()
    const { designVoice } = toolsOf({ client })
    const args = { instruction: 'an old man, slow', text: 'Hello.' }
    await expect(call(designVoice, args)).resolves.toMatchObject({ status: 'success', artifact: { type: 'audio' } })
    expect(requests[0]?.route).toBe('POST /v1/audio/voice/generations')
    expect(requests[0]?.json).toMatchObject({
      model: 'svc-voice-generator-1.0',
      input: 'Hello.',
      instruction: args.instruction,
    })
  })
})

test('a stored recording of the user is transcribed', async () => {
  const { client } = await startUpstream()
  const store = memoryAudioStore()
  const { id: audio } = await store.put(new Blob([WAV]), { contentType: 'audio/wav' })
  await expect(call(toolsOf({ client, store }).transcribe, { audio })).resolves.toMatchObject({
    content: quoted('hello there'),
  })
})
