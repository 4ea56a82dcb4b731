import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { RunCollectorCallbackHandler } from '@langchain/core/tracers/run_collector'
import { json, silence } from '@svc-audio/testing'
import { createAgent } from 'langchain'
import { describe, expect, test } from 'vitest'
import { PROGRESS_EVENT } from '../src/index.ts'
import { call, toolsOf } from './support/calls.ts'
import { fails, startUpstream } from './support/upstream.ts'

/** A model that speaks once and then answers. */
function speaksOnce(): ReturnType<typeof fakeModel> {
  return fakeModel()
    .respondWithTools([{ name: 'speak', args: { text: 'Hello.' }, id: '1' }])
    .respond(new AIMessage('Done.'))
}

describe("a run has the tool's name", () => {
  test("a run has the tool's name in streamEvents, with includeNames and progress", async () => {
    const { client } = await startUpstream()
    const agent = createAgent({ model: speaksOnce(), tools: toolsOf({ client }).tools })
    const names: string[] = []
    const input = { messages: [new HumanMessage('Say it.')] }
    const only = { includeNames: ['speak', PROGRESS_EVENT] }
    for await (const event of agent.streamEvents(input, { version: 'v2' }, only)) {
      names.push(`${event.event} ${event.name}`)
    }
    expect(names).toEqual(['on_tool_start speak', `on_custom_event ${PROGRESS_EVENT}`, 'on_tool_end speak'])
  })

  test("a run has the tool's name in stream mode tools, and progress comes in mode custom", async () => {
    const { client } = await startUpstream()
    const agent = createAgent({ model: speaksOnce(), tools: toolsOf({ client }).tools })
    const chunks: unknown[] = []
    const input = { messages: [new HumanMessage('Say it.')] }
    for await (const [mode, chunk] of await agent.stream(input, { streamMode: ['tools', 'custom'] })) {
      chunks.push(mode === 'tools' ? [chunk.event, chunk.name] : chunk)
    }
    expect(chunks).toMatchObject([
      ['on_tool_start', 'speak'],
      { type: 'speech_tool_progress', tool: 'speak', phase: 'receiving' },
      ['on_tool_end', 'speak'],
    ])
  })

  test("a run has the tool's name in a trace, with the request id of a failure and of a success", async () => {
    const { client } = await startUpstream(fails(500, {}, { 'x-request-id': 'req_failed' }))
    const failed = new RunCollectorCallbackHandler()
    const message = await call(toolsOf({ client }).speak, { text: 'Hello.' }, { callbacks: [failed] })
    expect(failed.tracedRuns).toMatchObject([{ name: 'speak', error: expect.stringContaining('req_failed') }])
    expect(message.artifact).toEqual({ code: 'service_failed', retryable: false, requestId: 'req_failed' })
    expect(message.content).not.toContain('req_failed')
    const { client: other } = await startUpstream(json({ text: 'hi' }, { headers: { 'x-request-id': 'req_good' } }))
    const traced = new RunCollectorCallbackHandler()
    await call(toolsOf({ client: other }).transcribe, { audio: 'https://example.com/a.wav' }, { callbacks: [traced] })
    expect(JSON.stringify(traced.tracedRuns[0]?.outputs)).toContain('req_good')
  })
})

test('breaking out of stream mode tools in the middle throws nothing and stops upstream', async () => {
  const rejections: unknown[] = []
  const note = (reason: unknown): unknown => rejections.push(reason)
  process.on('unhandledRejection', note)
  try {
    const { promise: asked, resolve: noteRequest } = Promise.withResolvers<void>()
    const { client, abandoned } = await startUpstream((exchange) => {
      noteRequest()
      return silence(exchange)
    })
    const agent = createAgent({ model: speaksOnce(), tools: toolsOf({ client }).tools })
    const seen: unknown[] = []
    for await (const [, chunk] of await agent.stream({ messages: ['Say it.'] }, { streamMode: ['tools'] })) {
      seen.push(chunk)
      await asked
      break
    }
    expect(seen).toHaveLength(1)
    await abandoned()
    // A rejection is reported after the microtasks of the turn.
    await new Promise(setImmediate)
    expect(rejections).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})
