import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import { disconnectSignal } from '@svc-audio/upload'
import express, { type RequestHandler, type Router } from 'express'
import { runnerImport } from 'vite'
import {
  type IntegrationRequest,
  type IntegrationResult,
  type IntegrationsResponse,
  MAX_INTEGRATION_CHARACTERS,
} from '../../shared/api.ts'
import { HttpError } from '../http.ts'
import { LatestMap } from '../latest-map.ts'
import type { Upstream } from '../upstream.ts'
import type { Integration, IntegrationContext, IntegrationOutcome } from './round-trip.ts'

/** Every integration, in the order of the page. To add one, add a file to this folder and list it here. */
export const integrations: readonly Integration[] = [
  {
    id: 'express',
    title: 'Express',
    package: '@svc-audio/express-middleware',
    about:
      'An Express 5 app speaks the text, transcribes its own audio as an upload, and receives the webhook of a task.',
    load: () => import('./express.ts'),
  },
  {
    id: 'nestjs',
    title: 'NestJS',
    package: '@svc-audio/nestjs',
    about: 'A Nest app speaks the text, transcribes its own audio, and receives the webhook of a task.',
    // Node does not run decorators.
    load: () => importTransformed(new URL('nestjs.ts', import.meta.url)),
  },
  {
    id: 'fastify',
    title: 'Fastify',
    package: '@svc-audio/fastify',
    about: 'A Fastify 5 app speaks the text, and transcribes its own audio as an upload.',
    load: () => import('./fastify.ts'),
  },
  {
    id: 'hono',
    title: 'Hono',
    package: '@svc-audio/hono',
    about: 'A Hono app speaks the text, and transcribes its own audio as an upload.',
    load: () => import('./hono.ts'),
  },
  {
    id: 'langchain',
    title: 'LangChain',
    package: '@svc-audio/langchain-tools',
    about: 'An agent calls speak, reads the returned reference, and calls transcribe with it.',
    load: () => import('./langchain.ts'),
  },
  {
    id: 'ai-sdk',
    title: 'AI SDK',
    package: '@svc-audio/ai-sdk',
    about: 'The functions generateSpeech and transcribe of the AI SDK.',
    load: () => import('./ai-sdk.ts'),
  },
  {
    id: 'mcp',
    title: 'MCP',
    package: '@svc-audio/mcp',
    about: 'A chat client calls the tools speak and transcribe of an MCP server over HTTP, and reads the transcript.',
    load: () => import('./mcp.ts'),
  },
  {
    id: 'voice',
    title: 'Voice',
    package: '@svc-audio/voice',
    about: 'A caller says the text over a WebSocket, in real time. A voice agent hears it and repeats it.',
    load: () => import('./voice.ts'),
  },
  {
    id: 'n8n',
    title: 'n8n',
    package: 'n8n-nodes-svc-audio',
    about: 'n8n’s engine runs a workflow of two nodes. One speaks into a file. The other transcribes the file.',
    load: () => import('./n8n.ts'),
  },
  {
    id: 'vite',
    title: 'Vite',
    package: '@svc-audio/vite-plugin',
    about: 'Vite builds a page with one narration import. The audio below is an asset of that build.',
    load: () => import('./vite.ts'),
  },
]

const BEGIN = '// #region shown'
const END = '// #endregion'

/** Reads the shown regions from an integration's file. The page shows the code that runs. */
export async function readExcerpt(id: string): Promise<string> {
  return excerptOf(await readFile(new URL(`${id}.ts`, import.meta.url), 'utf8'))
}

/**
 * Returns the lines between `// #region shown` and `// #endregion`. Each region loses its indentation, and an empty line
 * separates two regions.
 * @throws Error without a region, or with a mark that has no partner
 */
export function excerptOf(source: string): string {
  const regions: string[][] = []
  let region: string[] | undefined
  const fault = `The file needs regions from ${BEGIN} to ${END}`
  for (const line of source.split('\n')) {
    if (line.trim() === BEGIN) {
      if (region !== undefined) throw new Error(fault)
      region = []
    } else if (line.trim() === END) {
      if (region === undefined) throw new Error(fault)
      regions.push(region)
      region = undefined
    } else region?.push(line)
  }
  if (region !== undefined || regions.length === 0) throw new Error(fault)
  return regions.map(dedent).join('\n\n')
}

function dedent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const least = Math.min(...indents)
  return lines.map((line) => line.slice(least)).join('\n')
}

/** Outcome of a run. */
export interface IntegrationRun extends IntegrationOutcome {
  /** Milliseconds of the run, without loading the framework. */
  readonly ms: number
  /** Word error rate of the transcript. 0 is perfect. */
  readonly wordErrorRate: number
}

/**
 * Runs an integration in a temporary folder.
 * @param scratch Parent of the temporary folder.
 * @throws errors of the integration and of loading its framework
 */
export async function runIntegration(
  integration: Integration,
  context: Omit<IntegrationContext, 'folder'>,
  scratch: string,
): Promise<IntegrationRun> {
  const module = await integration.load()
  context.signal.throwIfAborted()
  const folder = await mkdtemp(join(scratch, `${integration.id}-`))
  try {
    const began = performance.now()
    const outcome = await module.run({ ...context, folder })
    const ms = Math.round(performance.now() - began)
    return { ...outcome, ms, wordErrorRate: wordErrorRate(context.text, outcome.transcript) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What a run needs of the playground. */
export interface IntegrationOptions {
  readonly client: AudioClient
  /** The service. Its key never leaves this process. */
  readonly upstream: Upstream
  /** Folder for the temporary files of the integrations. */
  readonly scratch: string
}

/** Routes: list the integrations with their code, and run one. */
export function integrationRoutes(options: IntegrationOptions, shelf: AudioShelf): Router {
  return express.Router().get('/', listIntegrations).post('/:id', express.json(), runOne(options, shelf))
}

const listIntegrations: RequestHandler = async (_request, response) => {
  const list = integrations.map(async ({ id, title, package: name, about }) => {
    return { id, title, package: name, about, file: `server/integrations/${id}.ts`, code: await readExcerpt(id) }
  })
  response.json({ integrations: await Promise.all(list) } satisfies IntegrationsResponse)
}

function runOne({ client, upstream, scratch }: IntegrationOptions, shelf: AudioShelf): RequestHandler {
  return async (request, response) => {
    const integration = integrations.find(({ id }) => id === request.params['id'])
    if (integration === undefined) throw new HttpError(404, 'unknown_integration', 'Unknown integration')
    const { text, voice } = readIntegrationRequest(request.body)
    const signal = disconnectSignal(response)
    await upstream.ready()
    const { apiKey, baseUrl, embedded } = upstream
    const context = { text, voice_id: voice, client, apiKey, baseUrl, callbacks: embedded, signal }
    try {
      const { audio, ...outcome } = await runIntegration(integration, context, scratch)
      const id = shelf.put({ bytes: Buffer.from(audio.bytes), type: audio.type })
      response.json({ audioUrl: `/api/audio/${id}`, ...outcome } satisfies IntegrationResult)
    } catch (error) {
      // The client has disconnected.
      if (signal.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      throw new HttpError(500, 'integration_failed', message, { cause: error })
    }
  }
}

/**
 * Reads the body of a run.
 * @throws HttpError 400 with the wrong field
 */
export function readIntegrationRequest(body: unknown): IntegrationRequest {
  const { text, voice }: Readonly<Record<string, unknown>> = typeof body === 'object' ? { ...body } : {}
  if (typeof text !== 'string' || text.trim() === '') throw invalid('The text is empty: type a text to speak')
  if (text.length > MAX_INTEGRATION_CHARACTERS) {
    throw invalid(`The text is longer than ${MAX_INTEGRATION_CHARACTERS} characters`)
  }
  if (typeof voice !== 'string' || voice === '') throw invalid('The voice is missing: choose a voice')
  return { text, voice }
}

function invalid(message: string): HttpError {
  return new HttpError(400, 'invalid_request', message)
}

/** Audio with its MIME type. */
interface ShelvedAudio {
  readonly bytes: Buffer
  readonly type: string
}

/** The latest audio of the integrations: one run of each and a few more. The page plays it by its address. */
export class AudioShelf extends LatestMap<string, ShelvedAudio> {
  constructor() {
    super(24)
  }

  /** Stores audio. @returns its id */
  put(audio: ShelvedAudio): string {
    const id = randomUUID()
    this.set(id, audio)
    return id
  }
}

/**
 * Imports a module through Vite, for decorators and parameter properties, which Node does not run. Node loads the
 * module's own imports.
 *
 * @param url Address of the file.
 */
async function importTransformed<T>(url: URL): Promise<T> {
  const { module } = await runnerImport<T>(fileURLToPath(url), {
    configFile: false,
    envDir: false,
    logLevel: 'error',
    oxc: { decorator: { legacy: true } },
  })
  return module
}
