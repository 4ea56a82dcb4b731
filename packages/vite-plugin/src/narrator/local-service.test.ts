import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
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
  vi.stubEnv('TMPDIR', `${folder}/none`)
  const lost = (): void => undefined
  await expect(local.use(lost)).rejects.toThrow(
    /^service: 'local' could not start .* 1\.2\.3: it has no folder for its data \(E\w+.*Make .*data writable, or set TMPDIR/,
  )
  vi.unstubAllEnvs()
  await rm(folder)
  await expect(local.use(lost)).resolves.toMatchObject({ baseUrl: expect.stringMatching(/^http:/) })
  await local.release(lost)
  expect(await readdir(folder)).toEqual([])
})

test('a service whose folder cannot be written has its data in the temporary folder, and leaves nothing there', async () => {
  const { local, folder } = await site()
  await writeFile(folder, 'a file in the place of the folder')
  const temporary = await mkdtemp(join(tmpdir(), 'local-service-'))
  onTestFinished(() => rm(temporary, { recursive: true, force: true }))
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => void vi.unstubAllEnvs())
  const lost = (): void => undefined
  await expect(local.use(lost)).resolves.toMatchObject({ baseUrl: expect.stringMatching(/^http:/) })
  expect(await readdir(temporary)).toHaveLength(1)
  await local.release(lost)
  expect(await readdir(temporary)).toEqual([])
})

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
})
