import * as fc from 'fast-check'
import type { OutgoingHttpHeaders } from 'node:http'
import type { Context } from './context.ts'
import { form, partMutation, wireMutation } from './form.ts'
import type { RawRequest } from './http-client.ts'
import { fieldMutation, jsonMutation } from './json.ts'
import type { Plan, Route } from './routes.ts'

/** A request, and whether it is valid. */
export interface Case {
  readonly route: Route
  readonly request: RawRequest
  /** Must be accepted. */
  readonly valid: boolean
}

/** Requests to a route, identical for the same seed. About two in five are valid. */
export function casesOf(route: Route, context: Context, { count, seed }: { count: number; seed: number }): Case[] {
  const plans = route.valid(context)
  const kept = plans.map((plan): Case => ({ route, valid: true, request: asIs(route, plan) }))
  const spoilt = fc.tuple(plans.chain(spoil), oddHeaders).map(([{ path, body, contentType }, odd]): Case => {
    const type = contentType === undefined || contentType === '' ? {} : { 'content-type': contentType }
    const headers = { ...type, ...odd }
    return {
      route,
      valid: false,
      request: { method: route.method, path, headers, ...(body === undefined ? {} : { body }) },
    }
  })
  const any = fc.oneof({ weight: 2, arbitrary: kept }, { weight: 3, arbitrary: spoilt })
  return fc.sample(any, { numRuns: count, seed })
}

interface Spoilt {
  readonly path: string
  readonly body?: Buffer
  readonly contentType?: string
}

function asIs({ method }: Route, plan: Plan): RawRequest {
  if (plan.kind === 'path') return { method, path: plan.path, headers: {} }
  const { path } = plan
  if (plan.kind === 'form') {
    const { body, contentType } = form(plan.parts)
    return { method, path, headers: { 'content-type': contentType }, body }
  }
  return { method, path, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(plan.body)) }
}

function spoil(plan: Plan): fc.Arbitrary<Spoilt> {
  const { path } = plan
  if (plan.kind === 'path') return spoiltPath.map((change) => ({ path: change(path) }))
  if (plan.kind === 'form') {
    const parts = fc
      .array(partMutation, { minLength: 1, maxLength: 2 })
      .map((all) => form(all.reduce((now, change) => change(now), [...plan.parts])))
    const wire = wireMutation.map((change) => change(form(plan.parts)))
    return fc.oneof(parts, wire).map((changed) => Object.assign({ path }, changed))
  }
  const fields = fc.array(fieldMutation, { minLength: 1, maxLength: 3 }).map((all) => {
    const body = JSON.stringify(all.reduce((now, change) => change(now), plan.body))
    return { path, body: Buffer.from(body), contentType: 'application/json' }
  })
  const wire = jsonMutation.map((change) => Object.assign({ path }, change(JSON.stringify(plan.body))))
  return fc.oneof({ weight: 3, arbitrary: fields }, { weight: 1, arbitrary: wire })
}

/** Paths are sent unchanged. They must not contain a line end. */
const visible = (text: string): string => encodeURI(text.toWellFormed()).replaceAll('#', '%23')

const TRICKS = [
  '/../../service.sqlite',
  '/..%2f..%2fservice.sqlite',
  '/%00',
  '/%ff%fe',
  '/%',
  '//',
  '/.',
  '/%2e%2e',
  '/a'.repeat(500),
]

type PathMutation = (path: string) => string

/** Mutations of a path and its query. */
const spoiltPath: fc.Arbitrary<PathMutation> = fc.oneof(
  fc.constantFrom(...TRICKS).map(
    (trick): PathMutation =>
      (path) =>
        `${path.split('?', 1).join('')}${trick}`,
  ),
  fc.constantFrom(...TRICKS).map(
    (trick): PathMutation =>
      (path) =>
        path.replace(/\/[^/]*$/, trick),
  ),
  fc
    .tuple(
      fc.constantFrom('limit', 'offset', 'after', 'status', 'purpose', 'expires', 'signature', '__proto__', 'limit[]'),
      fc.oneof(
        fc.constantFrom('-1', '0', '1e9', '99999999999999999999', 'NaN', '', '1.5', '0x10', 'a,b'),
        fc.string({ unit: 'binary', maxLength: 20 }),
      ),
    )
    .map(
      ([name, value]): PathMutation =>
        (path) =>
          visible(`${path}${path.includes('?') ? '&' : '?'}${name}=${value.replaceAll('&', '')}`),
    ),
  fc.constant<PathMutation>((path) => `${path}${path.includes('?') ? '&' : '?'}limit=1&limit=2&after=%`),
)

/** Sometimes an unexpected header. */
const oddHeaders: fc.Arbitrary<OutgoingHttpHeaders> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<OutgoingHttpHeaders>({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<OutgoingHttpHeaders>(
      { 'idempotency-key': 'x'.repeat(300) },
      { 'idempotency-key': 'the same for all' },
      { 'content-encoding': 'gzip' },
      { 'transfer-encoding': 'chunked' },
      { accept: 'text/html', range: 'bytes=99999-1' },
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${'k'.repeat(8000)}` },
      { 'x-http-method-override': 'DELETE', cookie: 'a=b; '.repeat(100) },
      { connection: 'close', expect: '100-continue' },
    ),
  },
)
