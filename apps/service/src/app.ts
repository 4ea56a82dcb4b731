import { randomUUID } from 'node:crypto'
import multipart from '@fastify/multipart'
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { ServiceError } from './domain/service-error.ts'
import { authenticate } from './http/authenticate.ts'
import { handleError } from './http/error-handler.ts'
import { dialogueRoutes } from './routes/dialogue.ts'
import { modelRoutes } from './routes/models.ts'
import { resultRoutes } from './routes/results.ts'
import { speechRoutes } from './routes/speech.ts'
import { taskRoutes } from './routes/tasks.ts'
import { transcriptionRoutes } from './routes/transcriptions.ts'
import { voiceGenerationRoutes } from './routes/voice-generations.ts'
import { voiceRoutes } from './routes/voices.ts'
import type { Services } from './services.ts'

/** Builds the HTTP side over the services. It listens only when it is told to. */
export async function createApp(services: Services, logger: FastifyBaseLogger): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    loggerInstance: logger,
    genReqId: () => randomUUID(),
    // A long transcription keeps its client waiting; the connection itself has no deadline.
    requestTimeout: 0,
    forceCloseConnections: 'idle',
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(handleError)
  // No endpoint takes bare text.
  app.removeContentTypeParser('text/plain')
  app.decorateRequest('tenant', '')
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  await app.register(multipart)
  app.get('/healthz', () => ({ status: 'ok' }))
  resultRoutes(app, services)
  await app.register(async (scope) => {
    authenticate(scope, services.keys)
    modelRoutes(scope)
    voiceRoutes(scope, services)
    speechRoutes(scope, services)
    dialogueRoutes(scope, services)
    voiceGenerationRoutes(scope, services)
    transcriptionRoutes(scope, services)
    taskRoutes(scope, services)
  })
  app.setNotFoundHandler((request, reply) => refuseUnknown(app, request, reply))
  return app
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
