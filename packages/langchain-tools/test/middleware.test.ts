import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { toneWav } from '@svc-audio/testing'
import { createAgent } from 'langchain'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { memoryAudioStore, type RunOverrides, type SpeakArtifact, type SpeechToolkit } from '../src/index.ts'
import { replaceAudio, spokenAnswerMiddleware, voiceInputMiddleware } from '../src/middleware/index.ts'
import { toolsOf } from './support/calls.ts'
import { memorySaver } from './support/memory-saver.ts'
import { fails, startUpstream } from './support/upstream.ts'

/** 76 KB, as a short voice message. */
const RECORDING = Buffer.from(toneWav(2.4)).toString('base64')

const message = (): HumanMessage =>
  new HumanMessage({
    content: [
      { type: 'text', text: 'Listen:' },
      { type: 'audio', mimeType: 'audio/wav', data: RECORDING },
    ],
  })

describe('audio in a message of the user', () => {
  test('is stored, and the model reads its reference and transcript', async () => {
    const { client } = await startUpstream()
    const store = memoryAudioStore()
    const toolkit = toolsOf({ client, store })
    const model = fakeModel().respond(new AIMessage('I heard it.'))
    const agent = createAgent({ model, tools: toolkit.tools, middleware: [voiceInputMiddleware(toolkit)] })
    const { messages } = await agent.invoke({ messages: [message()] })
    const seen = model.calls[0]?.messages.findLast((one) => HumanMessage.isInstance(one))?.content as { text: string }[]
    expect(seen[0]?.text).toBe('Listen:')
    expect(seen[1]?.text).toMatch(
      /^\[The user sent a recording\. Reference: audio_\w+\.wav\. Transcript:\]\nhello there$/,
    )
    const [, id = ''] = /Reference: (\S+)\./.exec(seen[1]?.text ?? '') ?? []
    await expect(store.open(id)).resolves.toMatchObject({ contentType: 'audio/wav' })
    expect(messages).toHaveLength(2)
    expect(JSON.stringify(messages)).not.toContain(RECORDING.slice(0, 100))
  })

  test.each([
    ['the older block', { type: 'audio', source_type: 'base64', mime_type: 'audio/wav', data: RECORDING }],
    ['OpenAI', { type: 'input_audio', input_audio: { data: RECORDING, format: 'wav' } }],
    ['bytes', { type: 'audio', mimeType: 'audio/wav', data: toneWav(1) }],
    ['a URL', { type: 'audio', url: 'https://example.com/a.wav' }],
  ])('of the form of %s is replaced', async (_, block) => {
    const { client } = await startUpstream()
    const given = new HumanMessage({ content: [block] })
    const [replaced] = await replaceAudio([given], toolsOf({ client }))
    expect(replaced?.content).toMatchObject([{ type: 'text', text: expect.stringMatching(/hello there$/) }])
  })

  test('that cannot be transcribed is reported to the model, with its reference', async () => {
    const { client } = await startUpstream(fails(415))
    const [replaced] = await replaceAudio([message()], toolsOf({ client }))
    expect(JSON.stringify(replaced?.content)).toMatch(
      /could not be transcribed\. Reference: audio_\w+\.wav\. The service cannot read/,
    )
  })

  test('is replaced in every form of a message, and other messages stay as they are', async () => {
    const { client } = await startUpstream()
    const answer = new AIMessage({ content: 'Yes?', id: 'answer' })
    const given = [
      ['user', 'Hello.'] as ['user', string],
      answer,
      { role: 'user', content: [{ type: 'audio', mimeType: 'audio/wav', data: RECORDING }], id: 'mine' },
    ]
    const [text, same, replaced, ...others] = await replaceAudio(given, toolsOf({ client }))
    expect(others).toEqual([])
    expect(text).toMatchObject({ type: 'human', content: 'Hello.' })
    expect(same).toBe(answer)
    expect(replaced).toMatchObject({ id: 'mine', content: [{ text: expect.stringMatching(/hello there$/) }] })
  })

  describe('in checkpoints', () => {
    const bytesOf = async (
      toolkit: SpeechToolkit,
      messages: BaseMessage[],
      durability: 'exit' | 'async' = 'async',
    ): Promise<number> => {
      const checkpointer = memorySaver()
      const model = fakeModel().respond(new AIMessage('I heard it.'))
      const middleware = [voiceInputMiddleware(toolkit)]
      const agent = createAgent({ model, tools: toolkit.tools, middleware, checkpointer })
      const config = { configurable: { thread_id: 'one' }, durability }
      await agent.invoke({ messages }, config)
      let bytes = 0
      for await (const tuple of checkpointer.list(config)) bytes += JSON.stringify(tuple).length
      expect(bytes).toBeGreaterThan(0)
      return bytes
    }

    test('there is none when it is replaced before the run', async () => {
      const { client } = await startUpstream()
      const toolkit = toolsOf({ client })
      expect(await bytesOf(toolkit, await replaceAudio([message()], toolkit))).toBeLessThan(20_000)
    })

    test('there is none when the run writes its checkpoint at the end', async () => {
      const { client } = await startUpstream()
      expect(await bytesOf(toolsOf({ client }), [message()], 'exit')).toBeLessThan(20_000)
    })

    test('it is only in those before the middleware otherwise', async () => {
      const { client } = await startUpstream()
      const bytes = await bytesOf(toolsOf({ client }), [message()])
      expect(bytes).toBeGreaterThan(RECORDING.length)
      expect(bytes).toBeLessThan(20_000 + 4 * RECORDING.length)
    })
  })
})

describe('with forRun, a middleware', () => {
  const contextSchema = z.object({ userId: z.string() })
  /** Tolerant: a run without a user has none. */
  const forRun = (context: unknown): RunOverrides => {
    const { userId } = (context ?? {}) as { userId?: string }
    return userId === undefined ? {} : { user: userId }
  }

  test('stores and speaks for the user of the run, also with a tolerant forRun', async () => {
    const { client } = await startUpstream()
    const store = memoryAudioStore()
    const toolkit = toolsOf({ client, store, forRun })
    const middleware = [
      voiceInputMiddleware(toolkit, { contextSchema }),
      spokenAnswerMiddleware(toolkit, { contextSchema }),
    ] as const
    for (const userId of ['ann', 'bob']) {
      const model = fakeModel().respond(new AIMessage('I heard it.'))
      const agent = createAgent({ model, tools: toolkit.tools, contextSchema, middleware })
      const { spokenAnswer = [] } = await agent.invoke({ messages: [message()] }, { context: { userId } })
      expect(JSON.stringify(model.calls[0]?.messages)).toContain('hello there')
      expect(spokenAnswer).toHaveLength(1)
    }
    const counts = ['ann', 'bob', undefined].map(async (user) => (await store.list?.({ user }))?.length)
    // The recording and the answer of each, and nothing without a user.
    await expect(Promise.all(counts)).resolves.toEqual([2, 2, 0])
  })

  test.each([
    ['voiceInputMiddleware()', (toolkit: SpeechToolkit) => voiceInputMiddleware(toolkit)],
    ['spokenAnswerMiddleware()', (toolkit: SpeechToolkit) => spokenAnswerMiddleware(toolkit)],
  ])('is refused at its creation without a contextSchema: %s', async (name, make) => {
    const { client } = await startUpstream()
    expect(() => make(toolsOf({ client, forRun }))).toThrow(`${name}: the toolkit has \`forRun\`, so \`contextSchema\``)
    expect(() => make(toolsOf({ client }))).not.toThrow()
  })

  test('is refused with an unknown or a wrong option by its name', async () => {
    const { client } = await startUpstream()
    const toolkit = toolsOf({ client })
    expect(() => voiceInputMiddleware(toolkit, { contextSchema: {} as never })).toThrow('contextSchema')
    expect(() => voiceInputMiddleware(toolkit, { schema: contextSchema } as never)).toThrow('schema')
  })

  test('ends a run whose context lacks the field that it names', async () => {
    const { client } = await startUpstream()
    const toolkit = toolsOf({ client, forRun })
    const middleware = [voiceInputMiddleware(toolkit, { contextSchema })] as const
    const agent = createAgent({ model: fakeModel().respond(new AIMessage('Hi.')), tools: [], middleware })
    await expect(agent.invoke({ messages: [message()] }, { context: {} as never })).rejects.toThrow('userId')
  })

  test('has its counterpart in replaceAudio, which needs the context too', async () => {
    const { client } = await startUpstream()
    const toolkit = toolsOf({ client, forRun })
    await expect(replaceAudio([message()], toolkit)).rejects.toThrow('replaceAudio(messages, toolkit, { context })')
    const [replaced] = await replaceAudio([message()], toolkit, { context: { userId: 'ann' } })
    expect(JSON.stringify(replaced?.content)).toContain('hello there')
  })
})

describe('the final answer', () => {
  test('the final answer is spoken, and named in the state and in stream mode custom', async () => {
    const { client, requests } = await startUpstream()
    const toolkit = toolsOf({ client })
    const model = fakeModel().respond(new AIMessage('**Forty-two.**'))
    const agent = createAgent({ model, tools: [], middleware: [spokenAnswerMiddleware(toolkit)] })
    const result = await agent.invoke({ messages: ['What is it?'] })
    expect(result.spokenAnswer).toMatchObject([
      { type: 'audio', contentType: 'audio/wav' },
    ] satisfies Partial<SpeakArtifact>[])
    expect(requests[0]?.json).toMatchObject({ input: expect.stringMatching(/^Forty-two\.$/) })
  })

  test('the final answer that is long is spoken in pieces', async () => {
    const { client, requests } = await startUpstream()
    const toolkit = toolsOf({ client, maxCharacters: 100 })
    const model = fakeModel().respond(new AIMessage('This is one sentence of the answer. '.repeat(10)))
    const agent = createAgent({ model, tools: [], middleware: [spokenAnswerMiddleware(toolkit)] })
    const { spokenAnswer = [] } = await agent.invoke({ messages: ['What is it?'] })
    expect(spokenAnswer.length).toBeGreaterThan(3)
    expect(requests).toHaveLength(spokenAnswer.length)
  })

  test('the final answer stays when it cannot be spoken, and the failure is reported', async () => {
    const { client } = await startUpstream(fails(402))
    const toolkit = toolsOf({ client })
    const model = fakeModel().respond(new AIMessage('Forty-two.'))
    const agent = createAgent({ model, tools: [], middleware: [spokenAnswerMiddleware(toolkit)] })
    const events: unknown[] = []
    let last: unknown
    for await (const [mode, chunk] of await agent.stream({ messages: ['?'] }, { streamMode: ['custom', 'values'] })) {
      if (mode === 'custom') events.push(chunk)
      else last = chunk
    }
    expect(events).toMatchObject([{ type: 'spoken_answer_failed', failure: { code: 'payment_required' } }])
    expect(last).toMatchObject({ spokenAnswer: [], messages: [{}, { content: 'Forty-two.' }] })
  })
})
