import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { z } from 'zod'
import { AUDIO_KINDS, TASK_KINDS } from '../domain/task-kinds.ts'
import type { UsageKind } from '../domain/usage.ts'
import type { Services } from '../services.ts'
import type { Switches } from '../use-cases/keys.ts'
import type { TaskOperation } from '../use-cases/tasks/task.ts'
import type { AllowedOrigins } from './cors.ts'
import type { Readiness } from './readiness.ts'
import type { ServiceMetrics } from './metrics.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The module of the route. */
    endpoint?: Endpoint
  }
}

/** Groups of endpoints, in the order of the document. */
export const TAGS = {
  speech: 'Text to audio',
  transcription: 'Audio to text',
  voices: 'Voices of the service and of the account',
  files: 'Uploaded files',
  tasks: 'Work that goes on after the response',
  models: 'What the service can do',
  results: 'Audio by signed links',
  service: 'For operators and monitors',
  openai: 'The audio calls of the OpenAI API: an addition of this service to its interface, off by default',
} as const

/** Families of the interface's rules, or the page that documents an addition to the interface. */
export type EndpointRules = readonly [string, ...string[]] | { readonly page: string }

/** A response with its own description. */
export interface DescribedResponse {
  readonly description: string
  /** Bodies by media type. @default no body */
  readonly content?: Readonly<Record<string, z.ZodType>>
}

/** What an endpoint is called, and what it receives and returns. */
export interface EndpointDescription {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'OPTIONS' | 'POST'
  /** Path of the route, and label of its metrics. Parameters as `:file_id`. */
  readonly path: `/${string}`
  /** Name in the OpenAPI document, and the action in the audit log. */
  readonly operationId: string
  readonly tag: keyof typeof TAGS
  readonly summary: string
  /** A sentence or more, beyond the summary. */
  readonly description: string
  /** Families of the rules that it keeps (docs/rules.json), or the page that documents an addition of this service. */
  readonly rules: EndpointRules
  /** Request bodies by media type, for the document. @default the schema `body` as JSON */
  readonly bodies?: Readonly<Record<string, z.ZodType>>
  /** Bodies that the service accepts as they are, for the document. A file of a form is left out. @default none */
  readonly examples?: readonly object[]
  /** Status of a successful response. @default 200 */
  readonly status?: number
  /** Bodies of a successful response, by media type. @default no body */
  readonly content?: Readonly<Record<string, z.ZodType>>
  /**
   * Possible error statuses, beside 500 and 503, except with open access, and 401, 403 and 429 with access by key. One
   * that is also the `status` stands for a missing success.
   */
  readonly errors?: readonly number[]
  /** Other responses by status, beside success and the error body. */
  readonly others?: Readonly<Record<number, DescribedResponse>>
  /** What its successful requests are counted as. @default 'other' */
  readonly usage?: UsageKind
  /** Whether the document leaves it out. @default false */
  readonly isHidden?: boolean
  /**
   * What gives access: an API key, a signed link, or nothing. An endpoint without access control also answers while the
   * service stops, and on workers. @default 'key'
   */
  readonly access?: 'key' | 'link' | 'open'
  /** The setting that switches it on. @default it is always on */
  readonly door?: 'openai'
  /** Whether it only lists models or voices, which a setting opens to requests without a key. @default false */
  readonly isList?: boolean
  /** Whether the audit log has its requests, although it only reads. @default false */
  readonly isAudited?: boolean
  /** Stores and performs its tasks. @default it has no tasks */
  readonly task?: TaskOperation
}

/** What an endpoint works with. */
export interface EndpointParts {
  readonly services: Services
  readonly readiness: Readiness
  readonly switches: Switches
  readonly metrics: Pick<ServiceMetrics, 'contentType' | 'render'>
  /** Bearer token of the metrics, if any. */
  readonly metricsToken: string | undefined
  /** Whether the process answers requests of clients. */
  readonly servesHttp: boolean
  /** Returns the OpenAPI document. */
  readonly document: () => object
  /** Origins of pages that may call the service. */
  readonly origins: AllowedOrigins
}

/** The complete definition of an endpoint. */
export interface EndpointDefinition<Params, Query, Body> extends EndpointDescription {
  /** Schema of the parameters in the path. */
  readonly params?: z.ZodType<Params>
  readonly query?: z.ZodType<Query>
  /** Schema of a JSON body. */
  readonly body?: z.ZodType<Body>
  /** Largest JSON body, in bytes. @default the service's own limit */
  readonly bodyLimit?: ((services: Services) => number) | undefined
  /** Runs after the check of the key, before the body is read. */
  readonly onRequest?: onRequestHookHandler
  /** Returns the handler of its requests. */
  readonly handle: (
    parts: EndpointParts,
  ) => (request: FastifyRequest<{ Params: Params; Querystring: Query; Body: Body }>, reply: FastifyReply) => unknown
}

/** An endpoint of the service. */
export interface Endpoint extends EndpointDescription {
  readonly access: 'key' | 'link' | 'open'
  /** Adds its route. The framework adds HEAD to each GET. */
  addRoute(app: FastifyInstance, parts: EndpointParts): void
}

/** Defines an endpoint. Enter it in `endpoints/index.ts`. */
export function defineEndpoint<Params = unknown, Query = unknown, Body = unknown>(
  definition: EndpointDefinition<Params, Query, Body>,
): Endpoint {
  const { params, query, body, bodyLimit, onRequest, handle, ...description } = definition
  const schema = {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
  }
  const endpoint: Endpoint = {
    ...description,
    access: description.access ?? 'key',
    addRoute(app, parts) {
      app.route<{ Params: Params; Querystring: Query; Body: Body }>({
        method: description.method,
        url: description.path,
        config: { endpoint },
        handler: handle(parts),
        ...(Object.keys(schema).length === 0 ? {} : { schema }),
        ...(onRequest === undefined ? {} : { onRequest }),
        ...(bodyLimit === undefined ? {} : { bodyLimit: bodyLimit(parts.services) }),
      })
    },
  }
  return endpoint
}

/** Whether an endpoint receives files as `multipart/form-data`. */
export function acceptsForms({ bodies = {} }: EndpointDescription): boolean {
  return 'multipart/form-data' in bodies
}

/** Bytes, in the OpenAPI document. */
export const binary = z.string().meta({ format: 'binary' })

/** A response of audio, in the OpenAPI document. Some generators know bytes by the general media type only. */
export const AUDIO: Readonly<Record<string, z.ZodType>> = { 'application/octet-stream': binary, 'audio/*': binary }

/** Gives a schema a name in the OpenAPI document. */
export function named<Schema extends z.ZodType>(name: string, schema: Schema): Schema {
  return schema.meta({ title: name })
}

/** Describes a JSON body. */
export function json<Schema extends z.ZodType>(schema: Schema): { readonly 'application/json': Schema } {
  return { 'application/json': schema }
}

// Responses of several endpoints, as schemas for the OpenAPI document. Tests compare them with core's types, and each real
// response with them.

/** A time, in the OpenAPI document. */
export const unixSeconds = z.int().describe('Unix seconds')

const describedError = z.object({
  code: z.string().describe('The error code, for programs'),
  message: z.string().describe('The error message, for people'),
  type: z.enum(['invalid_request_error', 'authentication_error', 'service_error']),
  param: z.string().nullable().describe('The field at fault'),
})

/** The body of every failed request. */
export const ErrorResponse = named('Error', z.object({ error: named('ErrorDetails', describedError) }))

/** The body of every failed request of the OpenAI API. */
export const OpenaiErrorResponse = named(
  'OpenaiError',
  z.object({
    error: named(
      'OpenaiErrorDetails',
      describedError.extend({
        type: z.enum(['invalid_request_error', 'authentication_error', 'rate_limit_error', 'server_error']),
      }),
    ),
  }),
)

/** The response with `delivery_method=url`. */
export const SpeechResultResponse = named(
  'SpeechResult',
  z.looseObject({
    id: z.string(),
    object: named('AudioKind', z.enum(AUDIO_KINDS)),
    status: z.string(),
    url: z.url().describe('Signed and expiring; needs no key'),
    response_format: z.string(),
    content_type: z.string(),
    created_at: unixSeconds,
  }),
)

/** The kind of a task. */
export const taskObject = named('TaskKind', z.enum(TASK_KINDS))
/** The state of a task. */
export const taskStatus = named('TaskStatus', z.enum(['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED']))

/** The response with `async=true`. */
export const TaskCreationResponse = named(
  'TaskCreation',
  z.looseObject({
    id: z.string(),
    task_id: z.string(),
    object: taskObject,
    status: taskStatus,
    model_id: z.string().optional().describe('Voice generation only'),
    retry_after: z.int().optional().describe('Seconds until the next poll'),
    created_at: unixSeconds,
    updated_at: unixSeconds.optional(),
  }),
)

const Segment = named(
  'TranscriptionSegment',
  z.object({
    type: z.string(),
    id: z.string(),
    start: z.number().describe('Seconds'),
    end: z.number().describe('Seconds'),
    text: z.string(),
    speaker: z.string().describe('As S01'),
  }),
)

/** A transcription. With speakers it has the other fields too. */
export const TranscriptionResponse = named(
  'Transcription',
  z.looseObject({
    text: z.string(),
    task: z.string().optional(),
    duration: z.number().optional().describe('Seconds'),
    segments: z.array(Segment).optional(),
  }),
)
