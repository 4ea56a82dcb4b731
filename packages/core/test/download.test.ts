import { describe, expect, test } from 'vitest'
import { API_KEY, connect, rejection } from './support/clients.ts'
import { startServer, type TestServer } from './support/servers.ts'
import { pcm } from './support/speech.ts'

const AUDIO = pcm(5000)

/** A server that gives the audio under `/audio`, and whatever `tasks` says under a task's address. */
function startStorage(tasks: (id: string) => object = () => ({})): Promise<TestServer> {
  return startServer((request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/audio')) response.writeHead(200, { 'content-type': 'audio/wav' }).end(AUDIO)
    else if (path.startsWith('/gone')) response.writeHead(410, { 'x-request-id': 'req-gone' }).end('{}')
    else if (path.startsWith('/to?')) response.writeHead(302, { location: decodeURIComponent(path.slice(4)) }).end()
    else if (path.startsWith('/page')) response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>')
    else if (path.startsWith('/v1/audio/tasks/')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tasks(path.slice(16))))
    } else response.writeHead(404).end('{}')
  })
}

const keys = ({ requests }: TestServer): (string | undefined)[] => requests.map(({ headers }) => headers.authorization)
const paths = ({ requests }: TestServer): (string | undefined)[] => requests.map(({ url }) => url)

describe('a result’s URL', () => {
  test('at the service is fetched with the key', async () => {
    const server = await startStorage()
    const audio = await connect(server.url).download({ id: 't', status: 'SUCCESS', url: `${server.url}/audio/1` })
    expect(audio.contentType).toBe('audio/wav')
    expect(await audio.bytes()).toEqual(AUDIO)
    expect(keys(server)).toEqual([`Bearer ${API_KEY}`])
  })

  test('at another origin gets neither the key nor the caller’s headers', async () => {
    const service = await startStorage()
    const storage = await startStorage()
    const headers = { 'x-mine': 'secret' }
    await (await connect(service.url).download({ url: `${storage.url}/audio/1` }, { headers })).bytes()
    expect(keys(storage)).toEqual([undefined])
    expect(storage.requests[0]?.headers).not.toHaveProperty('x-mine')
    expect(service.requests).toHaveLength(0)
  })

  test('may be a path of the service', async () => {
    const server = await startStorage()
    expect(await (await connect(server.url).download({ url: '/audio/1' })).bytes()).toEqual(AUDIO)
  })

  test('may redirect to another origin, where the key does not go', async () => {
    const storage = await startStorage()
    const service = await startStorage()
    const url = `${service.url}/to?${encodeURIComponent(`${storage.url}/audio/1`)}`
    expect(await (await connect(service.url).download({ url })).bytes()).toEqual(AUDIO)
    expect(keys(service)).toEqual([`Bearer ${API_KEY}`])
    expect(keys(storage)).toEqual([undefined])
  })

  test('that redirects forever throws', async () => {
    const server = await startServer((_, response) => void response.writeHead(302, { location: '/again' }).end())
    expect(await rejection(connect(server.url).download({ url: '/again' }))).toMatchObject({ status: 302 })
    expect(server.requests).toHaveLength(6)
  })

  test('that has expired is read again from the task', async () => {
    const server = await startStorage((id) => ({ id, status: 'SUCCESS', url: '/audio/2' }))
    const audio = await connect(server.url).download({ id: 't-1', status: 'SUCCESS', url: '/gone' })
    expect(await audio.bytes()).toEqual(AUDIO)
    expect(paths(server)).toEqual(['/gone', '/v1/audio/tasks/t-1', '/audio/2'])
  })

  test.each([
    ['whose task names the same one', { id: 't-1', status: 'SUCCESS', url: '/gone' }],
    ['whose task names none', { id: 't-1', status: 'SUCCESS' }],
    ['whose task has failed meanwhile', { id: 't-1', status: 'FAILED', error: {} }],
  ])('that has expired and %s is unavailable', async (_, task) => {
    const server = await startStorage(() => task)
    const error = await rejection(connect(server.url).download({ id: 't-1', url: '/gone' }))
    expect(error).toMatchObject({ name: 'ResultUnavailableError', taskId: 't-1' })
  })

  test('that has expired without an id throws the response of the service', async () => {
    const server = await startStorage()
    const error = await rejection(connect(server.url).download({ url: '/gone' }))
    expect(error).toMatchObject({ name: 'ResultUnavailableError', cause: { status: 410, requestId: 'req-gone' } })
  })

  test('that leads to a page is no audio', async () => {
    const server = await startStorage()
    expect(await rejection(connect(server.url).download({ url: '/page' }))).toMatchObject({ name: 'ProtocolError' })
  })
})

describe('no request is sent', () => {
  test.each([
    ['where there is no URL', { id: 't', status: 'SUCCESS' }, 'names no URL'],
    ['of a task that is not over', { id: 't', status: 'PROCESSING' }, 'PROCESSING'],
    ['of a file of this machine', { url: 'file:///etc/passwd' }, 'names no URL'],
    ['where the URL is none', { url: 'http://[' }, 'names no URL'],
  ])('%s', async (_, result, why) => {
    const server = await startStorage()
    const error = await rejection(connect(server.url).download(result))
    expect(error).toMatchObject({ name: 'ResultUnavailableError', message: expect.stringContaining(why) })
    expect(server.sockets).toHaveLength(0)
  })

  test('at a private address on behalf of a public service', async () => {
    const storage = await startStorage()
    const error = await rejection(connect('https://audio.example.com').download({ url: `${storage.url}/audio/1` }))
    expect(error).toMatchObject({ name: 'ResultUnavailableError' })
    expect(storage.sockets).toHaveLength(0)
  })
})
