import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { AudioClient } from '../src/index.ts'
import { API_KEY, collect, connect, rejection } from './support/clients.ts'
import { closedPort, readBody, startRawServer, startServer } from './support/servers.ts'
import { CREATED, delta, frames, openEvents, pcm, sendEvents, SPEECH, STREAM } from './support/speech.ts'

const INPUT = 'a very private sentence'

/** Everything that a log could show of a value. */
function traces(value: unknown): string {
  const error = value instanceof Error ? [value.message, value.stack, String(value), traces(value.cause)] : []
  const shown = inspect(value, { depth: Infinity, showHidden: true, getters: true })
  return [...error, shown, JSON.stringify(value)].join('\n')
}

const create = (client: AudioClient): Promise<unknown> => client.speech.create({ ...SPEECH, input: INPUT })
const read = async (client: AudioClient): Promise<unknown> =>
  collect(await client.speech.stream({ ...STREAM, input: INPUT }))

/** Every way to fail, with a service that repeats what it was sent wherever it can. */
const failures: readonly (readonly [kind: string, how: string, fail: () => Promise<unknown>])[] = [
  [
    'ApiError',
    'nested',
    async () => {
      const message = `Incorrect API key provided: ${API_KEY}`
      const error = { message, code: `bad:${API_KEY}`, param: API_KEY, type: API_KEY }
      const server = await startServer((_, response) => void response.writeHead(401).end(JSON.stringify({ error })))
      return rejection(create(connect(server.url)))
    },
  ],
  [
    'ApiError',
    'the whole request as text',
    async () => {
      const server = await startServer((request, response) => {
        response.writeHead(400).end(`bad request: ${request.rawHeaders.join(' ')}`)
      })
      return rejection(create(connect(server.url)))
    },
  ],
  [
    'StreamFailedError',
    'an error event',
    async () => {
      const error = { message: `key ${API_KEY} has expired`, code: API_KEY }
      const server = await startServer((_, response) => sendEvents(response, CREATED, { type: 'error', error }))
      return rejection(read(connect(server.url)))
    },
  ],
  [
    'StreamTruncatedError',
    'a cut stream',
    async () => {
      const server = await startServer((_, response) => {
        openEvents(response)
        response.write(frames(CREATED, delta(pcm(10))), () => response.destroy())
      })
      return rejection(read(connect(server.url)))
    },
  ],
  [
    'ProtocolError',
    'no JSON',
    async () => {
      const server = await startServer((_, response) => void response.end('not JSON'))
      return rejection(connect(server.url).speech.createUrl({ ...SPEECH, input: INPUT }))
    },
  ],
  [
    'ProtocolError',
    'no event stream',
    async () => {
      const server = await startServer((_, response) => void response.setHeader('content-type', 'text/html').end('x'))
      return rejection(read(connect(server.url)))
    },
  ],
  ['ConnectionError', 'refused', async () => rejection(create(connect(await closedPort())))],
  [
    'ConnectionError',
    'reset',
    async () => rejection(create(connect((await startRawServer((socket) => socket.resetAndDestroy())).url))),
  ],
  [
    'ConnectionError',
    'a response that is the request',
    async () => rejection(create(connect((await startRawServer((socket, first) => socket.end(first))).url))),
  ],
  [
    'ConfigurationError',
    'an impossible header',
    async () => rejection(connect(await closedPort()).models.list({ headers: { 'x-a': 'b\nc' } })),
  ],
  [
    'TimeoutError',
    'no response',
    async () => {
      const server = await startServer(() => {})
      return rejection(create(connect(server.url, { timeout: 50 })))
    },
  ],
  [
    'InvalidRequestError',
    'a refused body',
    async () => rejection(connect(await closedPort()).speech.create({ ...SPEECH, input: INPUT, voice_id: '' })),
  ],
  [
    'InvalidRequestError',
    'a broken upload',
    async () => {
      const server = await startServer(async (request) => void (await readBody(request).catch(() => {})))
      const file = async function* torn(): AsyncGenerator<Uint8Array, void, undefined> {
        yield pcm(10)
        throw new Error('torn')
      }
      return rejection(connect(server.url).transcriptions.create({ model: 'svc-transcribe-1.0', file }))
    },
  ],
  [
    'NotReplayableError',
    'a stream that would have to be sent twice',
    async () => {
      const server = await startServer(async (request, response) => {
        await readBody(request)
        response.writeHead(503, { 'retry-after': '0' }).end(`${request.headers.authorization}`)
      })
      const file = new Blob([INPUT]).stream()
      const client = connect(server.url, { maxRetries: 1 })
      return rejection(client.transcriptions.create({ model: 'svc-transcribe-1.0', file }))
    },
  ],
  [
    'ResultUnavailableError',
    'an expired address',
    async () => {
      const server = await startServer((request, response) => {
        response.writeHead(403).end(`${request.headers.authorization} has expired`)
      })
      return rejection(connect(server.url).download({ url: `${server.url}/result` }))
    },
  ],
  [
    'TaskFailedError',
    'a failed task that repeats what it was given',
    async () => {
      const error = { code: API_KEY, message: `no voice for ${API_KEY}` }
      const server = await startServer((_, response) => {
        response.end(
          JSON.stringify({ id: 't', object: 'audio.speech', status: 'FAILED', error: { ...error, code: 'c' } }),
        )
      })
      const failed = await rejection(connect(server.url).tasks.wait('t'))
      // The error itself stays as it came; what is made of it must not contain the key.
      const { name, message, stack } = failed as Error
      return Object.assign(new Error(message, { cause: stack }), { name })
    },
  ],
  [
    'TaskTimeoutError',
    'a wait that took too long',
    async () => {
      const server = await startServer(() => {})
      return rejection(connect(server.url).tasks.wait('t', { timeout: 20 }))
    },
  ],
  [
    'ConfigurationError',
    'an impossible timeout',
    async () => rejection(connect(await closedPort()).models.list({ timeout: -1 })),
  ],
]

describe('interface: Authentication, the key goes into one header and nowhere else', () => {
  test.each(failures)('%s by %s shows neither the key nor the text', async (name, _, fail) => {
    const error = await fail()
    expect(error).toMatchObject({ name })
    expect(traces(error)).not.toContain(API_KEY)
    expect(traces(error)).not.toContain(INPUT)
  })

  test('these cover every kind of error', async () => {
    const kinds = new Set(failures.map(([name]) => name))
    const all = Object.keys(await import('../src/errors.ts')).filter((name) => name.endsWith('Error'))
    // One that the decoder's limit of 64 MiB makes, and the base.
    expect([...kinds].toSorted()).toEqual(
      all.filter((name) => !/^(?:EventTooLarge|SvcAudio)Error$/.test(name)).toSorted(),
    )
  })

  test('a client and its results do not show the key', async () => {
    const server = await startServer((_, response) => sendEvents(response, CREATED, { type: 'speech.audio.done' }))
    const client = connect(server.url)
    const stream = await client.speech.stream(STREAM)
    for (const value of [client, client.speech, client.transcriptions, client.voices, client.models, stream]) {
      expect(traces(value)).not.toContain(API_KEY)
    }
    await collect(stream)
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`)
    expect(server.requests[0]?.url).not.toContain(API_KEY)
  })
})
