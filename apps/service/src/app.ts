import multipart from '@fastify/multipart'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
} from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { ServiceError } from './domain/service-error.ts'
import { ENDPOINTS } from './endpoints/index.ts'
import { auditRequests, countRequests } from './http/records.ts'
import { authenticate, FailedKeys } from './http/authenticate.ts'
import { readEmptyBodies, readJsonBodies, refuseEncodings } from './http/bodies.ts'
import { requestIdOf, traceRequests, trustedProxies } from './http/request.ts'
import { allowOrigins } from './http/cors.ts'
import { handleError, MAX_ID_CHARACTERS } from './http/errors.ts'
import { handleOpenaiError } from './endpoints/openai/names.ts'
import { acceptsForms, type Endpoint, type EndpointParts } from './http/endpoint.ts'
import { describeRoutes } from './http/openapi.ts'
import { limitRate, limitTenant } from './http/limits.ts'
import { requestLines, requestLog } from './http/log.ts'
import type { Lifetimes } from './use-cases/sweep.ts'
import type { Readiness } from './http/readiness.ts'
import { type ConnectionCounts, createServiceMetrics } from './http/metrics.ts'
import type { Services } from './services.ts'
import type { AuditTrail } from './use-cases/audit-trail.ts'
import { type KeyUses, NO_SWITCHES, type Switches } from './use-cases/keys.ts'

/** Options of {@link createApp}. */
export interface AppOptions {
  readonly logger: FastifyBaseLogger
  readonly readiness: Readiness
  /** @default no tenant is suspended, and the service does not drain */
  readonly switches?: Switches
  /** @default uses of keys are not recorded */
  readonly uses?: KeyUses
  /** Records what clients do. @default nothing is recorded */
  readonly audit?: AuditTrail
  /** Creates the HTTP server that receives the requests. */
  readonly serverFactory: FastifyServerFactory
  /** Whether it answers requests of clients. Without them, only health and metrics remain. @default true */
  readonly servesHttp?: boolean
  /** Maximum requests per key and minute. @default no limit */
  readonly requestsPerMinute?: number | undefined
  /** Maximum requests per tenant in flight. @default no limit */
  readonly requestsAtOncePerTenant?: number | undefined
  /** Longest time that a request over this limit waits, in milliseconds. @default 0, it is refused at once */
  readonly requestWaitTimeout?: number | undefined
  /** Maximum wrong keys per address and minute. @default no limit */
  readonly failedKeysPerMinute?: number | undefined
  /** Whether the audio calls of the OpenAI API are served. @default false */
  readonly openaiApi?: boolean | undefined
  /** Whether the lists of the OpenAI API need no key. @default false */
  readonly openaiOpenLists?: boolean | undefined
  /** Origins of pages that may call the service. @default none */
  readonly corsOrigins?: readonly string[] | undefined
  /** Addresses and CIDR blocks of proxies whose `X-Forwarded-For` counts. @default none */
  readonly trustProxy?: readonly string[] | undefined
  /** Lifetimes of stored data, for the metrics. @default expired rows are not counted */
  readonly lifetimes?: Lifetimes | undefined
  /** Counts the connections, for the metrics. @default they are not shown */
  readonly connections?: ConnectionCounts | undefined
  /** Bearer token of `/metrics`. @default none, `/metrics` is open */
  readonly metricsToken?: string | undefined
}

/** Maximum bytes of one escaped character of the input in a JSON body. */
const BYTES_A_CHARACTER = 12
const REST_BYTES = 64 * 1024

/** Version of the interface, and the first part of its paths. */
const VERSION = 'v1'

/** Builds the HTTP app of the services. The app answers once it is `ready`. */
export async function createApp(services: Services, options: AppOptions): Promise<FastifyInstance> {
  const { readiness } = options
  const app: FastifyInstance = fastify({
    loggerInstance: options.logger,
    genReqId: ({ headers }) => requestIdOf(headers),
    trustProxy: trustedProxies(options.trustProxy),
    childLoggerFactory: requestLog,
    logController: requestLines(options.logger),
    bodyLimit: services.settings.maxInputCharacters * BYTES_A_CHARACTER + REST_BYTES,
    serverFactory: options.serverFactory,
    // An undecodable path or an id that is too long fails before any route, hook or error handler.
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      void handleError(error, request, reply)
    },
    // The listener answers them.
    clientErrorHandler: () => undefined,
    routerOptions: { maxParamLength: MAX_ID_CHARACTERS },
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  // An unknown path is refused before any route: a client of OpenAI understands the error of its API alone.
  app.setErrorHandler((error, request, reply) => {
    const isOpenai = options.openaiApi === true && request.url.startsWith(OPENAI_PATH)
    return (isOpenai ? handleOpenaiError : handleError)(error, request, reply)
  })
  // No endpoint accepts plain text.
  app.removeContentTypeParser('text/plain')
  app.decorateRequest('tenant', '')
  app.decorateRequest('keyId', '')
  app.decorateRequest('subject', '')
  app.decorateReply('endActions', undefined)
  readJsonBodies(app)
  readEmptyBodies(app)
  refuseEncodings(app)
  traceRequests(app, services.runtime.tracer)
  app.addHook('onError', (_request, reply, _error, done) => {
    keepOpen(reply)
    done()
  })
  const metrics = createServiceMetrics(services, readiness, {
    showTenants: options.metricsToken !== undefined,
    lifetimes: options.lifetimes,
    connections: options.connections,
  })
  metrics.observe(app)
  const origins = allowOrigins(app, options.corsOrigins ?? [])
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    if (request.is404) {
      metrics.observeUnknown(reply)
      refuseUnknown(app, { request, reply, hasOpenai: options.openaiApi === true })
    }
    done()
  })
  await describeRoutes(app, VERSION, options.openaiApi === true ? [] : ['openai'])
  const { servesHttp = true, switches = NO_SWITCHES, metricsToken } = options
  const document = (): object => app.swagger()
  const parts = { services, readiness, switches, metrics, metricsToken, servesHttp, document, origins }
  addRoutes(app, OPEN, parts)
  if (servesHttp)
    await app.register(async (scope) => {
      readiness.guard(scope)
      addRoutes(scope, WITH_LINK, parts)
      await scope.register((keyed) => keyedRoutes(keyed, parts, options))
    })
  return app
}

/**
 * Keeps the connection open after a refused body. The framework closes it, and a client that is still sending never
 * reads the error. The HTTP listener discards the rest of the body instead. A connection that the client or a stop
 * closes still closes.
 */
function keepOpen(reply: FastifyReply): void {
  const { raw } = reply
  if (!reply.hasHeader('connection') || raw.hasHeader('connection') || !raw.shouldKeepAlive) return
  reply.header('connection', 'keep-alive')
}

const OPEN = ENDPOINTS.filter(({ access }) => access === 'open')
const WITH_LINK = ENDPOINTS.filter(({ access }) => access === 'link')
const WITH_KEY = ENDPOINTS.filter(({ access, door }) => access === 'key' && door === undefined)
const OPENAI = ENDPOINTS.filter(({ door }) => door === 'openai')

/** The first part of the paths of the OpenAI API. */
const OPENAI_PATH = '/openai/'
/** What a client of OpenAI has as its base URL, behind the address. */
const OPENAI_BASE = '/openai/v1'

function addRoutes(scope: FastifyInstance, endpoints: readonly Endpoint[], parts: EndpointParts): void {
  for (const endpoint of endpoints) endpoint.addRoute(scope, parts)
}

/** The routes that need a key. */
async function keyedRoutes(scope: FastifyInstance, parts: EndpointParts, options: AppOptions): Promise<void> {
  const { requestsPerMinute = Infinity, requestsAtOncePerTenant = Infinity, failedKeysPerMinute = Infinity } = options
  const { uses, audit, requestWaitTimeout: wait } = options
  const { services, switches } = parts
  authenticate(scope, {
    keys: services.stores.keys,
    failed: new FailedKeys(failedKeysPerMinute),
    switches,
    uses,
    audit,
    ...(options.openaiOpenLists === true ? { isOpen: isList } : {}),
  })
  if (audit !== undefined) auditRequests(scope, audit)
  if (requestsPerMinute !== Infinity) await limitRate(scope, requestsPerMinute, services.stores.requestCounter)
  if (requestsAtOncePerTenant !== Infinity) {
    limitTenant(scope, requestsAtOncePerTenant, { wait, clock: services.runtime.clock })
  }
  countRequests(scope, services)
  await addKeyedRoutes(scope, WITH_KEY, parts)
  if (options.openaiApi !== true) return
  await scope.register(async (door) => {
    door.setErrorHandler(handleOpenaiError)
    await addKeyedRoutes(door, OPENAI, parts)
  })
}

/** Whether a request only lists models or voices. */
function isList({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.endpoint?.isList === true
}

async function addKeyedRoutes(
  scope: FastifyInstance,
  endpoints: readonly Endpoint[],
  parts: EndpointParts,
): Promise<void> {
  addRoutes(
    scope,
    endpoints.filter((endpoint) => !acceptsForms(endpoint)),
    parts,
  )
  await scope.register(async (uploads) => {
    // A separate scope: the hooks of multipart cost time in every request of their scope.
    await uploads.register(multipart)
    addRoutes(uploads, endpoints.filter(acceptsForms), parts)
  })
}

const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'] as const

/** A request without a route. */
interface Unknown {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Whether the OpenAI API is on. */
  readonly hasOpenai: boolean
}

/** Refuses an unknown path with 404, and a known path with another method with 405 and its methods. */
function refuseUnknown(app: FastifyInstance, { request, reply, hasOpenai }: Unknown): never {
  const [path = '/'] = request.url.split('?', 1)
  const allowed = METHODS.filter((method) => app.findRoute({ url: path, method }) !== null)
  if (allowed.length === 0) {
    const hint = hintFor(path, hasOpenai)
    throw new ServiceError(404, 'not_found', `No endpoint has the path ${path.slice(0, 200)}${hint}`)
  }
  reply.header('allow', allowed.join(', '))
  throw new ServiceError(405, 'method_not_allowed', `${request.method} is not allowed: use ${allowed.join(', ')}`)
}

/** Says what a client of OpenAI needs. */
function hintFor(path: string, hasOpenai: boolean): string {
  if (path.startsWith(OPENAI_PATH) && !hasOpenai) {
    return ': the OpenAI API is off. Start the service with --openai-api true'
  }
  const isCall = OPENAI.some((endpoint) => path.endsWith(endpoint.path.slice(OPENAI_BASE.length)))
  if (!isCall) return ''
  const remedy = `the base URL of the OpenAI API is ${OPENAI_BASE}`
  return hasOpenai ? `: ${remedy}` : `: ${remedy}, with the setting --openai-api true`
}
