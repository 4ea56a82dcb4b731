import { afterEach, describe, expect, test, vi } from 'vitest'
import { uploadsOver } from '../test/fake-upload.ts'
import { fetchWithProgress, type SentBytes } from './fetch-with-progress.ts'

const URL_OF_FILES = new URL('http://127.0.0.1:5173/api/v1/files')
const body = new Blob(['0123456789'])

function serve(response: typeof fetch): void {
  vi.stubGlobal('XMLHttpRequest', uploadsOver(response))
}

afterEach(() => {
  vi.unstubAllGlobals()
})

test('sends method, headers and body, and returns status, headers and body', async () => {
  serve(async (input, init) => {
    const text = await new Response(init?.body).text()
    const type = new Headers(init?.headers).get('content-type')
    return Response.json(
      { input, method: init?.method, type, text },
      { status: 201, headers: { 'x-request-id': 'r:1' } },
    )
  })
  const init = { method: 'POST', headers: { 'content-type': 'audio/wav' }, body }
  const response = await fetchWithProgress(URL_OF_FILES, init, () => {})
  expect([response.status, response.headers.get('x-request-id')]).toEqual([201, 'r:1'])
  expect(await response.json()).toEqual({
    input: URL_OF_FILES.href,
    method: 'POST',
    type: 'audio/wav',
    text: '0123456789',
  })
})

test('reports the bytes that were sent', async () => {
  serve(async () => new Response('{}'))
  const progress: SentBytes[] = []
  await fetchWithProgress(URL_OF_FILES, { method: 'POST', body }, (sent) => progress.push(sent))
  expect(progress).toEqual([
    { sent: 5, total: 10 },
    { sent: 10, total: 10 },
  ])
})

test('a response without a body has none', async () => {
  serve(async () => new Response(null, { status: 204 }))
  const response = await fetchWithProgress(URL_OF_FILES, { method: 'POST', body }, () => {})
  expect([response.status, response.body]).toEqual([204, null])
})

test('a lost connection is a TypeError, as that of fetch', async () => {
  serve(async () => Promise.reject(new Error('reset')))
  const sent = fetchWithProgress(URL_OF_FILES, { method: 'POST', body }, () => {})
  await expect(sent).rejects.toThrow(TypeError)
})

test('an abort ends the request, with the reason of its signal', async () => {
  const reason = new Error('stopped')
  let ended = false
  serve(
    (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => {
          ended = true
          reject(new Error('aborted'))
        })
      }),
  )
  const controller = new AbortController()
  const sent = fetchWithProgress(URL_OF_FILES, { method: 'POST', body, signal: controller.signal }, () => {})
  controller.abort(reason)
  await expect(sent).rejects.toBe(reason)
  expect(ended).toBe(true)
})

test('an aborted signal sends nothing', async () => {
  const respond = vi.fn<typeof fetch>()
  serve(respond)
  const signal = AbortSignal.abort(new Error('stopped'))
  const sent = fetchWithProgress(URL_OF_FILES, { method: 'POST', body, signal }, () => {})
  await expect(sent).rejects.toThrow('stopped')
  expect(respond).not.toHaveBeenCalled()
})

describe('a response that streams', () => {
  let stream: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
  let cancelled: boolean
  async function open(signal?: AbortSignal): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    cancelled = false
    const answer = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => (stream = controller),
      cancel: () => void (cancelled = true),
    })
    serve(async (_input, init) => {
      init?.signal?.addEventListener('abort', () => {
        cancelled = true
        stream.error(new Error('aborted'))
      })
      return new Response(answer)
    })
    const init = { method: 'POST', body, ...(signal === undefined ? {} : { signal }) }
    const response = await fetchWithProgress(URL_OF_FILES, init, () => {})
    const reader = response.body?.getReader()
    if (reader === undefined) throw new Error('The response has no body')
    return reader
  }
  const every = Uint8Array.from({ length: 256 }, (_, value) => value)

  test('a response that streams is read while it arrives, with each byte unchanged', async () => {
    const reader = await open()
    stream.enqueue(every)
    expect((await reader.read()).value).toEqual(every)
    stream.enqueue(every.subarray(200))
    expect((await reader.read()).value).toEqual(every.subarray(200))
    stream.close()
    expect((await reader.read()).done).toBe(true)
  })

  test('a response that streams ends with an error when the connection is lost', async () => {
    const reader = await open()
    stream.error(new Error('reset'))
    await expect(reader.read()).rejects.toThrow(new TypeError('The connection was lost.'))
  })

  test('a response that streams ends with the reason of the signal after an abort, in the service too', async () => {
    const controller = new AbortController()
    const reader = await open(controller.signal)
    const reason = new Error('stopped')
    controller.abort(reason)
    await expect(reader.read()).rejects.toBe(reason)
    expect(cancelled).toBe(true)
  })

  test('a response that streams ends in the service when the reader stops', async () => {
    const reader = await open()
    await reader.cancel()
    expect(cancelled).toBe(true)
  })
})
