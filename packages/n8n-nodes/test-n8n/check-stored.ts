import { existsSync, readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { AudioClient } from '@svc-audio/core'
import { freePort } from '@svc-audio/kit/hosts'
import type { INode, INodeParameters, IWorkflowSettings } from 'n8n-workflow'
import { type InstalledN8n, settingsFor } from './n8n-home.ts'
import { byId, chain, node, SVC_AUDIO, webhook } from './nodes.ts'
import { packInto } from './pack.ts'
import { callWebhook, N8nRest } from './rest.ts'
import { startN8n } from './server.ts'

const TEXT = 'There is fresh bread on the table.'
/** In subtitles, and in JSON of them. */
const HEARD = /fresh(?:\s|\\n)+bread/i

/** How long all runs may take, in milliseconds. n8n resumes a run once per minute. */
const TIMEOUT = 600_000

/** What the check needs. */
export interface StoredOptions {
  readonly installed: InstalledN8n
  /** Made for it. */
  readonly folder: string
  /** Closes what the check starts, if the check is ended. */
  readonly stack: AsyncDisposableStack
  /** A client of the service that does not go through n8n. */
  readonly direct: AudioClient
  readonly key: string
}

/** A workflow with long work, and what n8n may hold afterwards. */
interface Trial {
  readonly what: string
  readonly settings: IWorkflowSettings
  /** Whether its task fails. */
  readonly fails?: boolean
  /** Whether its runs are stored. */
  readonly isStored: boolean
}

/** The n8n of the check stores no successful runs unless a workflow says so. */
const TRIALS: readonly Trial[] = [
  { what: 'n8n stores no successful runs', settings: {}, isStored: false },
  { what: 'the workflow stores no successful runs', settings: { saveDataSuccessExecution: 'none' }, isStored: false },
  { what: 'the workflow stores successful runs', settings: { saveDataSuccessExecution: 'all' }, isStored: true },
  {
    what: 'the workflow stores no failed runs',
    settings: { saveDataSuccessExecution: 'all', saveDataErrorExecution: 'none' },
    fails: true,
    isStored: false,
  },
  {
    what: 'the workflow stores failed runs',
    settings: { saveDataSuccessExecution: 'none', saveDataErrorExecution: 'all' },
    fails: true,
    isStored: true,
  },
]

/** A run of a trial that has begun. */
interface Begun extends Trial {
  readonly kind: string
  readonly id: string
  /** What the node after the work writes. Absent for work that fails. */
  readonly file?: string
}

/**
 * What the database and the folder of n8n hold after long work: nothing where the settings say so, the transcript and the
 * speech elsewhere. In each trial the node after the work gets its file.
 */
export async function checkStored(options: StoredOptions): Promise<string[]> {
  const { installed, folder, direct, key } = options
  await using stack = options.stack.use(new AsyncDisposableStack())
  const home = join(folder, 'stored')
  await packInto(join(home, '.n8n/nodes/node_modules/n8n-nodes-svc-audio'))
  const port = await freePort()
  const env = {
    ...settingsFor(installed, home),
    N8N_SECURE_COOKIE: 'false',
    N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
    N8N_RESTRICT_FILE_ACCESS_TO: folder,
    WEBHOOK_URL: `http://127.0.0.1:${port}/`,
    EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
    // what is not stored is removed at once, and not with the next pruning
    EXECUTIONS_DATA_PRUNE: 'false',
  }
  const n8n = await startN8n({ installed, folder: home, port, env })
  stack.defer(() => n8n.close())
  const rest = new N8nRest(n8n.url)
  await rest.setUp()
  const credential = await rest.addCredential('Svc Audio API', 'svcAudioApi', { apiKey: key, baseUrl: direct.baseUrl })
  const body = { model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms', response_format: 'wav' }
  const data = await direct.speech.create(body).then((audio) => audio.bytes())
  const { id: fileId } = await direct.files.create({ file: { data, name: 'bread.wav' } })
  const begun: Begun[] = []
  for (const trial of TRIALS) {
    for (const kind of trial.fails === true ? ['transcript'] : ['transcript', 'speech']) {
      const file = join(folder, `stored-${begun.length}`)
      const work = workOf(kind, trial.fails === true ? undefined : fileId, credential)
      begun.push({
        ...trial,
        kind,
        ...(trial.fails === true ? {} : { file }),
        id: await begin(rest, trial, work, file),
      })
    }
  }
  const lines: string[] = []
  for (const run of begun) lines.push(await verdict(run, home))
  return lines
}

/** @param fileId The recording. Without one, the task fails. */
function workOf(kind: string, fileId: string | undefined, credential: string): INode {
  const credentials = { svcAudioApi: { id: credential, name: 'Svc Audio API' } }
  const options = { runAsTask: 'always' }
  const model = byId('svc-transcribe-diarize-pro')
  const source: INodeParameters =
    fileId === undefined
      ? { source: 'url', url: 'http://127.0.0.1:1/file-gone.wav' }
      : { source: 'fileId', fileId: byId(fileId) }
  const parameters: INodeParameters =
    kind === 'speech'
      ? { text: TEXT, voice: byId('rms'), options }
      : { resource: 'transcription', ...source, model, responseFormat: 'srt', options }
  return node('Work', SVC_AUDIO, parameters, { credentials })
}

async function begin(rest: N8nRest, { what, settings }: Trial, work: INode, file: string): Promise<string> {
  const start = webhook('Begin', { responseMode: 'onReceived' })
  const save = node('Save', 'readWriteFile', {
    operation: 'write',
    fileName: file,
    dataPropertyName: 'data',
    options: {},
  })
  const nodes = [start, work, save]
  const workflow = { name: what, nodes, connections: chain('Begin', 'Work', 'Save'), settings }
  const id = await rest.addWorkflow(workflow, { publish: true })
  await callWebhook(rest, start, '')
  return id
}

/** @throws Error when n8n holds something else than the trial says */
async function verdict({ what, kind, id, file, fails = false, isStored }: Begun, home: string): Promise<string> {
  for (const end = Date.now() + TIMEOUT; ; await delay(1000)) {
    const rows = rowsOf(home, id)
    const isDone = file === undefined ? true : existsSync(file)
    const isOver = rows.every(({ status }) => !['new', 'running', 'waiting'].includes(status))
    const result = fails ? /file-gone/ : kind === 'speech' ? /audio\/wav/ : HEARD
    const holds = rows.some(({ data }) => result.test(data))
    const files = await filesOf(home, id)
    if (isDone && isOver && isStored === holds && (isStored ? rows.length > 0 : rows.length + files.length === 0)) {
      if (file !== undefined) checkOutput(kind, file)
      const found = isStored ? `${rows.length} runs in the database` : 'no run in the database, and no file'
      return `stored: ${what}, ${fails ? 'failed ' : ''}${kind}: ${found}`
    }
    if (Date.now() > end) {
      const found = rows.map(({ mode, status, data }) => [mode, status, data.slice(0, 300)])
      throw new Error(`${what}, ${kind}: n8n holds ${JSON.stringify(found)} and the files ${files.join(', ')}`)
    }
  }
}

function checkOutput(kind: string, file: string): void {
  const written = readFileSync(file)
  const isRight = kind === 'speech' ? written.toString('latin1', 0, 4) === 'RIFF' : HEARD.test(String(written))
  if (!isRight) throw new Error(`The node after the work gets another ${kind}: ${written.toString('latin1', 0, 100)}`)
}

/** A run in the database of n8n, those that are marked as deleted included. */
interface Row {
  readonly mode: string
  readonly status: string
  readonly data: string
}

function rowsOf(home: string, workflowId: string): Row[] {
  const database = new DatabaseSync(join(home, '.n8n/database.sqlite'), { readOnly: true })
  try {
    const query = database.prepare(
      "select e.mode, e.status, coalesce(d.data, '') as data from execution_entity e left join execution_data d on d.executionId = e.id where e.workflowId = ?",
    )
    return query.all(workflowId) as unknown as Row[]
  } finally {
    database.close()
  }
}

/** Files of runs of a workflow, in the folder of this release or of older ones. */
async function filesOf(home: string, workflowId: string): Promise<string[]> {
  const files: string[] = []
  const pattern = `.n8n/{storage,binaryData}/workflows/${workflowId}/executions/*/binary_data/*`
  for await (const file of glob(pattern, { cwd: home })) files.push(file)
  return files
}
