import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inlineSchemas } from '../../src/http/named-schemas.ts'

/** The read part of the OpenAPI document. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  /** By status. */
  readonly responses: Readonly<Record<string, Described>>
}

/** A described response: its bodies by media type, such as `audio/*`. */
interface Described {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

/**
 * Compares real responses of services with the OpenAPI documents that they serve: the status, the media type, and a JSON
 * body, which may have no other fields than those of its schema.
 */
export class DescribedResponses {
  /** Differences from the document, one line each. */
  readonly faults: Set<string> = new Set()
  readonly #described = new Set<string>()
  readonly #sent = new Set<string>()

  /**
   * Responses that the documents describe and that nobody has received, as `GET /v1/models 200 application/json`. A 500,
   * which is a fault of the service, is not one of them.
   */
  get missing(): string[] {
    return [...this.#described].filter((response) => !this.#sent.has(response)).toSorted()
  }

  /** Forgets everything. */
  clear(): void {
    for (const set of [this.faults, this.#described, this.#sent]) set.clear()
  }

  /** Watches the responses of an app from its beginning. */
  watch(app: FastifyInstance): void {
    const bodies = new WeakMap<FastifyRequest, unknown>()
    app.addHook('onSend', async (request, _reply, body) => void bodies.set(request, body))
    app.addHook('onResponse', async (request, reply) => {
      if (!app.hasDecorator('swagger') || !reply.raw.headersSent) return
      const document = documentOf(app)
      this.#describe(document)
      this.#note(document, reply, bodies.get(request))
    })
  }

  #describe({ paths }: Document): void {
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { responses }] of Object.entries(operations)) {
        for (const [status, { content = {} }] of Object.entries(responses)) {
          if (status === '500') continue
          const name = `${method.toUpperCase()} ${path} ${status}`
          // Generators need the general type beside `audio/*`. Nothing is sent with it.
          const types = Object.keys(content).filter((type) => type !== 'application/octet-stream')
          for (const response of types.length === 0 ? [name] : types.map((type) => `${name} ${type}`)) {
            this.#described.add(response)
          }
        }
      }
    }
  }

  #note({ paths }: Document, reply: FastifyReply, body: unknown): void {
    const { method, routeOptions } = reply.request
    // A path of the client's own, and a redirect that the document leaves out.
    if (routeOptions.url === undefined || routeOptions.config.endpoint?.isHidden === true) return
    const path = routeOptions.url.replaceAll(/:(\w+)/g, '{$1}')
    const { [method.toLowerCase()]: own, get } = paths[path] ?? {}
    const response = `${method} ${path} ${reply.statusCode}`
    // The framework answers HEAD as GET, without the body.
    const described = (method === 'HEAD' ? (own ?? get) : own)?.responses[String(reply.statusCode)]
    const [type = ''] = String(reply.getHeader('content-type') ?? '').split(';', 1)
    const content = Object.entries(described?.content ?? {})
    const [name, { schema } = {}] = content.find(([known]) => includes(known, type)) ?? []
    if (described === undefined) this.faults.add(`${response}: the status is not described`)
    else if (name === undefined && (content.length > 0 || (type !== '' && method !== 'HEAD'))) {
      this.faults.add(`${response}: the media type is ${type === '' ? 'missing' : type}, which is not described`)
    } else {
      this.#sent.add(name === undefined ? response : `${response} ${name}`)
      if (method === 'HEAD' || schema === undefined || type !== 'application/json') return
      for (const fault of findFaults(schema, JSON.parse(String(body)))) this.faults.add(`${response}: ${fault}`)
    }
  }
}

const documents = new WeakMap<FastifyInstance, Document>()

/** The document of an app, without references. */
function documentOf(app: FastifyInstance): Document {
  const document = documents.get(app) ?? inlineSchemas(app.getDecorator<() => Document>('swagger')())
  documents.set(app, document)
  return document
}

/** Those of the services that the current test file has started. record-responses.ts watches them. */
export const RESPONSES: DescribedResponses = new DescribedResponses()

/** Whether a described media type, such as `audio/*`, includes a type. */
function includes(described: string, type: string): boolean {
  return described.endsWith('/*') ? type.startsWith(described.slice(0, -1)) : described === type
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
/** By schema as JSON: each app has a document of its own. */
const validators = new Map<string, ValidateFunction>()

/** Returns how a value differs from a schema whose objects have no other fields. */
function findFaults(schema: object, value: unknown): string[] {
  const key = JSON.stringify(schema, closed)
  const validate = validators.get(key) ?? ajv.compile(JSON.parse(key))
  validators.set(key, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `body${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** A replacer for `JSON.stringify`: a schema that names fields of an object allows no others. */
function closed(name: string, schema: unknown): unknown {
  const isObject = typeof schema === 'object' && schema !== null && name !== 'properties'
  return isObject && 'properties' in schema ? { ...schema, additionalProperties: false } : schema
}
