import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Applies the steps of docs/add-an-endpoint.md to a copy of the repository, and calls the result.
const ROOT = join(import.meta.dirname, '../../..')
const SERVICE = 'apps/service'
const CORE = 'packages/core'
const EVERY_OPERATION = `${SERVICE}/test/every-operation.test.ts`

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
const formats = await (await fetch(service.url + '/v1/audio/formats', { headers: { authorization: 'Bearer ' + apiKey } })).json()
const wavOnly = await (await fetch(service.url + '/v1/audio/formats?content_type=audio/wav', { headers: { authorization: 'Bearer ' + apiKey } })).json()
const noFormat = await (await fetch(service.url + '/v1/audio/formats?content_type=text/html', { headers: { authorization: 'Bearer ' + apiKey } })).json()
const head = await fetch(service.url + '/v1/audio/formats', { method: 'HEAD', headers: { authorization: 'Bearer ' + apiKey } })
const wrongMethod = await fetch(service.url + '/v1/audio/formats', { method: 'POST', headers: { authorization: 'Bearer ' + apiKey } })
const { paths } = await (await fetch(service.url + '/openapi.json')).json()
const metrics = await (await fetch(service.url + '/metrics')).text()
const audio = Buffer.from(await (await fetch(url.url)).arrayBuffer())
console.log(JSON.stringify({
  url, task, repeated, ended, refused,
  formats, wavOnly, noFormat, headStatus: head.status, wrongMethod: wrongMethod.status, allowed: wrongMethod.headers.get('allow'),
  described: [paths['/v1/audio/spellings'].post.operationId, paths['/v1/audio/formats'].get.operationId],
  counted: ['spellings', 'formats'].every((name) => metrics.includes('route="/v1/audio/' + name + '"')),
  signature: audio.toString('latin1', 0, 4),
}))
await client.close()
await service.close()
`

let copy: string
let changes: Change[]
beforeAll(async () => {
  changes = readChanges(await readFile(join(ROOT, 'docs/add-an-endpoint.md'), 'utf8'))
  copy = await mkdtemp(join(tmpdir(), 'svc-audio-copy-'))
  for (const folder of [SERVICE, CORE]) {
    await mkdir(join(copy, folder), { recursive: true })
    for (const name of ['src', 'test', 'package.json', 'vitest.config.ts']) {
      if (!existsSync(join(ROOT, folder, name))) continue
      await cp(join(ROOT, folder, name), join(copy, folder, name), { recursive: true })
    }
    await symlink(join(ROOT, folder, 'node_modules'), join(copy, folder, 'node_modules'))
    // The sources import the copy of the option checks in it.
    await mkdir(join(copy, folder, 'dist'))
    await symlink(join(ROOT, folder, 'dist/option-checks'), join(copy, folder, 'dist/option-checks'))
  }
  // The types of Node.
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rm(copy, { recursive: true }))

/** Type-checks the copy with the compiler options of the repository. Rejects with the compiler's output. */
async function typeCheck(): Promise<void> {
  const compilerOptions = {
    rootDir: '.',
    noEmit: true,
    composite: false,
    isolatedDeclarations: false,
    declarationMap: false,
  }
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions,
    include: [`${SERVICE}/src`, `${CORE}/src`],
    exclude: ['**/*.test.ts'],
  }
  await writeFile(join(copy, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  await promisify(execFile)(tsc, ['-p', '.'], { cwd: copy }).catch((error: { stdout?: string }) => {
    throw new Error(`The copy does not compile:\n${error.stdout}`)
  })
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six']

test('the files of each section are as many as its heading says', async () => {
  const page = await readFile(join(ROOT, 'docs/add-an-endpoint.md'), 'utf8')
  const sections = page.split(/^## /m).filter((section) => section.includes('```diff'))
  const touched = sections.map((section) => new Set(readChanges(section).map(({ path }) => path)).size)
  expect(touched).toEqual([4, 2, 1, 3])
  const [post = '', get = '', responses = '', client = ''] = sections
  expect(post).toMatch(new RegExp(`^A POST that makes audio: ${NUMBERS[touched[0] ?? 0]} files\\n`))
  expect(get).toMatch(new RegExp(`^A GET: ${NUMBERS[touched[1] ?? 0]} files\\n`))
  expect(responses).toMatch(/^Its responses: rows of one file\n/)
  // one new file, and lines of two others
  expect(client).toMatch(/^The client: one file and three lines\n/)
})

async function apply(some: readonly Change[]): Promise<void> {
  for (const { path, removed, added } of some) {
    const file = join(copy, path)
    const before = removed === '' ? '' : await readFile(file, 'utf8')
    expect(before.split(removed).length, `${path} has ${removed}`).toBe(removed === '' ? 0 : 2)
    await writeFile(file, removed === '' ? added : before.replace(removed, () => added))
  }
}

/** Runs the test of every response in the copy. @returns Its output if it fails */
async function testResponses(): Promise<string | undefined> {
  const vitest = join(ROOT, 'node_modules/.bin/vitest')
  const args = ['run', '--no-color', '--root', join(copy, SERVICE), join(copy, EVERY_OPERATION)]
  return promisify(execFile)(vitest, args, { cwd: copy }).then(
    () => undefined,
    ({ stdout = '', stderr = '' }: { stdout?: string; stderr?: string }) => stdout + stderr,
  )
}

test('the endpoints on the page compile, answer, and are replayed, described and counted', async () => {
  await apply(changes.filter(({ path }) => path !== EVERY_OPERATION))
  await typeCheck()
  await writeFile(join(copy, 'run.ts'), SCRIPT)
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', 'run.ts'], { cwd: copy })
  const made = JSON.parse(stdout) as Record<string, { id?: string }>
  expect(made).toMatchObject({
    url: { object: 'audio.spelling', response_format: 'wav', id: expect.stringMatching(/^spelling_/) as string },
    task: { object: 'audio.spelling', status: 'PENDING' },
    ended: { object: 'audio.spelling', status: 'SUCCESS', content_type: 'audio/wav' },
    refused: { error: { code: 'invalid_value', param: 'word' } },
    formats: { object: 'list', data: expect.arrayContaining([expect.objectContaining({ id: 'mp3' })]) as unknown },
    wavOnly: { data: [{ id: 'wav', content_type: 'audio/wav' }] },
    noFormat: { error: { code: 'invalid_value', param: 'content_type' } },
    headStatus: 200,
    wrongMethod: 405,
    allowed: 'GET, HEAD',
    described: ['createSpelling', 'listFormats'],
    counted: true,
    signature: 'RIFF',
  })
  expect(made['repeated']?.id).toBe(made['task']?.id)
}, 300_000)

test('an endpoint without a test fails, and passes with the rows on the page', async () => {
  const output = await testResponses()
  for (const missing of [
    'GET /v1/audio/formats 200 application/json',
    'GET /v1/audio/formats 400 application/json',
    'POST /v1/audio/spellings 200 application/json',
    'POST /v1/audio/spellings 200 audio/*',
    'POST /v1/audio/spellings 413 application/json',
  ]) {
    expect(output).toContain(`"${missing}"`)
  }
  await apply(changes.filter(({ path }) => path === EVERY_OPERATION))
  expect(await testResponses()).toBeUndefined()
}, 300_000)
