import { readFile } from 'node:fs/promises'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import type * as core from '@svc-audio/core/interface'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import { FileDeletionResponse } from '../src/endpoints/files/delete-file.ts'
import { FileListResponse } from '../src/endpoints/files/list-files.ts'
import { ModelListResponse } from '../src/endpoints/models/list-models.ts'
import { ENDPOINTS } from '../src/endpoints/index.ts'
import { VoiceListResponse } from '../src/endpoints/voices/list-voices.ts'
import { renderReference } from '../src/endpoints/service/read-reference.ts'
import { SpeechResultResponse, TranscriptionResponse } from '../src/http/endpoint.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

interface Operation {
  readonly operationId: string
  readonly security: unknown[]
  readonly responses: Record<string, { content?: Record<string, unknown> }>
  readonly requestBody?: { content: Record<string, { schema: { properties: Record<string, object> } }> }
  readonly parameters?: { name: string; in: string; required?: boolean }[]
}

interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
}

let service: TestService
let document: Document
beforeAll(async () => {
  service = await startTestService({ openaiApi: true })
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document
})
afterAll(() => service.close())

test('the document is valid OpenAPI 3.1, without a finding of Redocly', async () => {
  const rules = {
    // Health, preflight and the reference have no parameters and no key: they refuse nothing.
    'operation-4xx-response': 'off',
    // Translations are always refused.
    'operation-2xx-response': 'off',
  } as const
  const config = await createConfig({ extends: ['recommended'], rules })
  const source = JSON.stringify(document)
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  expect(problems.map(({ ruleId, message, location: [at] }) => `${ruleId} ${at?.pointer}: ${message}`)).toEqual([])
  expect(document.openapi).toMatch(/^3\.1\./)
})

test('every endpoint names families of rules of the interface, or the page that documents its path', async () => {
  const read = (path: string): Promise<string> => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const { rules }: { readonly rules: readonly { readonly id: string }[] } = JSON.parse(await read('docs/rules.json'))
  const families = new Set(rules.map(({ id }) => id.split('.', 1)[0] ?? ''))
  const unknown: string[] = []
  // The redirect to the reference is hidden, and has no path of its own.
  for (const { path, rules: kept } of ENDPOINTS.filter(({ isHidden }) => isHidden !== true)) {
    const [fixed = ''] = path.split('/:', 1)
    const isKept = 'page' in kept ? (await read(kept.page)).includes(fixed) : kept.every((name) => families.has(name))
    if (!isKept) unknown.push(path)
  }
  expect(unknown).toEqual([])
})

test('every endpoint is described once, and nothing else is', async () => {
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  for (const known of [
    'POST /v1/audio/speech',
    'GET /v1/audio/tasks/{task_id}',
    'GET /v1/audio/results/{name}',
    'HEAD /v1/audio/results/{name}',
    'OPTIONS /v1/audio/results/{name}',
    'GET /docs',
  ]) {
    expect(described).toContain(known)
  }
  const ids = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).map((operation) => operation.operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
  for (const line of described) {
    const [method = '', path = ''] = line.split(' ')
    const response = await service.request(method, path.replaceAll(/[{}]/g, ''))
    await response.body?.cancel()
    expect([line, response.status]).not.toEqual([line, 405])
    // A response without a body has no type.
    expect(response.headers.get('content-type') === null).toBe(response.status === 204)
  }
})

test('the document names the server that it came from', () => {
  expect(document).toMatchObject({ servers: [{ url: '/' }] })
})

test('every endpoint of the interface is described', async () => {
  const text = await readFile(new URL('../../../docs/interface.md', import.meta.url), 'utf8')
  const endpoints = [...text.matchAll(/^### (?<method>[A-Z]+) (?<path>\/\S+)/gm)]
  expect(endpoints.length).toBeGreaterThanOrEqual(12)
  for (const { groups } of endpoints) {
    const methods = Object.keys(document.paths[groups?.['path'] ?? ''] ?? {})
    expect([groups?.['path'], methods]).toEqual([
      groups?.['path'],
      expect.arrayContaining([groups?.['method']?.toLowerCase()]),
    ])
  }
})

test('endpoints with a key say so, and all others are open', async () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { security, responses }] of Object.entries(operations)) {
      const response = await fetch(service.url + path.replaceAll(/[{}]/g, ''), { method })
      await response.body?.cancel()
      expect([path, response.status === 401]).toEqual([path, security.length > 0])
      expect(Object.keys(responses)).toContain(String(response.status))
    }
  }
})

test('a status is described with its headers', () => {
  const responses = Object.entries(document.paths['/v1/audio/results/{name}']?.['get']?.responses ?? {})
  const audio = ['audio/*']
  const error = ['application/json']
  expect(responses.map(([status, { content = {} }]) => [status, Object.keys(content)])).toEqual([
    ['200', audio],
    ['206', audio],
    ['302', []],
    ['304', []],
    ['404', error],
    ['416', error],
    ['500', error],
    ['503', error],
  ])
})

test('a body is described by its validation schema', () => {
  const body = document.paths['/v1/audio/speech']?.['post']?.requestBody?.content['application/json']?.schema
  expect(Object.keys(body?.properties ?? {})).toContain('expected_duration_sec')
  const form = document.paths['/v1/audio/transcriptions']?.['post']?.requestBody?.content
  expect(form?.['multipart/form-data']?.schema.properties['file']).toMatchObject({ type: 'string', format: 'binary' })
  expect(form?.['application/json']?.schema.properties).not.toHaveProperty('file')
})

test("the responses match the client's types", () => {
  expectTypeOf<z.infer<typeof SpeechResultResponse>>().toExtend<core.SpeechResult>()
  expectTypeOf<z.infer<typeof VoiceListResponse>['data'][number]>().toExtend<core.Voice>()
  expectTypeOf<z.infer<typeof ModelListResponse>>().toExtend<core.ModelList>()
  expectTypeOf<z.infer<typeof FileListResponse>>().toExtend<core.FileList>()
  expectTypeOf<z.infer<typeof FileDeletionResponse>>().toExtend<core.FileDeletion>()
  expectTypeOf<z.infer<typeof TranscriptionResponse>>().toExtend<Pick<core.Transcription, 'text'>>()
})

describe('the HTML page', () => {
  test('shows every endpoint, and loads nothing from elsewhere', async () => {
    const response = await fetch(`${service.url}/docs`)
    const page = await response.text()
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    for (const path of Object.keys(document.paths)) expect(page).toContain(`<code>${path}</code>`)
    expect(page).not.toMatch(/<script|<link|<img|https?:\/\//)
    expect(page).not.toContain(KEY)
  })

  test("is the target of the service's root", async () => {
    const response = await fetch(`${service.url}/`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([302, 'docs'])
    expect((await fetch(`${service.url}/`)).url).toBe(`${service.url}/docs`)
  })

  test('escapes its content', () => {
    const page = renderReference({ info: { title: '<b>&"', version: '1' }, paths: {} })
    expect(page).toContain('<h1>&lt;b&gt;&amp;&quot; <small>1</small></h1>')
  })
})
