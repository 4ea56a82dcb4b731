import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LocalService } from './local-service.ts'

const SERVICE = `export async function startService() {
  return { url: \`http://127.0.0.1:1/\${process.pid}\`, close: async () => {} }
}
`

/** A site with a stand-in for the package, and a service of it. */
async function site(): Promise<{ readonly local: LocalService; readonly folder: string }> {
  const root = await mkdtemp(join(tmpdir(), 'local-service-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const home = join(root, 'node_modules/@svc-audio/service')
  await mkdir(home, { recursive: true })
  const manifest = { name: '@svc-audio/service', version: '1.2.3', type: 'module', main: 'index.js' }
  await writeFile(join(home, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(home, 'index.js'), SERVICE)
  const local = new LocalService()
  const folder = join(root, 'data')
  local.find(root, folder, () => undefined)
  return { local, folder }
}

test('a service that could not start is started by the next user, and its end leaves nothing', async () => {
  const { local, folder } = await site()
  await writeFile(folder, 'a file in the place of the folder')
  const lost = (): void => undefined
  await expect(local.use(lost)).rejects.toThrow(/EEXIST|ENOTDIR/)
  await rm(folder)
  await expect(local.use(lost)).resolves.toMatchObject({ baseUrl: expect.stringMatching(/^http:/) })
  await local.release(lost)
  expect(await readdir(folder)).toEqual([])
}, 60_000)

test('the end of a service that was stopped while it started does not end the next one', async () => {
  const { local } = await site()
  const lost: string[] = []
  const [first, second] = ['first', 'second'].map((name) => (): void => void lost.push(name))
  if (first === undefined || second === undefined) throw new Error('There are two users')
  const starting = local.use(first)
  const stopped = local.release(first)
  const { baseUrl } = await local.use(second)
  const { baseUrl: before } = await starting
  await stopped
  expect(baseUrl).not.toBe(before)
  expect(await local.use(second)).toEqual(expect.objectContaining({ baseUrl }))
  expect(lost).toEqual([])
  await local.release(second)
}, 60_000)
