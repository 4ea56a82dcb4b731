// Rehearses a release. A clone of HEAD turns its changesets into versions and changelogs, and publishes every package to a
// registry on this machine, both with the commands of the workflow. What is published is checked there. A new project
// installs the packages on each supported Node. The steps of the container file build the service, which then speaks.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { globSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { parse } from 'yaml'
import { nodeBinary, output, start } from '../hosts/index.ts'
import { runInstalled } from './program.ts'
import { localRegistry, type LocalRegistry, OURS } from './registry.ts'

const root = join(import.meta.dirname, '../..')
const NODES = [22, 24, 26] as const

/** A dependency of the package for n8n. */
const N8N_SCANNER = '@n8n/scan-community-package/scanner/scanner.mjs'

/** Commits and tags need a person. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'release',
  GIT_AUTHOR_EMAIL: 'release@localhost',
  GIT_COMMITTER_NAME: 'release',
  GIT_COMMITTER_EMAIL: 'release@localhost',
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license?: string
  readonly repository?: { readonly url: string; readonly directory?: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** A package of the release. */
interface Released extends Manifest {
  /** Folder of its sources, from the root. */
  readonly source: string
}

/** What the workflow runs. */
interface Workflow {
  readonly jobs: {
    readonly release: {
      readonly steps: readonly {
        readonly id?: string
        readonly with?: Readonly<Record<string, string>>
        readonly env?: Readonly<Record<string, string>>
      }[]
    }
  }
}

const folder = await mkdtemp(join(tmpdir(), 'svc-audio-release-'))
try {
  console.log('starting a registry …')
  await using registry = await localRegistry(join(folder, 'registry'), OURS)
  const clone = join(folder, 'clone')
  const commands = await workflowCommands()
  await version(clone, commands.version)
  const released = await manifests(clone)
  await publish(clone, commands.publish, { registry, released })
  for (const { name, version: number } of released) console.log(`  ${name} ${number}`)
  await checkPublished(clone, registry, released)
  for (const major of NODES) console.log(`Node ${major}: ${await tryOn(major, released, registry)}`)
  console.log(`container: ${await buildContainer(clone)}`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** The two commands that the workflow gives to the action of changesets. */
async function workflowCommands(): Promise<{ readonly version: string; readonly publish: string }> {
  const text = await readFile(join(root, '.github/workflows/main.yml'), 'utf8')
  const workflow: Workflow = parse(text)
  const { with: given = {}, env = {} } = workflow.jobs.release.steps.find(({ id }) => id === 'changesets') ?? {}
  // pnpm reads its own variables alone.
  equal(env['PNPM_CONFIG_PROVENANCE'], 'true', 'the workflow publishes without provenance')
  const { 'version-script': versions = '', 'publish-script': publishes = '' } = given
  return { version: versions, publish: publishes }
}

/** Clones, writes versions and changelogs, and checks the pages of the release. */
async function version(clone: string, command: string): Promise<void> {
  console.log(`${command} …`)
  await output('git', ['clone', '--quiet', '--shared', root, clone], { cwd: folder })
  await output('npx', ['-y', 'pnpm@12', 'install', '--prefer-offline'], { cwd: clone, env: { CI: '1' } })
  await output('sh', ['-ec', command], { cwd: clone })
  // The workflow installs what the pull request has.
  await output('npx', ['-y', 'pnpm@12', 'install', '--frozen-lockfile', '--prefer-offline'], { cwd: clone })
  for (const check of ['install-notes', 'manifests', 'style']) {
    await output(process.execPath, [`scripts/checks/${check}.ts`], { cwd: clone })
  }
  await output(join(clone, 'node_modules/.bin/oxfmt'), ['--check', '.'], { cwd: clone })
  const left = (await readdir(join(clone, '.changeset'))).filter((name) => name.endsWith('.md') && name !== 'README.md')
  deepEqual(left, [], 'changesets are left')
  await output('git', ['add', '--all'], { cwd: clone })
  await output('git', ['commit', '--quiet', '--no-verify', '-m', 'Release'], { cwd: clone, env: IDENTITY })
}

async function publish(
  clone: string,
  command: string,
  { registry, released }: { readonly registry: LocalRegistry; readonly released: readonly Released[] },
): Promise<void> {
  console.log(`${command} …`)
  const events = join(folder, 'events.ndjson')
  // The action reads from this file what it announces. Provenance needs the workflow.
  const env = { ...registry.env, ...IDENTITY, CI: '1', CHANGESETS_OUTPUT: events }
  await output('npx', ['-y', 'pnpm@12', 'build'], { cwd: clone, env })
  await output('sh', ['-ec', command], { cwd: clone, env })
  const wanted = released.map(({ name, version: number }) => `${name}@${number}`).toSorted()
  const tags = (await output('git', ['tag', '--points-at', 'HEAD'], { cwd: clone })).trim().split('\n')
  deepEqual(tags.toSorted(), wanted, 'each version has a tag')
  const announced = await readFile(events, 'utf8')
  for (const { name } of released) ok(announced.includes(`"${name}"`), `${name} is not announced`)
  // A second run, as after a failure in the middle, publishes nothing twice.
  await output('sh', ['-ec', command], { cwd: clone, env: { ...env, CHANGESETS_OUTPUT: join(folder, 'again.ndjson') } })
}

async function manifests(clone: string): Promise<readonly Released[]> {
  const paths = globSync('{apps,engines,packages}/*/package.json', { cwd: clone }).toSorted()
  const all = await Promise.all(
    paths.map(async (path): Promise<Released> => {
      const manifest: Manifest = JSON.parse(await readFile(join(clone, path), 'utf8'))
      return Object.assign(manifest, { source: path.replace('/package.json', '') })
    }),
  )
  return all.filter((manifest) => manifest.private !== true)
}

/** What people and registries read of each package: its manifest there, its changelog, its bill of materials. */
async function checkPublished(clone: string, { env }: LocalRegistry, released: readonly Released[]): Promise<void> {
  console.log('checking what is published …')
  const bills = ['-y', 'pnpm@12', 'sbom', '--prod', '--split', '--lockfile-only', '--sbom-format', 'cyclonedx']
  await output('npx', [...bills, '--out', 'sbom/%s.json'], { cwd: clone })
  const names = new Set(released.map(({ name }) => name))
  for (const { name, version: number, source } of released) {
    const shown = await output('npm', ['view', `${name}@${number}`, '--json'], { cwd: folder, env })
    const there: Manifest = JSON.parse(shown)
    ok(number !== '0.0.0', `${name} has no version`)
    // Provenance names the repository: the registry refuses a package that names another one.
    deepEqual([there.repository?.directory, there.license], [source, 'MIT'], `${name} names its source and its license`)
    const needs = Object.entries({ ...there.dependencies, ...there.peerDependencies })
    for (const [need, range] of needs) {
      ok(!/^(?:workspace|catalog|file|link):/.test(range), `${name} needs ${need} as ${range}`)
      if (OURS.some((pattern) => need.startsWith(pattern.replace('*', ''))))
        ok(names.has(need), `${need} is not published`)
    }
    const changelog = await readFile(join(clone, source, 'CHANGELOG.md'), 'utf8')
    match(changelog, new RegExp(`^## ${number.replaceAll('.', String.raw`\.`)}\\n\\n### \\w+ Changes\\n\\n- \\w`, 'm'))
    const bill: { readonly components?: readonly unknown[] } = JSON.parse(
      await readFile(join(clone, 'sbom', `${name.replace('@', '').replace('/', '-')}.json`), 'utf8'),
    )
    ok(Array.isArray(bill.components), `${name} has no bill of materials`)
  }
  await scanN8nPackage(released, env)
}

/** The rules of n8n for community packages, on what the registry has. */
async function scanN8nPackage(released: readonly Released[], env: LocalRegistry['env']): Promise<void> {
  const node = released.find(({ name }) => name.startsWith('n8n-nodes-'))
  if (node === undefined) throw new Error('no package for n8n is released')
  deepEqual(node.dependencies ?? {}, {}, 'a package for n8n has no dependencies')
  const place = join(folder, 'n8n')
  await output('npm', ['install', '--prefix', place, '--ignore-scripts', '--legacy-peer-deps', node.name], {
    cwd: folder,
    env,
  })
  const require = createRequire(join(root, node.source, 'package.json'))
  // Its rules take any file for a node under test, and it leaves a folder behind.
  process.env['NODE_ENV'] = 'production'
  process.env['TMPDIR'] = folder
  const scanner: {
    analyzePackage(path: string, patterns: readonly string[]): Promise<{ passed: boolean; details?: string }>
  } = require(N8N_SCANNER)
  const found = await scanner.analyzePackage(join(place, 'node_modules', node.name), ['**/*.js', 'package.json'])
  ok(found.passed, `n8n refuses the package: ${found.details ?? ''}`)
}

/** Installs everything from the registry, as a user of this Node. @returns what the program heard */
async function tryOn(
  major: (typeof NODES)[number],
  released: readonly Released[],
  { env }: LocalRegistry,
): Promise<string> {
  const peers = Object.assign({}, ...released.map(({ peerDependencies = {} }) => peerDependencies))
  const ours = Object.fromEntries(released.map(({ name, version: number }) => [name, number]))
  return runInstalled(join(folder, `node-${major}`), { ours, peers, env, node: await nodeBinary(major) })
}

/**
 * Runs the steps of the container file that build, in a clone of the release, and the service that they make.
 * @returns what its service says and how much it speaks
 */
async function buildContainer(clone: string): Promise<string> {
  const source = join(folder, 'image')
  const app = join(folder, 'app')
  await output('git', ['clone', '--quiet', '--shared', clone, source], { cwd: folder })
  const file = await readFile(join(source, 'apps/service/Containerfile'), 'utf8')
  const [, building = ''] = /^RUN (npx [^]*?[^\\])\n(?! )/m.exec(file) ?? []
  ok(building.includes('/app'), 'the container file has a step that builds /app')
  await output('sh', ['-ec', building.replaceAll('/app', app)], { cwd: source, env: { CI: '1' } })
  const main = join(app, 'node_modules/@svc-audio/service/dist/main.js')
  const apiKey = 'key-of-the-container'
  const env = { SVC_AUDIO_DATA_DIR: join(folder, 'data'), SVC_AUDIO_API_KEYS: `try:${apiKey}` }
  const ready = /^ *address +(?<address>\S+)$/m
  await using service = await start(process.execPath, [main, '--port', '0'], { cwd: folder, env, ready })
  const baseUrl = service.match.groups?.['address'] ?? ''
  await using client = new AudioClient({ apiKey, baseUrl })
  const speech = await client.speech.create({ model: 'svc-tts-1.5-flash', input: 'Hello there.', voice_id: 'rms' })
  const { byteLength } = await speech.bytes()
  ok(byteLength > 1000, 'the service of the container speaks')
  return `ready, ${byteLength} bytes of speech`
}
