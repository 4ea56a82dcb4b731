import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { releasesOf, startOf } from './announcement.ts'
import { OWN_WORKFLOWS, tagOwnWorkflows } from './publish-plan.ts'

const root = join(import.meta.dirname, '../..')

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly if?: string
        readonly needs?: string | readonly string[]
        readonly steps: readonly { readonly run?: string; readonly uses?: string }[]
      }
    >
  >
}

const workflows = new Map(
  globSync('.github/workflows/*.yml', { cwd: root }).map((path) => {
    const workflow: Workflow = parse(readFileSync(join(root, path), 'utf8'))
    return [basename(path), workflow] as const
  }),
)
const published = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: root })
  .map((path): { readonly name: string; readonly private?: boolean } =>
    JSON.parse(readFileSync(join(root, path), 'utf8')),
  )
  .filter((manifest) => manifest.private !== true)
  .map(({ name }) => name)

function commands({ jobs }: Workflow): readonly string[] {
  return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = '' }) => run.split('\n')))
}

/** Packages that a command publishes: `release` those of its plan, `publish` the one of its filter. */
function publishedBy(command: string): readonly string[] {
  if (/\bpnpm\S* release$/.test(command)) {
    const plan = [published.map((name) => ({ kind: 'publish' as const, name, version: '0.1.0' }))]
    return tagOwnWorkflows({ version: 1, plan })
      .plan.flat()
      .flatMap(({ kind, name }) => (kind === 'publish' ? [name] : []))
  }
  return / publish\b/.test(command) ? [/--filter[ =](\S+)/.exec(command)?.[1] ?? command] : []
}

test('each public package is published by exactly one workflow', () => {
  const all = [...workflows.values()].flatMap((workflow) => commands(workflow).flatMap(publishedBy))
  expect(published.length).toBeGreaterThan(20)
  expect(all.toSorted()).toEqual(published.toSorted())
})

test('a package with a workflow of its own is tagged by a release, so that its workflow can start from the tag', () => {
  const release = {
    kind: 'publish',
    name: 'n8n-nodes-svc-audio',
    version: '0.1.0',
    access: 'public',
    tag: 'latest',
  } as const
  expect(tagOwnWorkflows({ version: 1, plan: [[release]] }).plan).toEqual([
    [{ kind: 'tag-only', name: 'n8n-nodes-svc-audio', version: '0.1.0' }],
  ])
})

test.each([...OWN_WORKFLOWS])(
  '%s is published by %s, which a release starts from a tag of the package',
  (name, file) => {
    const workflow = workflows.get(file)
    expect(Object.keys(workflow?.on ?? {})).toEqual(['workflow_dispatch'])
    expect(Object.values(workflow?.jobs ?? {}).map((job) => job.if)).toEqual([
      `startsWith(github.ref_name, '${name}@')`,
    ])
  },
)

test('every workflow that a release starts can be started', () => {
  const started = releasesOf(published.map((name) => `${name}@0.1.0`)).flatMap((release) => startOf(release)?.[2] ?? [])
  expect(started.toSorted()).toEqual(['image.yml', 'publish.yml'])
  for (const file of started) expect(workflows.get(file)?.on).toHaveProperty('workflow_dispatch')
})

test('the release tries the n8n package in the newest and in the oldest n8n before it publishes anything', () => {
  const jobs = workflows.get('release.yml')?.jobs ?? {}
  const trial = Object.entries(jobs).find(([, { steps }]) => steps.some(({ run = '' }) => run.includes('test:n8n')))
  expect(trial?.[1]).toMatchObject({ strategy: { matrix: { release: ['newest', 'oldest'] } } })
  expect(jobs['publish']?.needs).toContain(trial?.[0])
})

test('the release attaches the bills of materials: it writes them before it announces what it has published and tagged', () => {
  const run = commands(workflows.get('release.yml') ?? { on: {}, jobs: {} })
  const steps = ['sbom:all', 'pnpm@12 release', 'git push --tags', 'release:announce']
  const places = steps.map((step) => run.findIndex((command) => command.endsWith(step)))
  expect(places).toEqual(places.toSorted((left, right) => left - right))
  expect(places).not.toContain(-1)
})
