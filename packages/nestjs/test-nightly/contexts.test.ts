import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cleanProject, type CleanProject, nodeBinary, type RunningProgram, start } from '@svc-audio/kit/hosts'
import { createTestUpstream, status, type TestUpstream, uploadForm, wavFile } from '@svc-audio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONTEXT_APP } from '../test-hosts/support/context-app.ts'

/** Versions that belong together. */
const MAJORS = {
  11: { nest: '^11.0.1', graphql: '^13.0.0', typescript: '^5.7.3' },
  12: { nest: '^12.0.0', graphql: '^14.0.0', typescript: '^5.9.3' },
} as const

/** The part of a socket.io client that the tests use. */
interface Socket extends NodeJS.EventEmitter {
  close(): void
}

const QUIET = {
  errorCode: 'rate_limited',
  message: 'Too many requests at the moment',
  statusCode: 429,
}

describe.each([11, 12] as const)('an app of Nest %i with GraphQL, socket.io and uploads', (major) => {
  let project: CleanProject
  let upstream: TestUpstream
  let app: RunningProgram
  let url: string

  beforeAll(async () => {
    const { nest, graphql, typescript } = MAJORS[major]
    project = await cleanProject({
      packages: ['@svc-audio/core', '@svc-audio/nestjs'],
      dependencies: {
        '@apollo/server': '^5.0.0',
        '@as-integrations/express5': '^1.1.2',
        '@nestjs/apollo': graphql,
        '@nestjs/common': nest,
        '@nestjs/core': nest,
        '@nestjs/graphql': graphql,
        '@nestjs/platform-express': nest,
        '@nestjs/platform-socket.io': nest,
        '@nestjs/websockets': nest,
        '@types/node': '^24.0.0',
        graphql: '^16.11.0',
        'reflect-metadata': '^0.2.2',
        rxjs: '^7.8.1',
        'socket.io-client': '^4.8.1',
        typescript,
      },
      files: { 'app.ts': CONTEXT_APP },
    })
    const flags = ['--experimentalDecorators', '--emitDecoratorMetadata', '--strict', '--skipLibCheck']
    const built = await project.run('tsc', ['app.ts', '--module', 'nodenext', '--target', 'es2022', ...flags])
    if (built.exitCode !== 0) throw new Error(built.stdout)
    upstream = await createTestUpstream({ apiKey: 'key', transcript: 'hello' })
    app = await start(process.execPath, ['app.js'], {
      cwd: project.folder,
      env: { SVC_AUDIO_API_KEY: 'key', SVC_AUDIO_BASE_URL: upstream.url },
      node: await nodeBinary(24),
      ready: /listening (\S+)/,
    })
    url = app.match[1] ?? ''
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await upstream.close()
    await project[Symbol.asyncDispose]()
  })

  async function query(field: string): Promise<{ data: unknown; errors?: readonly Record<string, unknown>[] }> {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ query: `{ ${field} }` })
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body })
    return (await response.json()) as { data: unknown }
  }

  /** The next event after a message. */
  async function send(message: string, event: string): Promise<unknown> {
    const { io } = createRequire(join(project.folder, 'app.js'))('socket.io-client') as {
      readonly io: (address: string) => Socket
    }
    const socket = io(url)
    await once(socket, 'connect')
    const response = once(socket, event)
    socket.emit(message, { id: 7 })
    const [content] = await response
    socket.close()
    return content
  }

  test('transcribes uploads', async () => {
    const response = await fetch(`${url}/transcribe`, { method: 'POST', body: uploadForm(wavFile(1000)) })
    expect(await response.json()).toEqual({ text: 'hello' })
  })

  test('answers a GraphQL query, and its failures with the status and code', async () => {
    expect(await query('speak')).toEqual({ data: { speak: expect.stringMatching(/^\d+$/) as string } })
    upstream.next('POST /v1/audio/speech', status(429))
    const { errors, data } = await query('speak')
    expect(data).toBeNull()
    expect(errors).toMatchObject([{ message: QUIET.message, extensions: { code: QUIET.errorCode, statusCode: 429 } }])
    expect(JSON.stringify(errors)).not.toContain(upstream.url)
  })

  test('tells a GraphQL client nothing about an interceptor that needs HTTP, but the log', async () => {
    const { errors } = await query('upload')
    expect(errors).toMatchObject([{ extensions: { code: 'internal_error' } }])
    expect(app.output()).toContain('TranscribeUploadInterceptor needs an HTTP route, got a handler of type graphql')
  })

  test('sends failures to a client of the gateway as exception events', async () => {
    upstream.next('POST /v1/audio/speech', status(429))
    expect(await send('speak', 'exception')).toEqual({
      status: 'error',
      ...QUIET,
      cause: { pattern: 'speak', data: { id: 7 } },
    })
    expect(await send('upload', 'exception')).toMatchObject({ status: 'error', errorCode: 'internal_error' })
  })
})
