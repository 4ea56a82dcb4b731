import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BaseMessage } from '@langchain/core/messages'
import { AudioClient } from '@svc-audio/core'
import {
  type ScriptedResponse,
  audioBytes,
  cut,
  dropConnection,
  json,
  redirect,
  silence,
  stall,
  status,
} from '@svc-audio/testing'
import { describe, expect, test } from 'vitest'
import { type AudioStore, folderAudioStore, readAudio, SpeechToolError } from '../src/index.ts'
import { call, toolsOf } from './support/calls.ts'
import { temporaryFolder } from './support/folder.ts'
import { fails, KEY, startUpstream, WAV } from './support/upstream.ts'

/** Nothing that came from upstream, from this machine or from the code may show anywhere in a message. */
function expectClean(message: BaseMessage): void {
  const all = JSON.stringify(message)
  expect(all).not.toContain(KEY)
  expect(all).not.toMatch(/upstream text|\/srv|127\.0\.0\.1|\/v1\/|node_modules|\.ts:\d/)
  expect(message.content).toMatch(/^[^\n]{10,160}\.$/)
}

describe.each(['speak', 'transcribe'] as const)('%s turns a failure into a message', (name) => {
  const args = name === 'speak' ? { text: 'Hello.' } : { audio: 'https://example.com/a.wav' }

  test.each<[what: string, code: string, retryable: boolean, answer: ScriptedResponse]>([
    ['401', 'unauthorized', false, fails(401)],
    ['403', 'unauthorized', false, fails(403)],
    ['404', 'misconfigured', false, fails(404)],
    ['400', 'rejected', false, fails(400)],
    ['413', 'audio_too_large', false, fails(413)],
    ['415', 'audio_unreadable', false, fails(415)],
    ['429', 'rate_limited', true, fails(429, {}, { 'retry-after': '1' })],
    ['402', 'payment_required', false, fails(402)],
    ['500', 'service_failed', false, fails(500)],
    ['503', 'unavailable', true, fails(503)],
    ['a redirect', 'rejected', false, redirect('http://127.0.0.1/', 302)],
    ['a closed connection', 'unavailable', true, dropConnection()],
    ['an HTML page as an error', 'unavailable', true, status(502, { body: `<html>${KEY}</html>` })],
  ])('%s is %s', async (_, code, retryable, response) => {
    const { client } = await startUpstream(response)
    const message = await call(toolsOf({ client })[name], args)
    expect(message).toMatchObject({ status: 'error', name, tool_call_id: 'call_1', artifact: { code, retryable } })
    expectClean(message)
  })

  test('a service that cannot be reached is unavailable', async () => {
    const client = new AudioClient({ apiKey: KEY, baseUrl: 'http://127.0.0.1:1' })
    const message = await call(toolsOf({ client })[name], args)
    expect(message).toMatchObject({ status: 'error', artifact: { code: 'unavailable', retryable: true } })
    expectClean(message)
    await client.close()
  })

  test('a deadline is a timeout', async () => {
    // Long enough for the request to arrive on a busy machine.
    const { client, abandoned } = await startUpstream(silence, { timeout: 1000 })
    const message = await call(toolsOf({ client })[name], args)
    expect(message).toMatchObject({ status: 'error', artifact: { code: 'timeout', retryable: true } })
    expectClean(message)
    await abandoned()
  })

  test('without a tool call, the error is thrown with the original as its cause', async () => {
    const { client } = await startUpstream(fails(500))
    const { speak, transcribe } = toolsOf({ client })
    const done = name === 'speak' ? speak.invoke({ text: 'Hello.' }) : transcribe.invoke({ audio: args.audio ?? '' })
    const error: unknown = await done.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SpeechToolError)
    expect(error).toMatchObject({ code: 'service_failed', retryable: false, cause: { status: 500 } })
    expect((error as Error).message).not.toContain('upstream text')
  })

  test('with the tool call in the config, the failure is a message', async () => {
    const { client } = await startUpstream(fails(500))
    const { speak, transcribe } = toolsOf({ client })
    const config = { toolCall: { name, args, id: 'call_2' } }
    const message =
      name === 'speak' ? speak.invoke({ text: 'Hi.' }, config) : transcribe.invoke({ audio: args.audio ?? '' }, config)
    await expect(message).resolves.toMatchObject({ status: 'error', tool_call_id: 'call_2' })
  })

  test('tracing records an error', async () => {
    const { client } = await startUpstream(fails(500))
    const errors: unknown[] = []
    const ends: unknown[] = []
    const callbacks = [
      {
        handleToolError: (error: unknown) => errors.push(error),
        handleToolEnd: (output: unknown) => ends.push(output),
      },
    ]
    await call(toolsOf({ client })[name], args, { callbacks })
    expect(errors).toMatchObject([{ code: 'service_failed' }])
    expect(ends).toEqual([])
  })
})

/** Speech whose head does not tell how much there is. */
const unsized: ScriptedResponse = { headers: { 'content-type': 'audio/wav' }, body: [WAV] }

describe('speech that does not arrive whole is not stored', () => {
  test.each<[what: string, code: string, answer: ScriptedResponse]>([
    ['cut short of its length', 'interrupted', cut({ afterBytes: 1000 })],
    ['cut without a length', 'interrupted', cut({ afterBytes: 1000 }, unsized)],
    ['empty', 'invalid_answer', audioBytes(new Uint8Array(0))],
  ])('%s', async (_, code, response) => {
    const { client } = await startUpstream(response)
    const folder = await temporaryFolder()
    const message = await call(toolsOf({ client, store: folderAudioStore(folder) }).speak, { text: 'Hello.' })
    expect(message).toMatchObject({ status: 'error', artifact: { code } })
    expectClean(message)
    await expect(readdir(folder)).resolves.toEqual([])
  })
})

test('a transcription that is no JSON is an invalid answer', async () => {
  const { client } = await startUpstream(status(200, { body: `not json ${KEY}` }))
  const message = await call(toolsOf({ client }).transcribe, { audio: 'https://example.com/a.wav' })
  expect(message).toMatchObject({ status: 'error', artifact: { code: 'invalid_answer', retryable: false } })
  expectClean(message)
})

test('after a refused URL, the message names references', async () => {
  const { client } = await startUpstream(fails(400, { param: 'url' }))
  const message = await call(toolsOf({ client }).transcribe, { audio: 'https://example.com/a.wav' })
  expect(message).toMatchObject({ status: 'error', artifact: { code: 'url_rejected', retryable: false } })
  expect(message.content).toBe('The audio service did not take this URL. Use a reference instead.')
})

test('a store that is not ready is noticed before the request', async () => {
  const { client, requests } = await startUpstream()
  const file = join(await temporaryFolder(), 'file')
  await writeFile(file, '')
  const message = await call(toolsOf({ client, store: folderAudioStore(file) }).speak, { text: 'Hello.' })
  expect(message).toMatchObject({ status: 'error', artifact: { code: 'store_failed', retryable: false } })
  expectClean(message)
  expect(requests).toEqual([])
})

test('a store that fails while it is read is not an unreachable service', async () => {
  const { client } = await startUpstream()
  const store: AudioStore = {
    put: () => Promise.reject(new Error('not used')),
    open: async () => ({
      contentType: 'audio/wav',
      async *stream() {
        yield WAV.subarray(0, 100)
        throw new Error(`no disk at /srv with ${KEY}`)
      },
    }),
  }
  const message = await call(toolsOf({ client, store }).transcribe, { audio: 'some_id' })
  expect(message).toMatchObject({ status: 'error', artifact: { code: 'store_failed', retryable: false } })
  expectClean(message)
})

describe('a store that fails', () => {
  const broken = (put: AudioStore['put']): AudioStore => ({
    put,
    open: () => Promise.reject(new Error(`no disk at /srv with ${KEY}`)),
  })

  test.each<[what: string, put: AudioStore['put']]>([
    ['at once', () => Promise.reject(new Error(`no disk at /srv with ${KEY}`))],
    [
      'half-way',
      async (audio) => {
        for await (const chunk of readAudio(audio)) throw new Error(`full after ${chunk.length} at /srv`)
        return { id: 'x', contentType: 'audio/wav', bytes: 0 }
      },
    ],
    ['by not reading to the end', async (_, { contentType }) => ({ id: 'x', contentType, bytes: 0 })],
    [
      'by an id that a path could hide in',
      async (audio, { contentType }) => {
        for await (const _ of readAudio(audio));
        return { id: '../x', contentType, bytes: 1 }
      },
    ],
  ])('a store that fails when it keeps, %s, is store_failed, and the connection is freed', async (_, put) => {
    const { client } = await startUpstream()
    const message = await call(toolsOf({ client, store: broken(put) }).speak, { text: 'Hello.' })
    expect(message).toMatchObject({ status: 'error', artifact: { code: 'store_failed', retryable: false } })
    expectClean(message)
  })

  test('a store that fails when it opens, is store_failed', async () => {
    const { client, requests } = await startUpstream(json({ text: 'x' }))
    const { transcribe } = toolsOf({ client, store: broken(() => Promise.reject(new Error('not used'))) })
    const message = await call(transcribe, { audio: 'some_id' })
    expect(message).toMatchObject({ status: 'error', artifact: { code: 'store_failed' } })
    expectClean(message)
    expect(requests).toEqual([])
  })

  test('a store that fails without reading, ends the request', async () => {
    const { client, abandoned } = await startUpstream(stall({ afterBytes: WAV.byteLength }, unsized))
    const message = await call(toolsOf({ client, store: broken(() => Promise.reject(new Error('full'))) }).speak, {
      text: 'Hello.',
    })
    expect(message).toMatchObject({ artifact: { code: 'store_failed' } })
    await abandoned()
  })

  test('a store that fails in mid-stream, ends the request', async () => {
    const { client, abandoned } = await startUpstream(stall({ afterBytes: WAV.byteLength }, unsized))
    const put: AudioStore['put'] = async (audio) => {
      for await (const chunk of readAudio(audio)) throw new Error(`full after ${chunk.length}`)
      return expect.fail('nothing came')
    }
    const message = await call(toolsOf({ client, store: broken(put) }).speak, { text: 'Hello.' })
    expect(message).toMatchObject({ artifact: { code: 'store_failed' } })
    await abandoned()
  })
})
