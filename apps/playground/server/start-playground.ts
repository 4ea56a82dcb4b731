import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import type { RequestListener, Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AudioClient } from '@svc-audio/core'
import { VoiceServer } from '@svc-audio/voice'
import { type AttachedVoice, attachVoice } from '@svc-audio/voice/node'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { TALK_PATH } from '../shared/api.ts'
import { createApp } from './app.ts'
import { isOwnPage, type Listening, logError, serve } from './http.ts'
import { UsageError } from './options.ts'
import type { TalkState } from './talk.ts'
import { otherService, startEmbeddedService, type Upstream } from './upstream.ts'
import { HOOK_PATH } from './webhooks.ts'

/** Options of {@link startPlayground}. */
export interface PlaygroundOptions {
  /** Port of the page. 0 selects a free port. */
  readonly port: number
  /** Key of the service. @default a random key */
  readonly apiKey?: string
  /** Address of another service to use. @default a service that the playground starts */
  readonly baseUrl?: string
  /**
   * Address that leads to `/hooks/audio` of the playground, for the service's webhooks.
   * @default the playground's own address for a service that it starts, else none
   */
  readonly webhookUrl?: string
  /** Called once the port is taken, with a line that says what the start does and how long it takes. */
  readonly onWork?: (line: string) => void
}

/** A running playground. */
export interface Playground {
  /** Address of the page. */
  readonly url: string
  /** The service behind the page. */
  readonly upstream: Upstream
  /** Ends all requests, stops the service and removes its folder. */
  close(): Promise<void>
}

/**
 * Starts the service in a process of its own, builds the page, and serves the page and its API on this machine only. All
 * data is in a temporary folder, which is removed when the playground stops.
 * @throws UsageError when the port is taken
 */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { port, apiKey = randomKey(), baseUrl } = options
  const cleanups: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  }
  try {
    const ready = Promise.withResolvers<RequestListener>()
    // An early browser waits. A failed start closes its connection.
    ready.promise.catch(() => {})
    // Listen first: a port in use then fails before the build.
    const listening = await listen(port, (request, response) => {
      void ready.promise.then((app) => app(request, response))
    })
    const { server, url } = listening
    cleanups.push(() => listening.close())
    const work = baseUrl === undefined ? 'Starting a local service and building the page' : 'Building the page'
    options.onWork?.(`${work}: usually less than ten seconds …`)
    const folder = await mkdtemp(join(tmpdir(), 'svc-audio-playground-'))
    cleanups.push(() => rm(folder, { recursive: true, force: true }))
    const page = join(folder, 'page')
    const scratch = join(folder, 'scratch')
    const [upstream] = await Promise.all([
      baseUrl === undefined ? startOwn(apiKey, join(folder, 'service'), url) : otherService(baseUrl, apiKey),
      buildClient(page),
      mkdir(scratch),
    ])
    cleanups.push(() => upstream.close())
    const client = new AudioClient({ apiKey, baseUrl: upstream.baseUrl })
    cleanups.push(() => client.close())
    const hookUrl = options.webhookUrl ?? (upstream.embedded ? url + HOOK_PATH : undefined)
    ready.resolve(createApp({ client, upstream, hookUrl, page, scratch }))
    // Last in, first out: the browsers' connections end first, which aborts their calls to the service.
    cleanups.push(() => listening.close())
    const talk = attachTalk(server, client, (error) => logError(error, upstream.apiKey))
    cleanups.push(() => talk.close())
    return { url, upstream, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Links to results lead through the page's server, so the browser needs no other address. */
function startOwn(apiKey: string, dataDir: string, pageUrl: string): Promise<Upstream> {
  return startEmbeddedService({ apiKey, dataDir, publicUrl: `${pageUrl}/api`, webhookAllow: ['http://127.0.0.1'] })
}

function randomKey(): string {
  return randomBytes(24).toString('base64url')
}

async function listen(port: number, listener: RequestListener): Promise<Listening> {
  return serve(listener, port).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new UsageError(`port ${port} is in use: choose another with --port, or 0 for a free one`, { cause: error })
  })
}

/** Builds the page into a folder. A fresh clone needs no separate build, and the browser loads a few small files. */
export async function buildClient(outDir: string): Promise<void> {
  const { NODE_ENV: environment } = process.env
  // Vite reads it here only. Another value would select React's development build, which is twice as large.
  process.env['NODE_ENV'] = 'production'
  try {
    await buildPage(outDir)
  } finally {
    if (environment === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = environment
  }
}

async function buildPage(outDir: string): Promise<void> {
  await build({
    root: fileURLToPath(new URL('../client', import.meta.url)),
    configFile: false,
    envDir: false,
    logLevel: 'error',
    plugins: [react()],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // The page's content security policy allows data: URLs for images only.
      assetsInlineLimit: 0,
    },
  })
}

/**
 * Serves conversations with a scripted agent on {@link TALK_PATH}. Recognition and speech are those of the service; the
 * query names the voice. Only the page of this server may connect.
 * @param fail Takes the errors of a conversation.
 */
export function attachTalk(server: Server, client: AudioClient, fail: (error: unknown) => void): AttachedVoice {
  const voice = new VoiceServer<undefined, TalkState>({
    createState: () => ({}),
    async *converse(call) {
      // The packages of agents take a second to load: not before somebody talks.
      const { talk } = await import('./talk.ts')
      yield* talk(call, client)
    },
    origins: (origin, { headers }) => isOwnPage(origin, headers.get('host') ?? ''),
    limits: { sessions: 10 },
    onError: fail,
  })
  return attachVoice(server, { voice, path: TALK_PATH })
}
