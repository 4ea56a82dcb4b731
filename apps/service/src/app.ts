import { randomUUID } from 'node:crypto'
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
import { authenticate } from './http/authenticate.ts'
import { handleError, MAX_ID_CHARACTERS } from './http/error-handler.ts'
import { describeRoutes } from './http/openapi/describe-routes.ts'
import { limitRate } from './http/rate-limit.ts'
import { requestLog } from './http/request-log.ts'
import type { Readiness } from './http/readiness.ts'
import { createServiceMetrics } from './http/service-metrics.ts'
import { healthRoutes } from './routes/health.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { fileRoutes } from './routes/files.ts'
import { modelRoutes } from './routes/models.ts'
import { referenceRoutes } from './routes/reference.ts'
import { resultRoutes } from './routes/results.ts'
import { taskRoutes } from './routes/tasks.ts'
import { transcriptionRoutes } from './routes/transcriptions.ts'
import { audioOperationRoutes } from './routes/audio-operations.ts'
import { voiceRoutes } from './routes/voices.ts'
import type { Services } from './services.ts'

/** What the HTTP side needs beside the services. */
export interface AppOptions {
  readonly logger: FastifyBaseLogger
  readonly readiness: Readiness
  /** Where its requests come in. */
  readonly serverFactory: FastifyServerFactory
  /** Requests that one key may make in a minute. @default no limit */
  readonly requestsPerMinute?: number | undefined
  /** What `/metrics` wants as bearer token. @default it is open */
  readonly metricsToken?: string | undefined
}

/** A JSON body can hold the longest input with each character escaped, and the rest. */
const BYTES_A_CHARACTER = 12
const REST_BYTES = 64 * 1024

/** The interface's own version: the paths begin with it. */
const VERSION = 'v1'

/** Builds the HTTP side over the services. It answers once it is `ready`. */
export async function createApp(services: Services, options: AppOptions): Promise<FastifyInstance> {
  const { readiness } = options
  const app: FastifyInstance = fastify({
    loggerInstance: options.logger,
    genReqId: () => randomUUID(),
    childLoggerFactory: requestLog,
    bodyLimit: services.maxInputCharacters * BYTES_A_CHARACTER + REST_BYTES,
    serverFactory: options.serverFactory,
    // A path that cannot be decoded and an id that is too long fail before any route, hook or error handler.
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      void handleError(error, request, reply)
    },
    routerOptions: { maxParamLength: MAX_ID_CHARACTERS },
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(handleError)
  // No endpoint takes bare text.
  app.removeContentTypeParser('text/plain')
  app.decorateRequest('tenant', '')
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onError', (_request, reply, _error, done) => {
    keepOpen(reply)
    done()
  })
  const metrics = createServiceMetrics(services, readiness)
  metrics.observe(app)
  await describeRoutes(app, VERSION)
  referenceRoutes(app)
  healthRoutes(app, services, readiness)
  metricsRoutes(app, metrics, options.metricsToken)
  await app.register(async (scope) => {
    readiness.guard(scope)
    await resultRoutes(scope, services)
    await scope.register((keyed) => keyedRoutes(keyed, services, options))
  })
  app.setNotFoundHandler((request, reply) => refuseUnknown(app, request, reply))
  return app
}

/**
 * The framework hangs up on a body that is too long or no JSON; who is still sending never reads why. The front door drops
 * the rest instead. A client, or a stop, that wants the connection to end is left its will.
 */
function keepOpen(reply: FastifyReply): void {
  const { raw } = reply
  if (!reply.hasHeader('connection') || raw.hasHeader('connection') || !raw.shouldKeepAlive) return
  reply.header('connection', 'keep-alive')
}

/** Everything that needs a key. */
async function keyedRoutes(scope: FastifyInstance, services: Services, options: AppOptions): Promise<void> {
  authenticate(scope, services.keys)
  if (options.requestsPerMinute !== undefined) await limitRate(scope, options.requestsPerMinute)
  modelRoutes(scope)
  audioOperationRoutes(scope, services)
  taskRoutes(scope, services)
  await scope.register(async (uploads) => {
    // Its hooks cost every request of their scope.
    await uploads.register(multipart)
    voiceRoutes(uploads, services)
    transcriptionRoutes(uploads, services)
    fileRoutes(uploads, services)
  })
}

const METHODS = ['GET', 'POST', 'DELETE'] as const

/** An unknown path is 404, a known one with another method 405 with the ones it takes. */
function refuseUnknown(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): never {
  const [path = '/'] = request.url.split('?', 1)
  const allowed = METHODS.filter((method) => app.findRoute({ url: path, method }) !== null)
  if (allowed.length === 0) throw new ServiceError(404, 'not_found', `There is nothing at ${path.slice(0, 200)}`)
  reply.header('allow', allowed.join(', '))
  throw new ServiceError(405, 'method_not_allowed', `${request.method} is not allowed here, only ${allowed.join(', ')}`)
}
