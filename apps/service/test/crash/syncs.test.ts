import { mkdtemp, mkdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buzz, noise, wavOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import { type Program, startProgram } from './program.ts'
import { readSteps, type Step } from './steps.ts'
import { call } from './writes/call.ts'

let folder: string
let stepsFolder: string
let program: Program
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-audio-syncs-')))
  stepsFolder = join(folder, 'steps')
  await mkdir(stepsFolder)
  program = await startProgram({ dataDir: join(folder, 'new', 'data'), stepsFolder })
})
afterAll(async () => {
  await program.stop()
  await rm(folder, { recursive: true, force: true })
})

/** The steps of a request, in words. */
async function stepsOf(key: string): Promise<string[]> {
  const own = (await readSteps(stepsFolder)).filter(({ request }) => request === key)
  return own.slice(0, own.findIndex(({ step }) => step === 'answer') + 1).map(inWords)
}

function inWords(step: Step): string {
  if (step.step === 'file') return `sync data in ${basename(dirname(step.path)).replace(/-.*/, '')}`
  if (step.step === 'folder') return `sync folder ${basename(step.path)}`
  if (step.step === 'commit') return `commit ${step.journal} ${step.synchronous}`
  return step.step === 'answer' ? `answer ${step.status}` : step.step
}

function form(fields: Record<string, string | Blob>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  return data
}

async function send(key: string, path: string, body: FormData | object): Promise<void> {
  const response = await call(program, { key, tenant: 'first' }, { path, body })
  await response.bytes()
}

const COMMIT = 'commit wal 2'

test('an upload is answered after its data, folder and record are synced', async () => {
  await send('file', '/v1/files', form({ file: wavOf(noise(0.5)) }))
  const record = [COMMIT, COMMIT]
  expect(await stepsOf('file')).toEqual([
    'request',
    'sync data in upload',
    'sync folder files',
    ...record,
    'answer 200',
  ])
})

test('a task with an upload is answered after the data, the folder and the task are synced', async () => {
  const fields = { model: 'svc-transcribe-1.0', async: 'true', file: wavOf(noise(0.5)) }
  await send('task', '/v1/audio/transcriptions', form(fields))
  const steps = await stepsOf('task')
  expect(steps.slice(0, 5)).toEqual(['request', 'sync data in upload', 'sync folder inputs', COMMIT, COMMIT])
  expect(steps.at(-1)).toBe('answer 200')
})

test('a voice is answered after its record is synced', async () => {
  await send('voice', '/v1/audio/voices', form({ audio_sample: wavOf(buzz(140, 1.5, 4)) }))
  expect(await stepsOf('voice')).toEqual(['request', COMMIT, 'answer 200'])
})

test('a link to a result is answered after the result, its folder and its record are synced', async () => {
  const speech = { model: 'svc-tts-1.0-pro', input: 'One.', voice_id: 'rms', response_format: 'wav' }
  await send('result', '/v1/audio/speech', { ...speech, delivery_method: 'url' })
  const result = ['sync data in results', 'sync folder results']
  expect(await stepsOf('result')).toEqual(['request', ...result, COMMIT, COMMIT, 'answer 200'])
})

test('a new data folder is synced in its parent, and so are its stores', async () => {
  const folders = (await readSteps(stepsFolder)).flatMap((step) => (step.step === 'folder' ? [step] : []))
  const namesIn = (path: string): string[] =>
    folders.filter((step) => step.path === path).flatMap(({ names }) => Object.keys(names))
  expect(namesIn(folder)).toContain('new')
  expect(namesIn(join(folder, 'new'))).toContain('data')
  expect(namesIn(program.dataDir)).toEqual(expect.arrayContaining(['files', 'inputs', 'results', 'uploads']))
})

test('every commit of a command beside the service is synced', async () => {
  const before = (await readSteps(stepsFolder)).length
  await program.admin('keys', 'create', 'first')
  const steps = (await readSteps(stepsFolder)).slice(before).filter(({ step, request }) => {
    return step === 'commit' && request === undefined
  })
  expect(steps.length).toBeGreaterThan(0)
  expect(new Set(steps.map(inWords))).toEqual(new Set([COMMIT]))
})
