import { readdir, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HumanMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { type ResponseFunction, silence, stall } from '@svc-audio/testing'
import { createAgent } from 'langchain'
import { describe, expect, test } from 'vitest'
import { type AudioStore, folderAudioStore, readAudio } from '../src/index.ts'
import { call, toolsOf } from './support/calls.ts'
import { temporaryFolder } from './support/folder.ts'
import { startUpstream, WAV } from './support/upstream.ts'

const REASON = new Error('the user left')

/** Aborts when the request has come, and never answers. */
function aborts(controller: AbortController): ResponseFunction {
  return async (exchange) => {
    await exchange.received()
    controller.abort(REASON)
    return silence(exchange)
  }
}

test('an abort before the answer stops speak upstream and is rethrown', async () => {
  const controller = new AbortController()
  const { client, abandoned } = await startUpstream(aborts(controller))
  const { signal } = controller
  await expect(call(toolsOf({ client }).speak, { text: 'Hello.' }, { signal })).rejects.toBe(REASON)
  await abandoned()
})

test('an abort in mid-stream stops speak upstream, and nothing is stored', async () => {
  const controller = new AbortController()
  const { client, abandoned } = await startUpstream(stall({ afterBytes: 1000 }))
  const folder = await temporaryFolder()
  const inner = folderAudioStore(folder)
  const store: typeof inner = {
    ...inner,
    put: (audio, details) => {
      async function* watched(): AsyncGenerator<Uint8Array, void, undefined> {
        for await (const chunk of readAudio(audio)) {
          yield chunk
          controller.abort(REASON)
        }
      }
      return inner.put(watched(), details)
    },
  }
  const { signal } = controller
  await expect(call(toolsOf({ client, store }).speak, { text: 'Hello.' }, { signal })).rejects.toBe(REASON)
  await abandoned()
  await expect(readdir(folder)).resolves.toEqual([])
})

test('an abort reaches a store that has read everything and still works', async () => {
  const controller = new AbortController()
  const { client } = await startUpstream()
  const store: AudioStore = {
    put: async (audio, { signal }) => {
      for await (const chunk of readAudio(audio)) expect(chunk.length).toBeGreaterThan(0)
      const stopped = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
      })
      controller.abort(REASON)
      return stopped
    },
    open: async () => undefined,
  }
  const { signal } = controller
  await expect(call(toolsOf({ client, store }).speak, { text: 'Hello.' }, { signal })).rejects.toBe(REASON)
})

describe('an abort stops transcribe upstream', () => {
  test('an abort stops transcribe upstream of a URL', async () => {
    const controller = new AbortController()
    const { client, abandoned } = await startUpstream(aborts(controller))
    const { signal } = controller
    const args = { audio: 'https://example.com/a.wav' }
    await expect(call(toolsOf({ client }).transcribe, args, { signal })).rejects.toBe(REASON)
    await abandoned()
  })

  test.runIf(process.platform === 'linux')('of a file, which is closed', async () => {
    const controller = new AbortController()
    const { client, abandoned } = await startUpstream(aborts(controller))
    const allowedRoot = await temporaryFolder()
    await writeFile(join(allowedRoot, 'a.wav'), WAV)
    const { signal } = controller
    await expect(call(toolsOf({ client, allowedRoot }).transcribe, { audio: 'a.wav' }, { signal })).rejects.toBe(REASON)
    await abandoned()
    await client.close()
    const open = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    )
    expect(open.filter((path) => path.startsWith(allowedRoot))).toEqual([])
  })
})

test('an agent that is aborted stops its tool upstream', async () => {
  const controller = new AbortController()
  const { client, abandoned } = await startUpstream(aborts(controller))
  const model = fakeModel().respondWithTools([{ name: 'speak', args: { text: 'Hello.' } }])
  const { speak, transcribe } = toolsOf({ client })
  const run = createAgent({ model, tools: [speak, transcribe] }).invoke(
    { messages: [new HumanMessage('Say it.')] },
    { signal: controller.signal },
  )
  await expect(run).rejects.toThrow(REASON.message)
  await abandoned()
})

test('with an aborted signal, nothing is sent and no store is called', async () => {
  const { client, requests } = await startUpstream()
  const asked: string[] = []
  const store: AudioStore = {
    put: () => Promise.reject(new Error('not used')),
    open: async (id) => {
      asked.push(id)
      return undefined
    },
  }
  const { speak, transcribe } = toolsOf({ client, store })
  const signal = AbortSignal.abort(REASON)
  await expect(call(speak, { text: 'Hello.' }, { signal })).rejects.toBe(REASON)
  await expect(call(transcribe, { audio: 'https://example.com/a.wav' }, { signal })).rejects.toBe(REASON)
  await expect(call(transcribe, { audio: 'some_id' }, { signal })).rejects.toBe(REASON)
  expect([requests, asked]).toEqual([[], []])
})

test("LangChain's own timeout aborts the call", async () => {
  const { client, abandoned } = await startUpstream(silence)
  // Long enough for the request to arrive on a busy machine.
  await expect(call(toolsOf({ client }).speak, { text: 'Hello.' }, { timeout: 1000 })).rejects.toMatchObject({
    name: 'TimeoutError',
  })
  await abandoned()
})

test('a signal has no listeners after a call', async () => {
  const { client } = await startUpstream()
  const { speak, transcribe } = toolsOf({ client })
  const { signal } = new AbortController()
  let listeners = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1
    remove(...args)
  }
  await call(speak, { text: 'Hello.' }, { signal })
  await call(transcribe, { audio: 'https://example.com/a.wav' }, { signal })
  expect(listeners).toBe(0)
})
