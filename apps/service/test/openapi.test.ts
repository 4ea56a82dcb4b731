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
import { inlineSchemas } from '../src/http/named-schemas.ts'
import { KEY, startTestService, type TestService } from './support/test-service.ts'

interface Operation {
  readonly operationId: string
  readonly security: unknown[]
  readonly responses: Record<string, { content?: Record<string, unknown> }>
  readonly requestBody?: {
    content: Record<
      string,
      {
        schema: { $ref?: string; properties: Record<string, object> }
        example?: object
        examples?: Record<string, { value: object }>
      }
    >
  }
  readonly parameters?: { name: string; in: string; required?: boolean; schema: object }[]
}

interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, object> }
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
  const audio = ['application/octet-stream', 'audio/*']
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
  const { paths } = inlineSchemas(document)
  const body = paths['/v1/audio/speech']?.['post']?.requestBody?.content['application/json']?.schema
  expect(Object.keys(body?.properties ?? {})).toContain('expected_duration_sec')
  const form = paths['/v1/audio/transcriptions']?.['post']?.requestBody?.content['multipart/form-data']?.schema
  expect(form?.properties['file']).toMatchObject({ type: 'string', format: 'binary' })
  expect(Object.keys(form?.properties ?? {})).toEqual(expect.arrayContaining(['file_id', 'url', 'keyterms', 'async']))
})

describe('generators of clients find', () => {
  const operations = (): Operation[] => Object.values(document.paths).flatMap((methods) => Object.values(methods))

  test('one body for each operation, with the name of the operation', () => {
    const bodies = operations().flatMap(({ operationId, requestBody }) =>
      requestBody === undefined
        ? []
        : [[operationId, Object.values(requestBody.content).map(({ schema }) => schema.$ref)]],
    )
    expect(bodies.length).toBeGreaterThan(7)
    for (const [id, references] of bodies) {
      const name = String(id).replace(/^./, (letter) => letter.toUpperCase())
      expect(references).toEqual([`#/components/schemas/${name}Body`])
    }
  })

  test('a name for every object of a response, and each schema once', () => {
    const { schemas } = document.components
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['Error', 'Voice', 'VoiceList', 'Task', 'Transcription']),
    )
    expect(Object.keys(schemas).length).toBeLessThan(60)
    // An object without a name would get one of the generator's for each of its places.
    const unnamed = Object.entries(document.paths).filter(([, methods]) =>
      JSON.stringify(methods).includes('"properties"'),
    )
    expect(unnamed.map(([path]) => path)).toEqual([])
    const nested = Object.entries(schemas).filter(
      ([, schema]) => (JSON.stringify(schema).match(/"properties":/g)?.length ?? 0) > 1,
    )
    expect(nested.map(([name]) => name)).toEqual([])
  })

  test('no null in a request, and no choice between two arrays: they make no Java', () => {
    const odd: string[] = []
    const look = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { type, anyOf = [] }: { type?: unknown; anyOf?: readonly { type?: string }[] } = value
      const kinds = anyOf.map((one) => one.type)
      if (kinds.filter((kind) => kind === 'array').length > 1) odd.push(`${at} is one of several arrays`)
      if (at.includes('Body/') && [type, kinds].flat(2).includes('null')) odd.push(`${at} may be null`)
      for (const [key, child] of Object.entries(value)) look(child, `${at}/${key}`)
    }
    look(document.components.schemas, '')
    expect(odd).toEqual([])
  })

  test('bytes where a response is audio, by the media type that all of them know', () => {
    for (const path of ['/v1/audio/speech', '/openai/v1/audio/speech', '/v1/audio/results/{name}']) {
      const { post, get } = document.paths[path] ?? {}
      const [first, second] = Object.entries((post ?? get)?.responses['200']?.content ?? {})
      expect([first?.[0], second?.[0]]).toEqual(['application/octet-stream', 'audio/*'])
      expect(first?.[1]).toEqual({ schema: { type: 'string', format: 'binary' } })
    }
  })

  test('the ranges that the service checks', async () => {
    const limits = ['/v1/audio/voices', '/v1/files', '/openai/v1/audio/voices'].map((path) => {
      const parameter = document.paths[path]?.['get']?.parameters?.find(({ name }) => name === 'limit')
      return [path, parameter?.schema as { maximum: number }] as const
    })
    for (const [path, schema] of limits) {
      expect(schema).toMatchObject({ type: 'integer', minimum: 1 })
      const statuses = [0, 1, schema.maximum, schema.maximum + 1].map(async (limit) => {
        const response = await service.request('GET', `${path}?limit=${limit}`)
        await response.body?.cancel()
        return response.status
      })
      await expect(Promise.all(statuses)).resolves.toEqual([400, 200, 200, 400])
    }
    for (const name of ['CreateSpeechBody', 'CreateOpenaiSpeechBody']) {
      expect(JSON.stringify(document.components.schemas[name])).toContain('"minimum":0.25,"maximum":4')
    }
  })

  test('examples that are requests', async () => {
    let count = 0
    for (const [path, { post }] of Object.entries(document.paths)) {
      for (const [type, { example, examples = {} }] of Object.entries(post?.requestBody?.content ?? {})) {
        const values = Object.values(examples).map((one) => one.value)
        for (const value of [...values, ...(example === undefined ? [] : [example])]) {
          count += 1
          const headers = { 'content-type': type, authorization: `Bearer ${KEY}` }
          const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(value) })
          await response.body?.cancel()
          expect([path, response.status]).toEqual([path, 200])
        }
      }
    }
    expect(count).toBeGreaterThan(5)
  })
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
