import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startWebServer, type WebServer } from '../../../test/support/web-server.ts'
import { createAudioUrlPolicy } from '../../domain/url-policies.ts'
import type { ResolvedAddress } from '../../domain/addresses.ts'
import { type AudioFetcherOptions, createAudioFetcher } from './audio-fetcher.ts'

const HERE = { address: '127.0.0.1', family: 4 }
const never = new AbortController().signal

let folder: string
let server: WebServer
let answer: RequestListener
/** The addresses of names, which are resolved in this order. */
let resolved: Record<string, ResolvedAddress[]>
let asked: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
  answer = (_request, response) => response.end('sound')
  server = await startWebServer((request, response) => answer(request, response))
  resolved = { 'media.example.com': [HERE] }
  asked = []
})
afterEach(async () => {
  server.close()
  await rm(folder, { recursive: true, force: true })
})

interface Call extends Partial<AudioFetcherOptions> {
  readonly allow?: string[]
  readonly signal?: AbortSignal
}

/** The result of fetching a URL. */
async function fetchText(
  url: string,
  { allow = ['127.0.0.1'], signal = never, ...options }: Call = {},
): Promise<string> {
  const path = join(folder, 'file')
  const fetcher = createAudioFetcher({
    policy: createAudioUrlPolicy(allow),
    resolve: async (host) => {
      asked.push(host)
      const addresses = resolved[host]
      if (addresses === undefined) throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' })
      return addresses
    },
    ...options,
  })
  await fetcher.fetch({ url, param: 'audio_url', path }, signal)
  return readFile(path, 'utf8')
}

const named = (path = '/'): string => `http://media.example.com:${server.port}${path}`
const fault = (code: string, status = 400) => expect.objectContaining({ status, code, param: 'audio_url' })

describe('a fetched file', () => {
  test('is stored as sent, and the request reveals nothing', async () => {
    expect(await fetchText(named('/a.wav?x=1'))).toBe('sound')
    const { method, url, headers } = server.requests[0] ?? {}
    expect({ method, url, host: headers?.host }).toEqual({
      method: 'GET',
      url: '/a.wav?x=1',
      host: `media.example.com:${server.port}`,
    })
    for (const name of ['authorization', 'cookie', 'referer']) expect(headers).not.toHaveProperty(name)
  })

  test('comes from the checked address: the name is resolved once', async () => {
    await fetchText(named())
    expect(asked).toEqual(['media.example.com'])
  })

  test('may be redirected five times, each time to a checked address', async () => {
    answer = (request, response) => {
      const count = Number(request.url?.slice(1))
      if (count >= 5) response.end(`after ${count}`)
      else response.writeHead(302, { location: `/${count + 1}` }).end('not this')
    }
    expect(await fetchText(named('/0'))).toBe('after 5')
    expect(asked).toHaveLength(6)
    await rm(join(folder, 'file'))
    await expect(fetchText(named('/-1'))).rejects.toEqual(fault('url_unreachable'))
  })
})

describe('a private address', () => {
  // rules: transcription.url-public
  test('is refused before any resolution', async () => {
    await expect(fetchText(server.url, { allow: [] })).rejects.toEqual(fault('private_url'))
    expect(asked).toEqual([])
    expect(server.requests).toEqual([])
  })

  test('is refused when a public name resolves to it, among public ones too', async () => {
    resolved['mixed.example.com'] = [{ address: '93.184.216.34', family: 4 }, HERE]
    for (const url of [named(), `http://mixed.example.com:${server.port}/`]) {
      await expect(fetchText(url, { allow: [] })).rejects.toEqual(fault('private_url'))
    }
    expect(server.requests).toEqual([])
  })

  test.each([
    ['by its address', 'http://[::1]:PORT/'],
    ['of the cloud', 'http://169.254.169.254/latest/meta-data'],
    ['by a name', 'http://localhost:PORT/'],
    ['by a public name', 'http://rebound.example.com:PORT/'],
  ])('is refused as the target of a redirect %s', async (_how, location) => {
    resolved['rebound.example.com'] = [{ address: '127.0.0.2', family: 4 }]
    answer = (_request, response) =>
      response.writeHead(301, { location: location.replace('PORT', String(server.port)) }).end()
    await expect(fetchText(named())).rejects.toEqual(fault('private_url'))
    expect(server.requests).toHaveLength(1)
  })

  test.each(['file:///etc/passwd', 'ftp://media.example.com/', 'http://a:b@media.example.com/', 'http://:0/', '//['])(
    'a redirect to %s is refused too',
    async (location) => {
      answer = (_request, response) => response.writeHead(307, { location }).end()
      await expect(fetchText(named())).rejects.toEqual(fault('invalid_url'))
    },
  )
})

describe('unreachable URLs give an error', () => {
  test.each([204, 206, 304, 401, 404, 500])('a response with status %i', async (status) => {
    answer = (_request, response) => response.writeHead(status).end()
    await expect(fetchText(named())).rejects.toEqual(fault('url_unreachable'))
  })

  test('a host without an address, a closed port, a response that breaks off', async () => {
    await expect(fetchText('http://unknown.example.com/')).rejects.toEqual(fault('url_unreachable'))
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half')
      setImmediate(() => response.destroy())
    }
    await expect(fetchText(named())).rejects.toEqual(fault('url_unreachable'))
    const { port } = server
    server.close()
    await expect(fetchText(`http://media.example.com:${port}/`)).rejects.toEqual(fault('url_unreachable'))
  })

  test('a host that does not answer, or stops in the middle', async () => {
    answer = () => undefined
    await expect(fetchText(named(), { idleTimeout: 50 })).rejects.toEqual(fault('url_unreachable'))
    answer = (_request, response) => void response.write('half')
    await expect(fetchText(named(), { idleTimeout: 50 })).rejects.toEqual(fault('url_unreachable'))
  })

  test('a host that takes too long in all, and a slow resolver', async () => {
    answer = (_request, response) => {
      const drip = setInterval(() => response.write('x'), 5)
      response.on('close', () => clearInterval(drip))
    }
    await expect(fetchText(named(), { timeout: 60 })).rejects.toEqual(fault('url_unreachable'))
    const resolve = () => new Promise<never>(() => undefined)
    await expect(fetchText(named(), { timeout: 20, resolve })).rejects.toEqual(fault('url_unreachable'))
  })

  test('the message names neither the URL nor an address', async () => {
    server.close()
    const error: unknown = await fetchText(named('/?token=secret')).catch((reason: unknown) => reason)
    expect(String(error)).not.toMatch(/secret|127\.0\.0\.1|media/)
  })
})

// rules: limits.file-size
describe('a file over the limit', () => {
  test('is refused by its announced size', async () => {
    answer = (_request, response) => response.writeHead(200, { 'content-length': 11 }).write('x')
    await expect(fetchText(named(), { maxBytes: 10 })).rejects.toEqual(fault('file_too_large', 413))
  })

  test('is refused by its real size', async () => {
    answer = (_request, response) => {
      response.write('x'.repeat(8))
      setImmediate(() => response.end('x'.repeat(3)))
    }
    await expect(fetchText(named(), { maxBytes: 10 })).rejects.toEqual(fault('file_too_large', 413))
  })

  test('of exactly the limit is accepted', async () => {
    answer = (_request, response) => response.end('x'.repeat(10))
    expect(await fetchText(named(), { maxBytes: 10 })).toHaveLength(10)
  })
})

test('an abort throws its reason and disconnects', async () => {
  const controller = new AbortController()
  let closed = false
  answer = (_request, response) => {
    response.on('close', () => (closed = true))
    response.write('half')
    controller.abort(new Error('changed my mind'))
  }
  await expect(fetchText(named(), { signal: controller.signal })).rejects.toThrow('changed my mind')
  await expect.poll(() => closed).toBe(true)
})

test('a failing disk is not the sender’s fault', async () => {
  const path = join(folder, 'missing', 'file')
  const fetcher = createAudioFetcher({ policy: createAudioUrlPolicy(['127.0.0.1']) })
  const fetching = fetcher.fetch({ url: server.url, param: 'url', path }, never)
  await expect(fetching).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' })
})
