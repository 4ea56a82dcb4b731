// A whole app: uploads to transcripts, live events, tasks, speech, stored voices, and a key per tenant.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AudioClient, type AudioClientOptions } from '@svc-audio/core'
import { type Callback, createWebhookReceiver } from '@svc-audio/core/webhooks'
import {
  audioErrors,
  audioWebhooks,
  forwardAudio,
  forwardUpload,
  playResult,
  speak,
  type TeeOptions,
  transcribeUpload,
} from '@svc-audio/express-middleware'
import express, { type Express, type Request, type RequestHandler } from 'express'

/** Options of {@link createApp}. */
export interface AppOptions extends Required<Pick<AudioClientOptions, 'apiKey' | 'baseUrl'>> {
  /** Where uploads are stored. */
  readonly folder: string
  /** Address under which the service reaches this app, for webhooks. */
  readonly publicUrl: string
}

/** Creates the app. Close the client after the server. */
export function createApp({ apiKey, baseUrl, folder, publicUrl }: AppOptions): { app: Express; client: AudioClient } {
  const client = new AudioClient({ apiKey, baseUrl })
  const app = express()
  app.use(express.static(join(import.meta.dirname, 'public')))

  // #region transcribe
  const upload = { client, maxFileSize: 100_000_000 }
  app.post('/transcribe', transcribeUpload(upload), (req, res) => {
    res.json(req.transcription)
  })
  // #endregion
  // #region live
  app.post('/transcribe/live', transcribeUpload({ ...upload, respond: 'sse' }))
  // #endregion
  // #region large
  const store = forwardUpload({
    call: ({ file, options }) => client.files.create({ file, purpose: 'audio' }, options),
  })
  app.post('/files', store)
  app.post('/files/:id/transcript', (req, res, next) => {
    const task = client.transcriptions.createTask({ model: 'svc-transcribe-1.0', file_id: req.params.id })
    task.then(({ creation }) => res.status(202).json(creation), next)
  })
  // #endregion
  // #region voices
  const voiceUpload = { maxFileSize: 20_000_000, fileField: 'sample' }
  app.post(
    '/voices',
    forwardUpload({
      ...voiceUpload,
      call: (sample) =>
        client.voices.create({ audio_sample: sample.file, name: sample.field('name') ?? 'unnamed' }, sample.options),
      answer: (voice, _req, res) => res.status(201).json(voice),
    }),
  )
  // #endregion
  // #region speak
  const voice = { client, voice_id: 'rms' }
  app.post('/speak', express.json(), speak({ ...voice, response_format: 'wav' }))
  app.post('/speak/live', express.json(), speak({ ...voice, respond: 'sse' }))
  // #endregion
  // #region play
  app.post('/speech', express.json(), speak({ ...voice, response_format: 'wav', respond: 'task' }))
  app.get('/speech/:id', playResult({ client }))
  // #endregion
  // #region dialogue
  const speakers = [
    { id: 'a', voice_id: 'rms' },
    { id: 'b', voice_id: 'slt' },
  ]
  app.post(
    '/dialogue',
    express.json(),
    forwardAudio({
      call: ({ body }: Request, options) =>
        client.dialogue.create({ model: 'svc-ttsd-1.0', speakers, segments: segmentsOf(body) }, options),
    }),
  )
  // #endregion
  app.post('/keep', transcribeUpload({ ...upload, tee: storeIn(folder) }), (req, res) => {
    res.json({ text: req.transcription.text, bytes: req.upload.bytes })
  })
  addJobs(app, upload, publicUrl)
  addTenants(app, client)
  // #region errors
  app.use(
    audioErrors({
      format: ({ code, message }) => ({ error: code, message }),
      messages: (code, req) => (req.acceptsLanguages('de') === 'de' ? GERMAN[code] : undefined),
    }),
  )
  // #endregion
  return { app, client }
}

/** Adds routes for long recordings: each is a job, whose result comes by a webhook. */
function addJobs(app: Express, upload: UploadSettings, publicUrl: string): void {
  const { client } = upload
  // #region webhooks
  const jobs = new Map<string, { status: string; text?: string | undefined }>() // your table
  const receiver = createWebhookReceiver({
    client,
    secret: randomUUID() + randomUUID(), // yours, the same in every process and after a restart
    url: `${publicUrl}/hooks/audio`,
    handlers: {
      'audio.transcription': ({ status, text }, { state = '' }) => {
        const isKnown = jobs.has(state)
        if (isKnown) jobs.set(state, { status, text })
        return isKnown ? undefined : 'retry' // the service calls again
      },
    },
  })
  const startJob: RequestHandler = (_req, res, next) => {
    const id = randomUUID()
    jobs.set(id, { status: 'PENDING' }) // before the task: nothing can end without its job
    res.locals['job'] = id
    res.location(`/transcribe/jobs/${id}`)
    next()
  }
  const webhook = ({ res }: Request): Promise<Callback> => receiver.createCallback({ state: res?.locals['job'] })
  app.post('/transcribe/jobs', startJob, transcribeUpload({ ...upload, respond: 'task', webhook_url: webhook }))
  app.get('/transcribe/jobs/:id', (req, res) => void res.json(jobs.get(req.params.id) ?? null))
  app.use('/hooks/audio', audioWebhooks({ receiver }))
  // #endregion
}

/** Options of every route for uploads. */
interface UploadSettings {
  readonly client: AudioClient
  readonly maxFileSize: number
}

/** Adds a route with a key and a limit for each tenant. */
function addTenants(app: Express, client: AudioClient): void {
  // #region tenants
  const clients = new Map([['acme', client]])
  const tenantClient = (req: Request): AudioClient => {
    const found = clients.get(req.get('x-tenant') ?? '')
    if (found === undefined) throw Object.assign(new Error('Unknown tenant'), { status: 403 })
    return found
  }
  const limits = new Map([['acme', 500_000_000]])
  const maxFileSize = (req: Request): number => limits.get(req.get('x-tenant') ?? '') ?? 25_000_000
  app.post('/tenant', transcribeUpload({ client: tenantClient, maxFileSize }), (req, res) => {
    res.json(req.transcription)
  })
  // #endregion
}

const GERMAN: Readonly<Record<string, string>> = {
  file_too_large: 'Die Datei ist zu groß',
  unsupported_content: 'Diese Datei ist weder Audio noch Video',
}

// #region keep
/** Stores uploads in a folder. A file appears under its name only when it is complete. */
function storeIn(folder: string): TeeOptions {
  return {
    async sink(copy, { filename, signal }) {
      const path = join(folder, randomUUID())
      try {
        await pipeline(copy, createWriteStream(`${path}.part`), { signal })
        await rename(`${path}.part`, `${path}-${filename}`)
      } catch (error) {
        await rm(`${path}.part`, { force: true })
        throw error
      }
    },
  }
}
// #endregion

/** Returns the lines of the body as segments of alternating speakers. */
function segmentsOf(body: unknown): { speaker: string; text: string }[] {
  const lines: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'lines') : undefined
  const texts = Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : []
  return texts.map((text, index) => ({ speaker: index % 2 === 0 ? 'a' : 'b', text }))
}
