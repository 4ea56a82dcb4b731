import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { AudioExceptionFilter } from '@svc-audio/nestjs'
import { AppModule } from './app.module.ts'

export { getQueueToken } from '@nestjs/bullmq'
export { AudioWebhooks } from '@svc-audio/nestjs'
export { sharedSemaphore } from './shared-semaphore.ts'
export { Archive } from './task-events.ts'

/** Starts the app. `rawBody` stores the raw bytes, which the signature of a callback covers. */
export async function startApp(environment: Readonly<Record<string, unknown>>, port: number) {
  const app = await NestFactory.create(AppModule.forRoot(environment), {
    logger: ['error', 'warn'],
    rawBody: true,
    forceCloseConnections: true,
  })
  app.useGlobalFilters(new AudioExceptionFilter())
  app.enableShutdownHooks()
  await app.listen(port, '127.0.0.1')
  return app
}
