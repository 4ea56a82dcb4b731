import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { AudioClient } from '@svc-audio/core'
import { type RunningService, startService } from '@svc-audio/service'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Snippet, SnippetKind } from '../../client/code/snippet.ts'
import { FIRST_DRAFT as FIRST_TASK } from '../../client/panels/tasks/draft.ts'
import { tasksSnippets } from '../../client/panels/tasks/tasks-snippets.ts'
import { FIRST_DRAFT as FIRST_VOICES } from '../../client/panels/voices/draft.ts'
import { voicesSnippets } from '../../client/panels/voices/voices-snippets.ts'
import { measure } from '../support/actions.ts'

const run = promisify(execFile)
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const TEXT = `It's "fresh" bread: $HOME & <b>butter</b> on the kitchen table.`
const KEY = 'key-of-the-snippets'
const KINDS = ['core', 'curl'] as const
const VOICES = [{ id: 'rms' }, { id: 'slt' }]

let service: RunningService
let client: AudioClient
let root: string
let folder: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-audio-snippets-'))
  // The installed packages of a user's project.
  await symlink(MODULES, join(root, 'node_modules'))
  service = await startService({
    dataDir: join(root, 'service'),
    port: 0,
    apiKeys: new Map([[KEY, 'snippets']]),
  })
  client = new AudioClient({ apiKey: KEY, baseUrl: service.url })
})
afterAll(async () => {
  await client?.close()
  await service?.close()
  await rm(root, { recursive: true, force: true })
})
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'run-'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
})

/** Writes the code into a file, as a user does after Copy, and runs its own command. @returns what it printed */
async function start(snippets: readonly Snippet[], kind: SnippetKind): Promise<string> {
  const snippet = snippets.find((one) => one.kind === kind)
  if (snippet === undefined) throw new Error(`There is no ${kind} code`)
  await writeFile(join(folder, snippet.file), snippet.code)
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`
  const env = { ...process.env, PATH, SVC_AUDIO_BASE_URL: service.url, SVC_AUDIO_API_KEY: KEY }
  const { stdout } = await run('sh', ['-ec', snippet.run], { cwd: folder, env, timeout: 30_000 })
  return stdout
}

/** Writes speech as a recording of a user. */
async function record(name: string): Promise<void> {
  const input = 'There is fresh bread on the table in the kitchen.'
  const body = { model: 'svc-tts-1.5-flash', input, voice_id: 'rms', response_format: 'wav' } as const
  await writeFile(join(folder, name), await (await client.speech.create(body)).bytes())
}

/** Whether a WAV has more than a second of audible speech. */
async function isSpeech(name: string): Promise<boolean> {
  const { seconds, peak } = measure(await readFile(join(folder, name)))
  return seconds > 1 && peak > 0.05
}

describe.each(KINDS)('%s code of Tasks', (kind) => {
  test.each(['speech', 'dialogue'] as const)('%s', async (task) => {
    const draft = { ...FIRST_TASK, kind: task, text: TEXT, voice: 'rms', format: 'wav' } as const
    expect(await start(tasksSnippets(draft, VOICES), kind)).toMatch(/^Created task_\w+\n[\s\S]*SUCCESS\n$/)
    expect(await isSpeech('task.wav')).toBe(true)
  })

  test('transcription', async () => {
    await record("my speech's.wav")
    const snippets = tasksSnippets({ ...FIRST_TASK, kind: 'transcription' }, VOICES, "my speech's.wav")
    expect((await start(snippets, kind)).toLowerCase()).toContain('bread')
  })
})

describe.each(KINDS)('%s code of Voices', (kind) => {
  const draft = { ...FIRST_VOICES, name: `Ann's "own"`, first: 'rms', second: 'slt' }

  test('list', async () => {
    expect(await start(voicesSnippets({ ...draft, view: 'list' }), kind)).toContain('slt')
  })

  test('record', async () => {
    await record('recording.wav')
    const printed = await start(voicesSnippets({ ...draft, view: 'record', about: 'For $HOME' }), kind)
    const { data } = await client.voices.list({ limit: 150 })
    const made = data.find(({ id }) => printed.includes(id))
    expect(made?.name).toBe(draft.name)
  })

  test('design', async () => {
    await start(voicesSnippets({ ...draft, view: 'design', designText: TEXT }), kind)
    expect(await isSpeech('designed.wav')).toBe(true)
  })

  test('compare', async () => {
    await start(voicesSnippets({ ...draft, view: 'compare', compareText: TEXT }), kind)
    for (const name of kind === 'core' ? ['rms', 'slt'] : ['1', '2'])
      expect(await isSpeech(`voice-${name}.wav`)).toBe(true)
  })
})
