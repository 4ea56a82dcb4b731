import 'reflect-metadata'
import { type INestApplication, type LoggerService, Module, type ModuleMetadata } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { AudioExceptionFilter } from '../../src/index.ts'

/** The key of the app's client. It must never appear in a response or log. */
export const KEY = 'sk-sekret-key'

/** Both platforms, for `describe.each`. */
export const PLATFORMS = ['Express', 'Fastify'] as const

export type Platform = (typeof PLATFORMS)[number]

/** A running Nest app. */
export interface TestApp {
  readonly nest: INestApplication
  readonly url: string
  /** Logged warnings and errors. */
  readonly log: string[]
  close(): Promise<void>
}

@Module({})
class Root {}

/** Starts a real Nest app over HTTP, with `AudioExceptionFilter` bound to all of it, or with the filters of `prepare`. */
export async function startApp(
  platform: Platform,
  metadata: ModuleMetadata,
  prepare: (nest: INestApplication) => void = (nest) => nest.useGlobalFilters(new AudioExceptionFilter()),
  { rawBody = false }: { readonly rawBody?: boolean } = {},
): Promise<TestApp> {
  const log: string[] = []
  const nest = await NestFactory.create({ module: Root, ...metadata }, newAdapter(platform), {
    logger: collectingLogger(log),
    abortOnError: false,
    rawBody,
  })
  prepare(nest)
  await nest.listen(0, '127.0.0.1')
  return {
    nest,
    url: await nest.getUrl(),
    log,
    async close() {
      // A test that disconnects may leave a connection open.
      const server = nest.getHttpServer() as { closeAllConnections(): void }
      const closing = nest.close()
      server.closeAllConnections()
      await closing
    },
  }
}

function newAdapter(platform: Platform): ExpressAdapter | FastifyAdapter {
  return platform === 'Express' ? new ExpressAdapter() : new FastifyAdapter()
}

function collectingLogger(lines: string[]): LoggerService {
  const collect = (...words: unknown[]): void => {
    lines.push(words.map((word) => (word instanceof Error ? String(word.stack) : String(word))).join(' '))
  }
  return { log: () => {}, error: collect, warn: collect, fatal: collect }
}

/** A complete response. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Posts a form and reads the JSON response. */
export async function post(address: string, body: FormData | string): Promise<Answered> {
  const response = await fetch(address, { method: 'POST', body })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
