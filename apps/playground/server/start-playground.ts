import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { HOOK_PATH } from './webhooks.ts'
import { createApp } from './app.ts'
import { buildClient } from './build-client.ts'
import { logError } from './http.ts'
import { attachTalk } from './talk/attach-talk.ts'
import { type Listening, serve } from './support/serve.ts'
import { startEmbeddedService } from './upstream/embedded-service.ts'
import { otherService } from './upstream/other-service.ts'
import type { Upstream } from './upstream.ts'
import { UsageError } from './options.ts'

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
