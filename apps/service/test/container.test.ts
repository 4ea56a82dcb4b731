import { readFile } from 'node:fs/promises'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { listSettings } from '../src/cli/settings.ts'

const FILE = new URL('../Containerfile', import.meta.url)
const ROOT = new URL('../../../', import.meta.url)

const content = await readFile(FILE, 'utf8')
const stages = content.split(/^FROM /m).slice(1)
const last = stages.at(-1) ?? ''

test('the container file passes its linter', () => {
  expect(validate(content)).toEqual([])
})

test('the linter finds faults', () => {
  expect(validate('FROM node\nEXPOSE many\n').length).toBeGreaterThan(0)
})

test('it does not run as root, reports its health, and stores its data in a volume of its user', () => {
  expect(last).toMatch(/^USER node$/m)
  expect(last).toMatch(/^HEALTHCHECK [^]*\/healthz/m)
  expect(last).toMatch(/^VOLUME \/data$/m)
  expect(last).toContain('chown node:node /data')
  // as a program, not through a shell: SIGTERM must reach it
  expect(last).toMatch(/^ENTRYPOINT \[/m)
})

test('its images have a version, and it sets only known settings', () => {
  for (const stage of stages) expect(stage).toMatch(/^\S+:\d+\S*/)
  const known = new Set(listSettings().map(({ variable }) => variable))
  for (const [variable] of content.matchAll(/SVC_AUDIO_\w+/g)) expect(known).toContain(variable)
})

test('modules, builds and data of this machine stay out of the image', async () => {
  const ignored = (await readFile(new URL('.dockerignore', ROOT), 'utf8')).trim().split('\n')
  expect(ignored).toEqual(expect.arrayContaining(['**/node_modules', '**/dist', '**/.svc-audio', '.git']))
})

test('it brings the ffmpeg of its system, which is the fastest codec', () => {
  expect(last).toMatch(/^ && apt-get install -y --no-install-recommends ffmpeg/m)
})

test('it installs the tools of the workspace and what the image holds, by names that exist', async () => {
  const filters = Array.from(content.matchAll(/--filter[= ](@?[\w/-]+)/g), ([, name]) => name)
  expect(filters.length).toBeGreaterThanOrEqual(3)
  const manifests = ['package.json', 'apps/container/package.json', 'apps/service/package.json']
  const names = await Promise.all(
    manifests.map(async (path) => {
      const { name }: { readonly name: string } = JSON.parse(await readFile(new URL(path, ROOT), 'utf8'))
      return name
    }),
  )
  expect(new Set(filters)).toEqual(new Set(names))
})
