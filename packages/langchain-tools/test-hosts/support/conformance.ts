// Rules that hold for every tool and loader on each version of LangChain. Runs as a program in a user's project.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Document } from '@langchain/core/documents'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { AudioClient } from '@svc-audio/core'
import { memoryAudioStore, SpeechToolError, SpeechToolkit } from '@svc-audio/langchain-tools'
import {
  AudioSubtitleLoader,
  AudioTranscriptLoader,
  AudioTranscriptSegmentsLoader,
} from '@svc-audio/langchain-tools/loaders'
import { replaceAudio, spokenAnswerMiddleware, voiceInputMiddleware } from '@svc-audio/langchain-tools/middleware'
import { agentStage, speakStage, transcribeStage } from '@svc-audio/langchain-tools/voice'
import {
  type ScriptedResponse,
  createTestUpstream,
  happy,
  type RecordedRequest,
  silence,
  status,
  toneWav,
} from '@svc-audio/testing'
import { createAgent } from 'langchain'

const upstream = await createTestUpstream({ transcript: 'hello there' })
const client = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url })
const store = memoryAudioStore()
const contexts: unknown[] = []
const toolkit = new SpeechToolkit({
  client,
  voice_id: 'rms',
  store,
  voices: [{ name: 'Anna', voice_id: 'slt' }],
  tools: [
    'speak',
    'transcribe',
    'read_transcript',
    'start_transcription',
    'get_transcription',
    'list_voices',
    'speak_dialogue',
    'design_voice',
  ],
  forRun: (context) => {
    contexts.push(context)
    return {}
  },
})
const { id: audio } = await store.put(toneWav(1), { contentType: 'audio/wav' })
const started = await toolkit.startTranscription.invoke({ audio })
const [, task_id] = /Task: (\S+)\./.exec(started) ?? []
await toolkit.transcribe.invoke({ audio })

/** Arguments that work, and arguments that do not. */
const ARGUMENTS: Readonly<
  Record<string, readonly [good: Record<string, unknown>, bad: Record<string, unknown> | undefined]>
> = {
  speak: [{ text: 'Hello.' }, { text: 7 }],
  transcribe: [{ audio }, {}],
  read_transcript: [{ reference: audio, from: 0 }, { from: 'x' }],
  start_transcription: [{ audio }, { audio: null }],
  get_transcription: [{ task_id }, {}],
  list_voices: [{}, undefined],
  speak_dialogue: [{ lines: [{ voice: 'Anna', text: 'Hello.' }] }, { lines: 'x' }],
  design_voice: [{ instruction: 'calm', text: 'Hello.' }, { text: 'x' }],
}

type AnyTool = (typeof toolkit.tools)[number]
const call = async (tool: AnyTool, args: Record<string, unknown>, config: object = {}): Promise<ToolMessage> =>
  (await tool.invoke({ type: 'tool_call', id: 'call_1', name: tool.name, args }, config)) as ToolMessage

const agentFor = (tool: AnyTool, extra: object = {}): ReturnType<typeof createAgent> => {
  const [args] = ARGUMENTS[tool.name] ?? [{}]
  const model = fakeModel()
    .respond(new AIMessage({ content: '', tool_calls: [{ name: tool.name, args, id: '1' }] }))
    .respond(new AIMessage('Done.'))
  return createAgent({ model, tools: [tool], ...extra })
}

/** Arguments of a call that reaches the service: no transcript is stored for them. `undefined` if no call does. */
async function newArguments(tool: AnyTool): Promise<Record<string, unknown> | undefined> {
  const [good = {}] = ARGUMENTS[tool.name] ?? []
  if (tool.name === 'list_voices' || tool.name === 'read_transcript') return undefined
  const recording = async (): Promise<string> => (await store.put(toneWav(1), { contentType: 'audio/wav' })).id
  if ('audio' in good) return { audio: await recording() }
  if (tool.name !== 'get_transcription') return good
  const begun = await toolkit.startTranscription.invoke({ audio: await recording() })
  return { task_id: /Task: (\S+)\./.exec(begun)?.[1] }
}

/** Runs something while every request is answered like this. */
async function answering(response: ScriptedResponse, run: () => Promise<void>): Promise<void> {
  upstream.on('*', response)
  try {
    await run()
  } finally {
    upstream.on('*', happy)
  }
}

/** Aborts work once its request has arrived: the work rejects with the reason, and the request is closed. */
async function abortsRequest(work: Promise<unknown>, abort: () => void, reason: unknown): Promise<void> {
  const ended = work.then(
    () => assert.fail('the aborted call succeeded'),
    (error: unknown) => error,
  )
  const request = await openRequest()
  abort()
  assert.equal(await ended, reason)
  assert.equal(await request.closed(), 'closedByClient')
}

/** The request that is not answered yet. */
async function openRequest(): Promise<RecordedRequest> {
  for (;;) {
    const open = upstream.requests.find(({ ended }) => ended === undefined)
    if (open !== undefined) return open.received()
    await setImmediate()
  }
}

const TOOL_RULES: Readonly<Record<string, (tool: AnyTool) => Promise<void>>> = {
  async schema(tool) {
    const { function: described } = convertToOpenAITool(tool)
    assert.equal(described.name, tool.name)
    assert.equal((described.parameters as { type: string }).type, 'object')
    assert.ok((described.description ?? '').length > 20)
  },
  async 'content and artifact'(tool) {
    const [good] = ARGUMENTS[tool.name] ?? [{}]
    const message = await call(tool, good)
    assert.ok(ToolMessage.isInstance(message))
    assert.equal(message.status, 'success', message.text)
    assert.equal(typeof message.content, 'string')
    assert.equal(message.name, tool.name)
    assert.equal(message.tool_call_id, 'call_1')
    assert.deepEqual(JSON.parse(JSON.stringify(message.artifact)), message.artifact)
  },
  async errors(tool) {
    const [, bad] = ARGUMENTS[tool.name] ?? []
    if (bad === undefined) return
    const message = await call(tool, bad)
    assert.equal(message.status, 'error')
    assert.equal((message.artifact as { code: string }).code, 'invalid_arguments')
    assert.doesNotMatch(message.text, /\n|\bat .*:\d+|schema/)
  },
  async 'errors of the service'(tool) {
    const args = await newArguments(tool)
    if (args === undefined) return
    const secret = `text of the service with ${upstream.apiKey}`
    await answering(status(402, { error: { code: 'no_credit', message: secret } }), async () => {
      const message = await call(tool, args)
      assert.equal(message.status, 'error')
      assert.equal((message.artifact as { code: string }).code, 'payment_required')
      assert.ok(!JSON.stringify(message).includes(secret))
      // Without a tool call there is no message to return.
      await assert.rejects(tool.invoke(args), (error) => SpeechToolError.isInstance(error) && !error.retryable)
    })
  },
  async 'abort in flight'(tool) {
    const args = await newArguments(tool)
    if (args === undefined) return
    await answering(silence, async () => {
      const controller = new AbortController()
      const reason = new Error('enough')
      await abortsRequest(call(tool, args, { signal: controller.signal }), () => controller.abort(reason), reason)
    })
  },
  async 'abort before the call'(tool) {
    const reason = new Error('enough')
    const [good] = ARGUMENTS[tool.name] ?? [{}]
    await assert.rejects(call(tool, good, { signal: AbortSignal.abort(reason) }), (error) => error === reason)
  },
  async 'run name'(tool) {
    const names: unknown[] = []
    const [good] = ARGUMENTS[tool.name] ?? [{}]
    const handleToolStart = (...args: unknown[]): unknown => names.push(args[6])
    await call(tool, good, { callbacks: [{ handleToolStart }] })
    assert.deepEqual(names, [tool.name])
  },
  async 'stream modes'(tool) {
    const modes = new Set<string>()
    const named: unknown[] = []
    const streamMode = ['tools', 'custom', 'updates', 'messages'] as ('updates' | 'messages')[]
    for await (const item of await agentFor(tool).stream({ messages: ['Go.'] }, { streamMode })) {
      const [mode, chunk] = item as unknown as [string, { event?: string; name?: string }]
      modes.add(mode)
      if (mode === 'tools' && chunk.event === 'on_tool_start') named.push(chunk.name)
    }
    assert.deepEqual(named, [tool.name])
    assert.ok(modes.has('updates') && modes.has('messages'))
  },
  async 'config pass-through'(tool) {
    const context = { user: tool.name }
    contexts.length = 0
    await agentFor(tool).invoke({ messages: ['Go.'] }, { context })
    assert.deepEqual(contexts, [context])
  },
  async 'serialisation through a checkpointer'(tool) {
    const require = createRequire(import.meta.url)
    const graph = createRequire(require.resolve('langchain'))('@langchain/langgraph') as {
      MemorySaver: new () => object
    }
    const agent = agentFor(tool, { checkpointer: new graph.MemorySaver() })
    const config = { configurable: { thread_id: tool.name } }
    const { messages } = (await agent.invoke({ messages: ['Go.'] }, config)) as { messages: BaseMessage[] }
    const state = (await agent.graph.getState(config)) as { values: { messages: BaseMessage[] } }
    const made = messages.find((message) => ToolMessage.isInstance(message))
    const restored = state.values.messages.find((message) => ToolMessage.isInstance(message))
    assert.ok(made !== undefined && restored !== undefined)
    assert.equal(made.status, 'success', made.text)
    assert.deepEqual(restored.artifact, made.artifact)
    assert.equal(restored.content, made.content)
  },
}

for (const tool of toolkit.tools) {
  for (const [rule, check] of Object.entries(TOOL_RULES)) {
    await check(tool).catch((error: unknown) => {
      throw new Error(`${tool.name}: ${rule}`, { cause: error })
    })
    console.log(`ok ${tool.name}: ${rule}`)
  }
}

const LOADERS = [AudioTranscriptLoader, AudioTranscriptSegmentsLoader, AudioSubtitleLoader]
type AnyLoader = (typeof LOADERS)[number]
const loaderOptions = { client, model: 'svc-transcribe-diarize-pro' }

const LOADER_RULES: Readonly<Record<string, (Loader: AnyLoader) => Promise<void>>> = {
  async 'load and lazyLoad'(Loader) {
    const loader = new Loader([toneWav(1), toneWav(1)], loaderOptions)
    const documents = await loader.load()
    assert.ok(documents.length > 0)
    for (const document of documents) {
      assert.ok(document instanceof Document)
      assert.equal(typeof document.pageContent, 'string')
    }
    const lazy: Document[] = []
    for await (const document of loader.lazyLoad()) lazy.push(document)
    assert.deepEqual(lazy, documents)
  },
  async 'serialisation of documents, without a local path'(Loader) {
    const folder = await mkdtemp(join(tmpdir(), 'loader-'))
    await writeFile(join(folder, 'a.wav'), toneWav(1))
    const documents = await new Loader(folder, loaderOptions).load()
    assert.deepEqual(
      JSON.parse(JSON.stringify(documents.map(({ metadata }) => metadata))),
      documents.map(({ metadata }) => ({ ...metadata })),
    )
    assert.deepEqual([...new Set(documents.map(({ metadata }) => metadata.source))], ['a.wav'])
    assert.ok(!JSON.stringify(documents).includes(folder))
    await rm(folder, { recursive: true })
  },
  async errors(Loader) {
    await answering(status(402), async () => {
      await assert.rejects(new Loader(toneWav(1), loaderOptions).load(), { name: 'ApiError', status: 402 })
      const failed: string[] = []
      const onError = (_error: unknown, source: string): void => void failed.push(source)
      assert.deepEqual(await new Loader([toneWav(1), toneWav(1)], { ...loaderOptions, onError }).load(), [])
      assert.deepEqual(failed, ['audio', 'audio'])
    })
  },
  async 'wrong options'(Loader) {
    assert.throws(() => new Loader('x', { ...loaderOptions, concurrency: 0 }), /concurrency/)
    assert.throws(() => new Loader('x', { ...loaderOptions, diarise: true } as typeof loaderOptions), /diarise/)
  },
  async 'abort before the load'(Loader) {
    const reason = new Error('enough')
    const loader = new Loader(toneWav(1), { ...loaderOptions, signal: AbortSignal.abort(reason) })
    await assert.rejects(loader.load(), (error) => error === reason)
  },
  async 'abort in flight'(Loader) {
    await answering(silence, async () => {
      const controller = new AbortController()
      const reason = new Error('enough')
      const loader = new Loader(toneWav(1), { ...loaderOptions, signal: controller.signal })
      await abortsRequest(loader.load(), () => controller.abort(reason), reason)
    })
  },
  async progress(Loader) {
    const done: number[] = []
    const onProgress = (progress: { done: number }): void => void done.push(progress.done)
    await new Loader([toneWav(1), toneWav(1)], { ...loaderOptions, onProgress }).load()
    assert.deepEqual(done, [1, 2])
  },
}

for (const Loader of LOADERS) {
  for (const [rule, check] of Object.entries(LOADER_RULES)) {
    await check(Loader).catch((error: unknown) => {
      throw new Error(`${Loader.name}: ${rule}`, { cause: error })
    })
    console.log(`ok ${Loader.name}: ${rule}`)
  }
}

const block = { type: 'audio', mimeType: 'audio/wav', data: Buffer.from(toneWav(1)).toString('base64') }
const middleware = [voiceInputMiddleware(toolkit), spokenAnswerMiddleware(toolkit)]
const agent = createAgent({ model: fakeModel().respond(new AIMessage('Yes.')), tools: [], middleware })
const result = (await agent.invoke({ messages: [{ role: 'user', content: [block] }] })) as unknown as {
  messages: BaseMessage[]
  spokenAnswer?: unknown[]
}
assert.match(JSON.stringify(result.messages[0]?.content), /Transcript:\]\\nhello there/)
assert.equal(result.spokenAnswer?.length, 1)
const [first] = result.messages
assert.ok(first !== undefined)
assert.deepEqual(await replaceAudio([first], toolkit), [first])
console.log('ok middleware')

async function* utterances(): AsyncGenerator<Uint8Array> {
  yield toneWav(1)
}
const speaker = createAgent({ model: fakeModel().respond(new AIMessage('Yes. No.')), tools: [] })
const types: string[] = []
const answered = agentStage(transcribeStage(utterances(), { client }), { agent: speaker })
for await (const { type } of speakStage(answered, { client, voice_id: 'rms' })) types.push(type)
assert.ok(
  ['stt_output', 'agent_chunk', 'tts_chunk', 'turn_end'].every((type) => types.includes(type)),
  types.join(),
)
console.log('ok voice pipeline')

await client.close()
await upstream.close()
