import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Applies the steps of docs/add-an-operation.md to a copy of the repository, and calls the result.
const ROOT = join(import.meta.dirname, '../../..')
const SERVICE = 'apps/service'
const CORE = 'packages/core'

interface Change {
  readonly path: string
  readonly removed: string
  readonly added: string
}

/** The changes on the page: a line with a path, then one or more `diff` blocks. */
function readChanges(page: string): Change[] {
  const changes: Change[] = []
  let path = ''
  for (const { groups } of page.matchAll(/^`(?<path>[\w./-]+\.ts)`$|^```diff\n(?<diff>[\s\S]*?)^```$/gm)) {
    if (groups?.['path'] !== undefined) path = groups['path']
    const lines = groups?.['diff']?.trimEnd().split('\n')
    if (lines === undefined) continue
    const side = (mark: string): string =>
      lines
        .filter((line) => line.startsWith(' ') || line.startsWith(mark))
        .map((line) => line.slice(1))
        .join('\n')
    changes.push({ path, removed: side('-'), added: side('+') })
  }
  return changes
}

/** Runs in the copy: starts the service, calls the new operation, and prints the results. */
const SCRIPT = `
import { startService } from './${SERVICE}/src/index.ts'
import { AudioClient } from './${CORE}/src/index.ts'
const apiKey = 'key-of-the-copy'
const service = await startService({ dataDir: 'data', port: 0, apiKeys: new Map([[apiKey, 'copy']]), logLevel: 'silent' })
const client = new AudioClient({ apiKey, baseUrl: service.url })
const body = { model: 'svc-spell-1.0', word: 'copy', voice_id: 'rms', response_format: 'wav' }
const send = (more) =>
  fetch(service.url + '/v1/audio/spellings', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + apiKey, 'content-type': 'application/json', 'idempotency-key': 'same' },
    body: JSON.stringify({ ...body, ...more }),
  })
const url = await client.spellings.createUrl(body)
const task = await (await send({ async: true })).json()
const repeated = await (await send({ async: true })).json()
const ended = await client.tasks.wait(task.id)
const refused = await (await send({ word: '?' })).json()
const { paths } = await (await fetch(service.url + '/openapi.json')).json()
const metrics = await (await fetch(service.url + '/metrics')).text()
const audio = Buffer.from(await (await fetch(url.url)).arrayBuffer())
console.log(JSON.stringify({
  url, task, repeated, ended, refused,
  described: paths['/v1/audio/spellings'].post.operationId,
  counted: metrics.includes('route="/v1/audio/spellings"'),
  head: audio.toString('latin1', 0, 4),
}))
await client.close()
await service.close()
`

let copy: string
let changes: Change[]
beforeAll(async () => {
  changes = readChanges(await readFile(join(ROOT, 'docs/add-an-operation.md'), 'utf8'))
  copy = await mkdtemp(join(tmpdir(), 'svc-audio-copy-'))
  for (const folder of [SERVICE, CORE]) {
    await mkdir(join(copy, folder), { recursive: true })
    for (const name of ['src', 'package.json']) {
      await cp(join(ROOT, folder, name), join(copy, folder, name), { recursive: true })
    }
    await symlink(join(ROOT, folder, 'node_modules'), join(copy, folder, 'node_modules'))
  }
})
afterAll(() => rm(copy, { recursive: true }))

test('the page touches at most 4 files of the service and 3 of the client', () => {
  const touched = (folder: string) => new Set(changes.map(({ path }) => path).filter((path) => path.startsWith(folder)))
  expect(touched(SERVICE).size).toBe(4)
  expect(touched(CORE).size).toBe(3)
})

test('the operation on the page returns a URL and a task, is replayed, described and counted', async () => {
  for (const { path, removed, added } of changes) {
    const file = join(copy, path)
    const before = removed === '' ? '' : await readFile(file, 'utf8')
    expect(before.split(removed).length, `${path} has ${removed}`).toBe(removed === '' ? 0 : 2)
    await writeFile(file, removed === '' ? added : before.replace(removed, () => added))
  }
  await writeFile(join(copy, 'run.ts'), SCRIPT)
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', 'run.ts'], { cwd: copy })
  const made = JSON.parse(stdout) as Record<string, { id?: string }>
  expect(made).toMatchObject({
    url: { object: 'audio.spelling', response_format: 'wav', id: expect.stringMatching(/^spelling_/) as string },
    task: { object: 'audio.spelling', status: 'PENDING' },
    ended: { object: 'audio.spelling', status: 'SUCCESS', content_type: 'audio/wav' },
    refused: { error: { code: 'invalid_value', param: 'word' } },
    described: 'createSpelling',
    counted: true,
    head: 'RIFF',
  })
  expect(made['repeated']?.id).toBe(made['task']?.id)
})
